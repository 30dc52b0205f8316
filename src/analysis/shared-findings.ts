/**
 * Finds kernels that use too much shared memory. If the last search found nothing, it is repeated only after a change
 * that can affect its result.
 */
import type { Report } from '../check/report.ts';
import { type FunctionName, SharedMemory } from '../check/declarations/shared-memory.ts';
import type { Scope } from '../check/symbols.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Target } from '../isa/targets.ts';
import type { Chunk, SharedUse } from './chunk.ts';

/**
 * `uses` lists what each function uses, in the order of the text. For each entry, `starts` contains the offset of the
 * chunk from which the entry comes.
 */
interface Uses {
  readonly uses: readonly SharedUse[];
  readonly starts: readonly number[];
}

/** What the last search examined; kept only if that search found no problem. */
interface Quiet {
  readonly uses: readonly SharedUse[];
  /** The names that are declared at module scope. */
  readonly symbols: Scope;
  readonly target: Target;
}

export class SharedFindings {
  private quiet: Quiet | null = null;

  /** @param symbols the names at module scope; pass a different object whenever one of the declarations has changed */
  report(chunks: readonly Chunk[], symbols: Scope, target: Target, report: Report): void {
    const found = usesIn(chunks);
    const { uses } = found;
    const { quiet } = this;
    if (quiet !== null && quiet.symbols === symbols && quiet.target === target && areSame(quiet.uses, uses)) return;
    const findings: Diagnostic[] = [];
    if (uses.some(({ own, named }) => own.length + named.length > 0))
      sharedMemory(found, symbols).finish(target, (finding) => findings.push(finding));
    this.quiet = findings.length === 0 ? { uses, symbols, target } : null;
    for (const finding of findings) report(finding);
  }
}

function usesIn(chunks: readonly Chunk[]): Uses {
  const uses: SharedUse[] = [];
  const starts: number[] = [];
  for (const { checked, start } of chunks) {
    for (const use of checked?.shared ?? []) {
      uses.push(use);
      starts.push(start);
    }
  }
  return { uses, starts };
}

/**
 * Whether two lists contain the same uses. Comparing object identities first saves time, because a chunk that was not
 * checked again still has the same objects.
 */
function areSame(known: readonly SharedUse[], uses: readonly SharedUse[]): boolean {
  return known.length === uses.length && uses.every((use, i) => use === known[i] || keyOf(use) === keyOf(known[i]));
}

function keyOf(use: SharedUse | undefined): string {
  if (use === undefined) return '';
  const { name, entry, span, own, named, calls } = use;
  const parts = [name, entry, span !== null, own.map(({ variable }) => variable), named, calls];
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

function sharedMemory({ uses, starts }: Uses, symbols: Scope): SharedMemory {
  const shared = new SharedMemory();
  let begun: FunctionName | null = null;
  for (const [i, { name, entry, span, own, named, calls }] of uses.entries()) {
    const start = starts[i] ?? 0;
    if (span !== null) begun = { name, entry, nameStart: span.start + start, nameEnd: span.end + start };
    // Most functions use no shared memory and call no other function. They need no entry in the table.
    const isEmpty = own.length + named.length + calls.length === 0;
    if (isEmpty && !shared.uses.has(name)) continue;
    if (begun !== null) shared.begin(begun);
    begun = null;
    for (const symbol of own) shared.variable(symbol);
    for (const used of named) {
      const symbol = symbols.lookup(used);
      if (symbol?.kind === 'variable') shared.variable(symbol);
    }
    for (const call of calls) shared.call(call);
  }
  return shared;
}
