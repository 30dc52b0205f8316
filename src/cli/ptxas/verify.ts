/**
 * Verifies modules as ptxas does. First, each of them is checked by the rules of `check`, and then all of them together
 * are checked as one program.
 */
import { SourceText } from '../../base/source-text.ts';
import { check, type CheckReport } from '../../check/check.ts';
import { type Definition, type Survey, survey } from '../../check/survey.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isSyntaxError, offsetOf, ptxasLine, repeatedAt } from '../../diagnostics/renderers/ptxas.ts';
import { findTarget, parseVersion } from '../../isa/targets.ts';
import { misfit } from './architecture.ts';
import { headerFault } from './header.ts';
import { messagesOn } from './instruction-messages.ts';
import { aborted, message } from './message.ts';
import {
  missingVariables,
  mixedCtaGroups,
  severalResults,
  unifiedInProgram,
  unlinked,
  unpassable,
} from './program-errors.ts';
import { untilSyntaxError } from './syntax-errors.ts';
import type { VerifyOptions } from './verify-options.ts';

/** The text of a module, and the name by which messages refer to it. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

/** The results for a program. */
export interface Verification {
  /** The messages with their prefixes, one per line, in the order in which ptxas prints them. */
  readonly lines: readonly string[];
  readonly isAccepted: boolean;
  readonly kernels: readonly string[];
  readonly instructions: InstructionCount;
}

export interface InstructionCount {
  readonly all: number;
  readonly verified: number;
}

interface Checked extends Input {
  readonly report: CheckReport;
  readonly survey: Survey;
}

/** `inputs` are the modules of one program; files that could not be opened are not among them. */
export function verify(inputs: readonly Input[], options: VerifyOptions): Verification {
  const checked = inputs.map((input): Checked => ({ ...input, report: check(input.text), survey: survey(input.text) }));
  const surveys = checked.map((module) => module.survey);
  const instructions = countInstructions(checked);
  const kernels = surveys.flatMap((found) => found.kernels);
  const refused = (lines: readonly string[]): Verification => ({ lines, isAccepted: false, kernels, instructions });
  const found = findingsOf(checked, options);
  const lines = found.map(({ text }) => text);
  const errors = found.filter(({ isError }) => isError);
  if (errors.some(({ line }) => line !== null)) return refused([...lines, aborted]);
  if (!options.isPart && surveys.some(({ hasUnified }) => hasUnified)) return refused([unifiedInProgram, aborted]);
  if (errors.length > 0) return refused(lines);
  const withoutAbi = severalResults(surveys);
  if (withoutAbi !== null && options.warnings !== 'hide') lines.push(message('warning', withoutAbi));
  if (withoutAbi !== null && options.isPart)
    return refused([...lines, message('fatal', "'Compile only(-c)' requires ABI")]);
  const elsewhere = misfits(checked, options);
  if (elsewhere !== null) return refused([...lines, message('fatal', elsewhere)]);
  const short = shortAddresses(checked, options);
  if (short.length > 0) return refused([...lines, ...short]);
  const { isRefused, lines: unresolved } = missingVariables(surveys, options);
  if (isRefused) return refused([...lines, ...unresolved]);
  const fatal = unlinked(surveys, kernels, options);
  if (fatal !== null) return refused([...lines, ...unresolved, message('fatal', fatal)]);
  const narrow = withoutAbi === null ? unpassable(surveys, options) : null;
  if (narrow !== null) return refused([...lines, ...unresolved, message('fatal', narrow)]);
  const mixed = mixedCtaGroups(surveys, options);
  if (mixed.length > 0) return refused([...lines, ...unresolved, ...mixed]);
  const skipped = options.allowUnverified ? null : unverified(checked, instructions);
  if (skipped !== null) return refused([...lines, ...unresolved, message('fatal', skipped)]);
  return { lines: [...lines, ...unresolved], isAccepted: true, kernels, instructions };
}

// --- one module -----------------------------------------------------------------------------------------------------

interface Finding {
  /** Null if the finding is about a whole kernel or module. */
  readonly line: number | null;
  readonly text: string;
  readonly isError: boolean;
}

/** The findings of each module, in the order of their lines. */
function findingsOf(checked: readonly Checked[], options: VerifyOptions): readonly Finding[] {
  const known = new Set<string>();
  return checked.flatMap((module) => {
    const source = new SourceText(module.text, module.name);
    const repeated = module.survey.definitions.filter(({ name }) => known.has(name));
    for (const { name } of module.survey.definitions) known.add(name);
    const fault = headerFault(source);
    if (fault !== null) return [{ ...fault, isError: true }];
    const all = [
      ...repeated.map((definition) => duplicate(definition, source)),
      ...namedFindings(module, source, options),
      ...findings(module.report, source, options),
    ];
    return all.toSorted((a, b) => (a.line ?? Number.POSITIVE_INFINITY) - (b.line ?? Number.POSITIVE_INFINITY));
  });
}

/** The error for a name that an earlier module has already defined. */
function duplicate({ kind, name, start }: Definition, source: SourceText): Finding {
  const { line } = source.position(repeatedAt(kind, { start, end: start + name.length }, source.text));
  const text = `ptxas ${source.name}, line ${line}; error   : Duplicate definition of ${kind} '${name}'`;
  return { line, text, isError: true };
}

/** The findings that depend only on the names of instructions. */
function namedFindings(
  { report, survey: { mnemonics } }: Checked,
  source: SourceText,
  { architecture, warnings }: VerifyOptions,
): readonly Finding[] {
  const target = findTarget(report.requirements.target);
  if (target === undefined) return [];
  const header = { target, version: parseVersion(report.requirements.version) };
  const end = report.diagnostics.find(isSyntaxError)?.span.start ?? source.text.length;
  return [...mnemonics].flatMap(([mnemonic, starts]) => {
    const said = messagesOn(mnemonic, header, architecture).filter(
      ({ severity }) => severity === 'error' || warnings !== 'hide',
    );
    return said.flatMap(({ severity, text }): readonly Finding[] => {
      const isError = severity === 'error' || warnings === 'refuse';
      const word = isError ? 'error  ' : 'warning';
      const lines = starts.filter((start) => start < end).map((start) => source.position(start).line);
      return lines.map((line) => ({ line, text: `ptxas ${source.name}, line ${line}; ${word} : ${text}`, isError }));
    });
  });
}

function findings({ diagnostics }: CheckReport, source: SourceText, options: VerifyOptions): readonly Finding[] {
  const { warnings } = options;
  const relevant = diagnostics.filter((found) => isOfPtxas(found, options));
  return untilSyntaxError(relevant, source.text).flatMap((found): Finding[] => {
    const severity = severityOf(found, warnings);
    if (severity === 'warning' && warnings === 'hide') return [];
    const isError = severity === 'error';
    if (isOfWhole(found) || found.code === 'PTX5031')
      return [{ line: null, text: message(isError ? 'error' : 'warning', found.ptxas), isError }];
    const { line } = source.position(offsetOf(found, source));
    return [{ line, text: ptxasLine(source, { ...found, severity }), isError }];
  });
}

function severityOf({ code, severity }: Diagnostic, warnings: VerifyOptions['warnings']): Diagnostic['severity'] {
  // ptxas treats a PTX version later than its own as unknown, which is an error.
  if (code === 'PTX4011') return 'error';
  return severity === 'warning' && warnings === 'refuse' ? 'error' : severity;
}

/** Whether a finding is about a kernel or a module as a whole; such findings have no line. */
function isOfWhole({ ptxas }: Diagnostic): boolean {
  return needsProgram(ptxas) || /^File uses|for entry /.test(ptxas);
}

/** The limit on shared memory applies only if all functions that a kernel calls are known. */
function needsProgram(words: string): boolean {
  return words.includes('uses too much shared data');
}

/**
 * Findings that are not printed as messages about a line of a module. Instructions that were not checked are only
 * counted, and functions without a body are looked up in the whole program. Findings about 32-bit addresses are
 * relevant only to programs that generate code. The remaining findings are warnings about things that ptxas accepts,
 * such as registers of unusual types.
 */
const notOnLines: ReadonlySet<string> = new Set([
  'PTX2002',
  'PTX2037',
  'PTX3027',
  'PTX3028',
  'PTX3029',
  'PTX3030',
  'PTX3031',
  'PTX3032',
  'PTX3033',
  'PTX4021',
  'PTX5024',
]);

function isOfPtxas(found: Diagnostic, { architecture, isPart }: VerifyOptions): boolean {
  if (notOnLines.has(found.code) || (isPart && needsProgram(found.ptxas))) return false;
  return architecture.isReal || !isOfWhole(found);
}

// --- the program ----------------------------------------------------------------------------------------------------

function misfits(checked: readonly Checked[], { architecture }: VerifyOptions): string | null {
  for (const { report } of checked) {
    const target = findTarget(report.requirements.target);
    const found = target === undefined ? null : misfit(target, architecture);
    if (found !== null) return found;
  }
  return null;
}

/**
 * The messages that ptxas prints for modules with 32-bit addresses, because it cannot generate code for them. The last
 * of these messages is fatal.
 */
function shortAddresses(checked: readonly Checked[], { architecture, warnings }: VerifyOptions): readonly string[] {
  if (!architecture.isReal) return [];
  const short = checked.flatMap(shortIn);
  if (short.length === 0) return [];
  const severity = warnings === 'refuse' ? 'error' : 'warning';
  const lines = warnings === 'hide' ? [] : short.map((line) => message(severity, line));
  const reason =
    architecture.target.sm < 90
      ? ' 32-Bit compilation is no longer supported'
      : ' 32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.';
  return [...lines, message('fatal', reason)];
}

function shortIn({ text, name, report: { diagnostics }, survey: found }: Checked): readonly string[] {
  if (found.saysShortAddresses || diagnostics.some(({ code }) => code === 'PTX4021' || code === 'PTX3030'))
    return [' 64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits'];
  const source = new SourceText(text, name);
  return diagnostics
    .filter(({ code }) => code === 'PTX3027')
    .map(({ span }) => source.position(span.start).line)
    .map((line) => `Program uses 32-bit address on line '${line}' which is conflicting with .address_size 64`);
}

// --- what was not verified ------------------------------------------------------------------------------------------

function isUnchecked(mnemonic: string, opcodes: readonly string[]): boolean {
  return opcodes.some((opcode) => mnemonic === opcode || mnemonic.startsWith(`${opcode}.`));
}

function countInstructions(checked: readonly Checked[]): InstructionCount {
  let all = 0;
  let verified = 0;
  for (const {
    report,
    survey: { mnemonics },
  } of checked) {
    for (const [mnemonic, { length }] of mnemonics) {
      all += length;
      if (!isUnchecked(mnemonic, report.requirements.unchecked)) verified += length;
    }
  }
  return { all, verified };
}

function unverified(checked: readonly Checked[], { all, verified }: InstructionCount): string | null {
  const opcodes = new Set(checked.flatMap(({ report }) => report.requirements.unchecked));
  if (opcodes.size === 0) return null;
  const names = [...opcodes].join(', ');
  return `verified ${verified} of ${all} instructions; ptxlab cannot check ${names} (--allow-unverified accepts them)`;
}
