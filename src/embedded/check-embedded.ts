/** Checks PTX that is embedded in source files of other languages. */
import { append } from '../base/append.ts';
import { BoundedCache } from '../base/bounded-cache.ts';
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import type { Acceptance } from '../check/availability.ts';
import { check, type CheckOptions, type CheckReport, type Requirements } from '../check/check.ts';
import { diagnose, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Fix } from '../diagnostics/fix.ts';
import { newestTarget, newestVersion, parseVersion, type VersionName, versionName } from '../isa/targets.ts';
import { type AsmModule, asmModule, type AsmModuleResult, sourceSpan, withoutComments } from './asm-module.ts';
import type { AsmStatement, EnclosingLanguage } from './asm-statement.ts';
import { cudaStatements } from './cuda-asm.ts';
import { isPtx } from './recognize-ptx.ts';
import { tritonStatements } from './triton-asm.ts';

const extensions: Readonly<Record<string, EnclosingLanguage>> = {
  cu: 'cuda',
  cuh: 'cuda',
  c: 'cuda',
  cc: 'cuda',
  cpp: 'cuda',
  cxx: 'cuda',
  h: 'cuda',
  hh: 'cuda',
  hpp: 'cuda',
  hxx: 'cuda',
  inl: 'cuda',
  py: 'triton',
};

/** The language of a file, determined from its extension; null for PTX and for languages that ptxlab does not read. */
export function enclosingLanguage(path: string): EnclosingLanguage | null {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? (extensions[extension] ?? null) : null;
}

/** Maximum length, in characters, of a file that is searched for asm statements. */
export const longestFile = 32_000_000;

/** Returns the statements that contain PTX; none if the file is too long. */
export function asmStatements(source: string, language: EnclosingLanguage): readonly AsmStatement[] {
  if (source.length > longestFile) return [];
  const found = language === 'cuda' ? cudaStatements(source) : tritonStatements(source);
  return found.filter((statement) => isPtx(statement, source));
}

/** Checks every asm statement of a file as a separate kernel. Spans refer to the file. */
export function checkEmbedded(source: string, language: EnclosingLanguage, options: CheckOptions = {}): CheckReport {
  const statements = asmStatements(source, language);
  const registers = new DeclaredRegisters(source);
  const judged = statements.map((statement) => checkStatement(statement, registers, options));
  const found = judged.flatMap(({ diagnostics }) => diagnostics);
  if (source.length > longestFile) found.push(tooLong());
  return {
    diagnostics: found.toSorted((a, b) => a.span.start - b.span.start),
    requirements: combined(
      judged.flatMap(({ requirements }) => (requirements === null ? [] : [requirements])),
      options,
    ),
  };
}

function tooLong(): Diagnostic {
  return diagnose('PTX7002', { start: 0, end: 0 }, { why: `the file has more than ${longestFile} characters` });
}

/** If the options do not specify a target, the newest target is used. */
export function moduleOf(statement: AsmStatement, { target, version, isa }: CheckOptions): AsmModuleResult {
  return asmModule(statement, version ?? isa ?? versionName(newestVersion), target ?? newestTarget.name);
}

interface Judged {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if the statement was not checked. */
  readonly requirements: Requirements | null;
}

function checkStatement(statement: AsmStatement, registers: DeclaredRegisters, options: CheckOptions): Judged {
  const made = moduleOf(statement, options);
  if (made.kind === 'unknown') {
    const span = { start: statement.start, end: statement.start + 3 };
    return { diagnostics: [diagnose('PTX7002', span, { why: made.reason })], requirements: null };
  }
  const { module } = made;
  const report = reportOn(module.text, options);
  const wrong = module.wrong.map(({ span, written }) =>
    diagnose('PTX7001', span, { written, count: countWords(statement.operands.length) }),
  );
  const found = report.diagnostics
    .filter((finding) => isSure(finding, module, statement, registers, options))
    .map((finding) => placed(finding, module));
  return { diagnostics: [...wrong, ...misreadNames(module), ...found], requirements: report.requirements };
}

/**
 * One finding for each name that the compiler reads as an operand with a modifier. The fix changes every occurrence of
 * the name.
 */
function misreadNames({ misread }: AsmModule): readonly Diagnostic[] {
  const places = new Map<string, Span[]>();
  for (const { written, span } of misread) {
    append(places, written, span);
  }
  return [...places].map(([written, spans]) => {
    const register = `%${written}`;
    const edits = spans.map((span) => ({ span, text: register }));
    const fixes: readonly Fix[] = [{ title: `Write ${register}`, applicability: 'possible', edits }];
    const modifier = written.slice(1, 2);
    return diagnose('PTX7003', elementAt(spans, 0), { written, modifier, register }, { fixes });
  });
}

/**
 * A cache of reports, keyed by module text and options. The cache is worthwhile because an edit leaves most statements
 * of a file unchanged.
 */
const reports = new BoundedCache<string, CheckReport>(4000);

function reportOn(text: string, options: CheckOptions): CheckReport {
  if (text.length > longestKept) return check(text, options);
  const key = `${options.target ?? ''} ${options.version ?? options.isa ?? ''} ${text}`;
  return reports.of(key, () => check(text, options));
}

/** Maximum length of a module whose report is cached. */
const longestKept = 10_000;

function countWords(count: number): string {
  return count === 1 ? '1 operand' : `${count} operands`;
}

/** Whether a finding is certain to be correct, regardless of what else the file contains. */
function isSure(
  { span, code }: Diagnostic,
  module: AsmModule,
  { isConditional, start, end }: AsmStatement,
  registers: DeclaredRegisters,
  { target }: CheckOptions,
): boolean {
  const { body, guessed, misread } = module;
  const within = { start: span.start - module.start, end: span.end - module.start };
  const around = statementAround(body.text, within.start);
  if (guessed.some((one) => one.start < around.end && one.end > around.start)) return false;
  const isOfTarget = code.startsWith('PTX4');
  if (isOfTarget && target === undefined) return false;
  if (isConditional && (isOfTarget || isOfAddressSize.has(code))) return false;
  if (code !== 'PTX3001') return true;
  const name = body.text.slice(within.start, within.end);
  if (misread.some(({ written }) => written === name)) return false;
  const mayBeDeclared = !name.startsWith('%') && mayBeSymbol(body.text, around, within.start);
  return !mayBeDeclared && !registers.hasOutside(name, { start, end });
}

/**
 * The code of findings about 32-bit addresses in a 64-bit module. In headers that also support 32-bit programs,
 * conditional statements may contain such addresses on purpose.
 */
const isOfAddressSize: ReadonlySet<string> = new Set(['PTX3027']);

/** The span of the instruction that contains the given offset. */
function statementAround(text: string, offset: number): Span {
  const start = Math.max(text.lastIndexOf(';', offset - 1), text.lastIndexOf('{', offset - 1)) + 1;
  const end = text.indexOf(';', offset);
  return { start, end: end < 0 ? text.length : end };
}

/**
 * Matches instructions that can refer to variables and functions by name. Such names may be declared in other parts of
 * the program.
 */
const takesSymbols = /^\s*(?:@!?\S+\s+)?(?:mov|cvta|call|bra|brx|ld|st|atom|red|prefetch|tex|suld|sust|tld4)\b/;

function mayBeSymbol(text: string, { start, end }: Span, offset: number): boolean {
  const before = text.slice(start, offset);
  return takesSymbols.test(text.slice(start, end)) || before.lastIndexOf('[') > before.lastIndexOf(']');
}

/** The names that a file may declare as registers. The file is searched only when these names are first needed. */
class DeclaredRegisters {
  private readonly source: string;
  private offsets: ReadonlyMap<string, readonly number[]> | null = null;

  constructor(source: string) {
    this.source = source;
  }

  /** Whether a name may be declared outside the given part of the file. */
  hasOutside(name: string, { start, end }: Span): boolean {
    this.offsets ??= registerNames(this.source);
    return this.offsets.get(name.replace(/^%/, ''))?.some((offset) => offset < start || offset >= end) === true;
  }
}

/** For each name between `.reg` and the next semicolon, the first and the last offset at which it occurs. */
function registerNames(source: string): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly [number, number]>();
  for (let start = source.indexOf('.reg'); start >= 0; ) {
    const semicolon = source.indexOf(';', start);
    const end = semicolon < 0 ? source.length : semicolon + 1;
    for (const { 0: name, index } of source.slice(start, end).matchAll(/(?<=[\s,%])[^\s,%;<]+(?=[\s,;<])/g)) {
      const [first] = found.get(name) ?? [start + index];
      found.set(name, [first, start + index]);
    }
    start = source.indexOf('.reg', end);
  }
  return found;
}

function placed(finding: Diagnostic, module: AsmModule): Diagnostic {
  const { body, start } = module;
  const source = (span: Span): Span => sourceSpan(module, span);
  const isInside = ({ span }: { readonly span: Span }): boolean =>
    span.start >= start && span.end <= start + body.text.length;
  const fixes = finding.fixes
    .filter(({ edits }) => edits.every(isInside))
    .map((fix): Fix => ({ ...fix, edits: fix.edits.map((edit) => ({ ...edit, span: source(edit.span) })) }));
  const message = meetsEnd(finding, module) ? withoutBrace(finding.message) : finding.message;
  return { ...finding, message, span: source(finding.span), fixes, accepted: [] };
}

/**
 * Whether a finding is a syntax error at the end of the asm text, where only white space and comments follow. Its
 * message may mention a `}` that is not in the file, because `asmModule` adds a `}` after the asm text.
 */
function meetsEnd({ code, span }: Diagnostic, { text, start, body }: AsmModule): boolean {
  return code === 'PTX1001' && withoutComments(text.slice(span.start, start + body.text.length)).trim() === '';
}

function withoutBrace(message: string): string {
  return message.replace(/^unexpected '\}'( on the next line)?/, 'unexpected end of the asm text');
}

/**
 * The combined requirements of all statements. If the options specify no target, the result contains the newest target
 * that accepts all statements, and the minimum version for it.
 */
function combined(all: readonly Requirements[], options: CheckOptions): Requirements {
  const none = check(`.version ${versionName(newestVersion)}\n.target ${newestTarget.name}\n`, options).requirements;
  const distinct = [none, ...new Set(all)];
  const unchecked = [...new Set(distinct.flatMap((one) => one.unchecked))];
  const targets = [...new Set(distinct.map((one) => one.targets))].reduce(acceptedByBoth);
  const minimumVersion = distinct.map((one) => one.minimumVersion).reduce(latest);
  const sum = { ...none, targets, minimumVersion, unchecked };
  const newest = targets.at(-1);
  if (options.target !== undefined || newest === undefined) return sum;
  return { ...sum, target: newest.target, minimumVersion: newest.since };
}

/** The later of two versions; null if either of them is null. Null means that no version is accepted. */
function latest(a: VersionName | null, b: VersionName | null): VersionName | null {
  if (a === null || b === null) return null;
  return isLater(b, a) ? b : a;
}

function acceptedByBoth(all: readonly Acceptance[], others: readonly Acceptance[]): readonly Acceptance[] {
  const known = new Map(others.map((accepted) => [accepted.target, accepted]));
  return all.flatMap((accepted) => {
    const other = known.get(accepted.target);
    return other === undefined ? [] : [isLater(other.since, accepted.since) ? other : accepted];
  });
}

function isLater(a: VersionName, b: VersionName): boolean {
  return parseVersion(a) > parseVersion(b);
}
