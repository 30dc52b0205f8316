/**
 * Finds kernels that use too much shared memory, and functions that use both CTA groups. If the last search found
 * nothing, it is repeated only after a change that can affect its result.
 */
import type { Report } from '../check/report.ts';
import { checkCtaGroups } from '../check/declarations/cta-groups.ts';
import { type FunctionName, FunctionUses } from '../check/declarations/function-uses.ts';
import { checkSharedMemory } from '../check/declarations/shared-memory.ts';
import type { Scope } from '../check/symbols.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Target } from '../isa/targets.ts';
import type { Chunk, FunctionUse } from './chunk.ts';

/**
 * `uses` lists what each function uses, in source order. For each entry, `starts` contains the offset of the chunk from
 * which the entry comes.
 */
interface Uses {
  readonly uses: readonly FunctionUse[];
  readonly starts: readonly number[];
}

/** The input of the last search; stored only if that search found no problem. */
interface Quiet {
  readonly uses: readonly FunctionUse[];
  /** The names that are declared at module scope. */
  readonly symbols: Scope;
  readonly target: Target;
}

export class UseFindings {
  private quiet: Quiet | null = null;

  /** @param symbols the names at module scope; pass a different object whenever one of the declarations has changed */
  report(chunks: readonly Chunk[], symbols: Scope, target: Target, report: Report): void {
    const found = usesIn(chunks);
    const { uses } = found;
    const { quiet } = this;
    if (quiet !== null && quiet.symbols === symbols && quiet.target === target && areSame(quiet.uses, uses)) return;
    const findings: Diagnostic[] = [];
    if (uses.some(({ own, named, ctaGroups }) => own.length + named.length + ctaGroups.length > 0)) {
      const all = usesOfFunctions(found, symbols);
      const add: Report = (finding) => findings.push(finding);
      checkSharedMemory(all, target, add);
      checkCtaGroups(all, add);
    }
    this.quiet = findings.length === 0 ? { uses, symbols, target } : null;
    for (const finding of findings) report(finding);
  }
}

function usesIn(chunks: readonly Chunk[]): Uses {
  const uses: FunctionUse[] = [];
  const starts: number[] = [];
  for (const { checked, start } of chunks) {
    for (const use of checked?.uses ?? []) {
      uses.push(use);
      starts.push(start);
    }
  }
  return { uses, starts };
}

/**
 * Whether two lists contain the same uses. Comparing object identities first saves time, because a chunk that has not
 * been rechecked keeps the same objects.
 */
function areSame(known: readonly FunctionUse[], uses: readonly FunctionUse[]): boolean {
  return known.length === uses.length && uses.every((use, i) => use === known[i] || keyOf(use) === keyOf(known[i]));
}

function keyOf(use: FunctionUse | undefined): string {
  if (use === undefined) return '';
  const { name, entry, span, own, named, calls, ctaGroups } = use;
  const parts = [name, entry, span !== null, own.map(({ variable }) => variable), named, calls, ctaGroups];
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

function usesOfFunctions({ uses, starts }: Uses, symbols: Scope): FunctionUses {
  const all = new FunctionUses();
  let begun: FunctionName | null = null;
  for (const [i, { name, entry, span, own, named, calls, ctaGroups }] of uses.entries()) {
    const start = starts[i] ?? 0;
    if (span !== null) begun = { name, entry, nameStart: span.start + start, nameEnd: span.end + start };
    // Most functions use none of these resources, so they need no entry in the table.
    const isEmpty = own.length + named.length + calls.length + ctaGroups.length === 0;
    if (isEmpty && !all.uses.has(name)) continue;
    if (begun !== null) all.begin(begun);
    begun = null;
    for (const symbol of own) all.variable(symbol);
    for (const used of named) {
      const symbol = symbols.lookup(used);
      if (symbol?.kind === 'variable') all.variable(symbol);
    }
    for (const call of calls) all.call(call);
    for (const group of ctaGroups) all.ctaGroup(group);
  }
  return all;
}
