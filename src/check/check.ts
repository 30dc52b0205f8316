/** The entry point of the checker: takes the text of a module and returns diagnostics. */
import { requireText } from '../base/require-text.ts';
import { requireOptions } from '../base/require.ts';
import { SourceText } from '../base/source-text.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { AvailabilityRow } from '../isa/conditions.ts';
import type { Variant } from '../isa/form.ts';
import { type TargetName, type VersionName, versionName } from '../isa/targets.ts';
import type { LineShapes } from '../syntax/line-shapes.ts';
import { parseItems } from '../syntax/parser.ts';
import { type Acceptance, acceptance, type ModuleEnvironment } from './availability.ts';
import type { CheckedFunction } from './checked.ts';
import { judgeRules, type JudgeOptions, readJudgeOptions } from './judge-options.ts';
import { ErrorCap } from './error-cap.ts';
import { Header } from './declarations/header.ts';
import { CheckMemory } from './memory.ts';
import { ModuleChecker } from './module.ts';
import type { VariableSymbol } from './symbols.ts';

/** The options of `check`: `target` and `version` are used instead of the module's `.target` and `.version`. */
export type CheckOptions = JudgeOptions;

/** The versions and targets that would accept a module, according to the rules of its instructions. */
export interface Requirements {
  /** The version and target against which the module was checked. */
  readonly version: VersionName;
  readonly target: TargetName;
  /**
   * The lowest `.version` that supports all features that the module uses on `target`; null if no known version
   * supports them.
   */
  readonly minimumVersion: VersionName | null;
  /**
   * Every target on which at least one known version supports all features that the module uses, together with the
   * first such version.
   */
  readonly targets: readonly Acceptance[];
  /**
   * The opcodes that were not checked. If there are any, the module may need a higher version than stated here, and
   * fewer targets may accept it.
   */
  readonly unchecked: readonly string[];
}

export interface CheckReport {
  /** All findings, in source order. */
  readonly diagnostics: readonly Diagnostic[];
  readonly requirements: Requirements;
}

/** A module ready for an engine: its functions and variables, and the environment against which it was checked. */
export interface CheckedModule {
  readonly source: string;
  /** The source text, divided into lines. */
  readonly text: SourceText;
  /** Functions with a body. */
  readonly functions: readonly CheckedFunction[];
  /** Functions that are aliases for other functions. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Variables at module scope. */
  readonly variables: readonly VariableSymbol[];
  /** The names of source files, by their number in `.file`. */
  readonly files: ReadonlyMap<number, string>;
  /** Debug sections as written. */
  readonly sections: readonly string[];
  /** The instruction variants that have version or target requirements. */
  readonly variants: readonly Variant[];
  readonly environment: ModuleEnvironment;
}

/** The result of checking a module that is to be run. `module` is null if the module has errors. */
export interface LoadedModule {
  readonly report: CheckReport;
  readonly module: CheckedModule | null;
}

/**
 * Checks modules. Caches are kept from one module to the next, so that instructions and lines that resemble earlier
 * ones are checked faster. The caches never change a report, their size is bounded, and they are freed together with
 * the checker. All callers of the function `check` share one set of caches.
 */
export class Checker {
  private readonly memory = new CheckMemory();

  /** Like the function `check`. */
  check(source: string, options: CheckOptions = {}): CheckReport {
    requireOptions(options, judgeRules, 'check');
    requireText(source, 'the text of a module');
    return run(source, options, this.memory, false).report;
  }
}

/** Shared by all callers that have no checker of their own. */
export const sharedMemory: CheckMemory = new CheckMemory();

/**
 * Checks a PTX module as strictly as ptxas does, and reports every finding, up to 1,000 syntax errors and 1,000 other
 * findings. The contents of the text never cause an exception.
 *
 * @throws PtxlabError `unknown-target` or `unknown-version` if an option specifies a target or version that does not
 *   exist; `bad-option` for invalid options
 */
export function check(source: string, options: CheckOptions = {}): CheckReport {
  requireOptions(options, judgeRules, 'check');
  requireText(source, 'the text of a module');
  return run(source, options, sharedMemory, false).report;
}

/** Like `check`, but parses all lines, even those whose shape is known. */
export function checkEveryLine(source: string): CheckReport {
  return run(source, {}, sharedMemory, false, null).report;
}

/**
 * Checks a module and keeps what is needed to run it. If the only mistake in the module is a `.version` that is too
 * low, the module is checked against the rules of the lowest version that accepts it. The errors are then reported as
 * warnings, and `environment` contains that version. If the caller specifies a version, only that version is used.
 */
export function loadModule(source: string, options: CheckOptions = {}): LoadedModule {
  const asWritten = loadAs(source, options);
  const version = versionMissing(asWritten.report);
  if (version === null || options.version !== undefined || options.isa !== undefined) return asWritten;
  const raised = loadAs(source, { ...options, version });
  if (raised.module === null) return asWritten;
  const diagnostics = asWritten.report.diagnostics.map(
    (found): Diagnostic => (found.severity === 'error' ? { ...found, severity: 'warning' } : found),
  );
  return { module: raised.module, report: { ...raised.report, diagnostics } };
}

/** Whether a finding reports that the module's `.version` is too low for an instruction, or for the target. */
export function isLowVersion({ code }: Diagnostic): boolean {
  return code === 'PTX4001' || code === 'PTX4013';
}

/** The lowest version that accepts the module if all its errors report that the version is too low; null otherwise. */
function versionMissing({ diagnostics, requirements }: CheckReport): VersionName | null {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const isVersionOnly = errors.length > 0 && errors.every(isLowVersion);
  return isVersionOnly ? requirements.minimumVersion : null;
}

/**
 * If a module has at least this many characters, lines of known shape are skipped while it is loaded, and the functions
 * that are launched are parsed later. Shorter modules load faster if all their lines are parsed up front.
 */
const longModule = 65_536;

function loadAs(source: string, options: CheckOptions): LoadedModule {
  const shapes = source.length < longModule ? null : sharedMemory.lineShapes;
  const { report, checker, environment } = run(source, options, sharedMemory, true, shapes);
  const wrong = report.diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  const { functions, aliases, variables, sections, files, requirements } = checker;
  if (wrong || functions === null) return { report, module: null };
  const text = new SourceText(source);
  const variants = [...requirements.verdicts].flatMap(({ variant }) => variant ?? []);
  return { report, module: { source, text, functions, aliases, variables, files, sections, variants, environment } };
}

interface Run {
  readonly report: CheckReport;
  readonly checker: ModuleChecker;
  readonly environment: ModuleEnvironment;
}

function run(
  source: string,
  options: CheckOptions,
  memory: CheckMemory,
  keep: boolean,
  shapes: LineShapes | null = memory.lineShapes,
): Run {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic);
  };
  memory.begin();
  const cap = new ErrorCap(report);
  const header = new Header(readJudgeOptions(options), cap.report);
  const checker = new ModuleChecker({ source, report: cap.report, countsOnly: cap.countsOnly, memory, header, keep });
  for (const item of parseItems(source, report, shapes)) checker.checkItem(item);
  const environment = checker.finish();
  cap.finish();
  diagnostics.sort((a, b) => a.span.start - b.span.start);
  const requirements = requirementsOf(checker.requirements.rows, checker.uncheckedOpcodes, environment);
  return { report: { diagnostics, requirements }, checker, environment };
}

/** The versions and targets that would accept a module with these features. */
export function requirementsOf(
  rows: ReadonlySet<AvailabilityRow>,
  unchecked: Iterable<string>,
  { version, target }: ModuleEnvironment,
): Requirements {
  const accepted = acceptance(rows);
  return {
    version: versionName(version),
    target: target.name,
    minimumVersion: accepted.find((other) => other.target === target.name)?.since ?? null,
    targets: accepted,
    unchecked: [...unchecked],
  };
}
