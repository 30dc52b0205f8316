/** Collects the findings of a document: the findings of each chunk, and those that depend on the module as a whole. */
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { checkDefined } from '../check/declarations/functions.ts';
import { checkConstants } from '../check/declarations/redeclaration.ts';
import { addLabels, repeatedLabel, stringSection } from '../check/declarations/debug-places.ts';
import type { Report } from '../check/report.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { type Diagnostic, diagnose } from '../diagnostics/diagnostic.ts';
import { shifted, shiftedSpan } from '../diagnostics/shifted.ts';
import type { Chunk, CheckedChunk, Declared } from './chunk.ts';
import type { ModuleCheck } from './module-check.ts';
import { inOrder } from './module-check.ts';

/** A chunk that was checked, with its results. */
interface Checked {
  readonly chunk: Chunk;
  readonly checked: CheckedChunk;
}

/** All findings, in the order of the text. */
export function findingsOf(check: ModuleCheck): readonly Diagnostic[] {
  const chunks = check.list.chunks.map(withResults);
  const found: Diagnostic[] = [];
  const once = new Set<string>();
  const missing = missingPlaces(chunks);
  for (const one of chunks) {
    const own = [...one.chunk.syntax, ...one.checked.diagnostics.filter((finding) => isNew(finding, one, once))];
    for (const finding of [...own, ...(missing.get(one.chunk) ?? [])]) found.push(shifted(finding, one.chunk.start));
  }
  found.push(...findingsAtEnd(check, chunks));
  return inOrder(found);
}

/**
 * Whether the finding should be reported. An opcode that the tables do not cover is reported only the first time it
 * occurs.
 */
function isNew(finding: Diagnostic, { checked }: Checked, once: Set<string>): boolean {
  const opcode = checked.unchecked.get(finding);
  if (opcode === undefined) return true;
  if (once.has(opcode)) return false;
  once.add(opcode);
  return true;
}

export function withResults(chunk: Chunk): Checked {
  if (chunk.checked === null) throw new Error(`chunk ${chunk.index} is not checked`);
  return { chunk, checked: chunk.checked };
}

function findingsAtEnd(check: ModuleCheck, chunks: readonly Checked[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const report: Report = (finding) => found.push(finding);
  check.headerFindings = found;
  check.header.reportAtEnd(chunks.some(({ checked }) => checked.places.sections.length > 0));
  const scopes = check.scopesAtEnd;
  for (const { chunk, checked } of chunks) {
    for (const { name, nameStart, nameEnd } of checked.announced) {
      const placed = { name, nameStart: nameStart + chunk.start, nameEnd: nameEnd + chunk.start };
      checkDefined(placed, scopes.symbols, scopes.aliases, report);
    }
  }
  reportPlaces(chunks, report);
  check.uses.report(check.list.chunks, scopes.symbols, check.environment.target, report);
  checkConstants(constantsIn(chunks), report);
  return found;
}

/** The `.const` variables, with their positions in the document. */
function constantsIn(chunks: readonly Checked[]): readonly VariableSymbol[] {
  const found: VariableSymbol[] = [];
  for (const { chunk, checked } of chunks) {
    const add = (one: Declared): void => {
      if (one.kind !== 'symbol' || one.symbol.kind !== 'variable' || one.symbol.space !== '.const') return;
      found.push({ ...one.symbol, declared: shiftedSpan(one.symbol.declared, chunk.start) });
    };
    checked.module.forEach(add);
    checked.body.forEach(add);
  }
  return found;
}

// --- source positions -----------------------------------------------------------------------------------------------

/** For each chunk, the errors about inlined calls whose source position does not appear in any earlier `.loc`. */
function missingPlaces(chunks: readonly Checked[]): ReadonlyMap<Chunk, readonly Diagnostic[]> {
  const found = new Map<Chunk, readonly Diagnostic[]>();
  const given = new Set<string>();
  if (chunks.every(({ checked }) => checked.places.missing.length === 0)) return found;
  for (const { chunk, checked } of chunks) {
    const { places } = checked;
    const missing = places.missing.filter(({ key }) => !given.has(key));
    found.set(
      chunk,
      missing.map(({ place, span }) => diagnose('PTX5029', span, { place })),
    );
    for (const key of places.given) given.add(key);
  }
  return found;
}

function reportPlaces(chunks: readonly Checked[], report: Report): void {
  const files = new Set<number>();
  const named = new Map<string, Span>();
  const declared = new Set([stringSection]);
  let first: Span | null = null;
  for (const { chunk, checked } of chunks) {
    const { places } = checked;
    for (const { index, span } of places.fileNames) {
      if (files.has(index)) report(diagnose('PTX5028', shiftedSpan(span, chunk.start), { index: String(index) }));
      files.add(index);
    }
    for (const [name, span] of places.named) if (!named.has(name)) named.set(name, shiftedSpan(span, chunk.start));
    for (const name of places.sectionNames) declared.add(name);
    for (const label of addLabels(declared, places.labels)) {
      report(repeatedLabel(label, shiftedSpan(label, chunk.start)));
    }
    if (places.first !== null) first ??= shiftedSpan(places.first, chunk.start);
  }
  if (files.size === 0 && first !== null) report(diagnose('PTX5031', first, {}));
  for (const [name, span] of named) if (!declared.has(name)) report(diagnose('PTX5030', span, { name }));
}

/**
 * True if the text reaches one of the limits of `check`, or if it contains an error that affects the findings in the
 * rest of the text, such as a misplaced header directive or a non-ASCII character. In these cases, only a check of the
 * whole text is reliable.
 */
export function needsWholeCheck({ list }: ModuleCheck, limits: { errors: number; searches: number }): boolean {
  const { chunks } = list;
  const first = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*(.)/.exec(elementAt(chunks, 0).text)?.[1] ?? '';
  if (first !== '.') return true;
  let syntax = 0;
  let others = 0;
  let searches = 0;
  for (const chunk of chunks) {
    if (chunk.isForeign || chunk.hasLateHeader) return true;
    syntax += chunk.syntax.length;
    others += chunk.checked?.diagnostics.length ?? 0;
    searches += chunk.checked?.searches ?? 0;
  }
  return syntax >= limits.errors || others >= limits.errors || searches >= limits.searches;
}
