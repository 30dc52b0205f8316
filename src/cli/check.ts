/** `ptxlab check`: checks modules and writes the findings in the requested format. */
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { ok, type Result } from '../base/result.ts';
import { SourceText } from '../base/source-text.ts';
import type { SourcePlace } from '../base/source-place.ts';
import { check } from '../check/check.ts';
import { type Settings, withSettings } from '../check/settings.ts';
import { SourceMarks } from '../check/source-marks.ts';
import type { FileReport } from '../diagnostics/renderers/file-report.ts';
import { renderGithub } from '../diagnostics/renderers/github.ts';
import { renderJUnit } from '../diagnostics/renderers/junit.ts';
import { renderPretty } from '../diagnostics/renderers/pretty.ts';
import { renderPtxas } from '../diagnostics/renderers/ptxas.ts';
import { renderSarif } from '../diagnostics/renderers/sarif.ts';
import { checkEmbedded, enclosingLanguage } from '../embedded/check-embedded.ts';
import { Baseline, baselineText, type FindingPlace } from './check/baseline.ts';
import { checkBatch } from './check/batch.ts';
import { filesIn } from './check/files-in.ts';
import { junitSuites } from './check/junit-suites.ts';
import { isAccepted, type Judged, jsonRecord, mergeAll, withWarningsAsErrors } from './check/report.ts';
import { summarize } from './check/summary.ts';
import type { TargetName, VersionName } from '../isa/targets.ts';
import { type ExitCode, UsageError, worse } from './exit.ts';
import { displayName, readInput, streamInput } from './io.ts';
import { plural } from './number-text.ts';
import { type JudgeFlags, readIsa, readTarget, readTargets } from './options.ts';
import { write, writeJson } from './output.ts';
import type { Session } from './session.ts';
import { validSettingsAbove } from './settings-file.ts';
import { columnsOf, styleFor } from './style.ts';
import { packageVersion } from './version.ts';

export type CheckFormat = 'pretty' | 'ptxas' | 'json' | 'sarif' | 'github' | 'junit';

export interface CheckFlags extends JudgeFlags {
  readonly format: CheckFormat;
  /** `-Werror`. */
  readonly W?: 'error';
  readonly all?: boolean;
  readonly batch?: boolean;
  readonly stdinName?: string;
  readonly source?: boolean;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
}

export async function checkCommand(files: readonly string[], flags: CheckFlags, session: Session): Promise<ExitCode> {
  const { stderr } = session;
  const isa = readIsa(flags.isa);
  if (flags.batch === true) return runBatch(files, flags, isa, session);
  if (files.length === 0) throw new UsageError('check needs a file or folder, or - for stdin');
  const names = flags.target === undefined ? [undefined] : readTargets(flags.target);
  const baseline = await baselineOf(flags, session);
  const judged: Judged[] = [];
  const places: FindingPlace[] = [];
  let exit: ExitCode = 0;
  session.expectShortRun?.();
  for await (const { file, text } of inputsOf(files, session)) {
    if (!text.ok) {
      await write(stderr, `ptxlab: ${text.error}\n`);
      exit = 2;
      continue;
    }
    const source = new SourceText(text.value, nameOf(file, flags));
    const settings = validSettingsAbove(file === '-' ? (flags.stdinName ?? 'stdin') : file);
    const reports = names.map((target) => {
      const one = judge(source, { target, isa, settings }, flags.W === 'error');
      const place = { ...one, file: baselineName(file, flags) };
      places.push(place);
      return baseline === null ? one : { source, report: { ...one.report, diagnostics: baseline.newFindings(place) } };
    });
    if (flags.updateBaseline === true) continue;
    exit = worse(exit, reports.some(({ report }) => !isAccepted(report)) ? 1 : 0);
    session.expectExit?.(exit);
    await writeFindings(reports, flags, session);
    if (flags.quiet !== true) await write(stderr, summarize(reports, columnsOf(stderr)));
    judged.push(...reports);
  }
  if (flags.updateBaseline === true) return exit === 0 ? updateBaseline(places, flags, session) : exit;
  await writeEnd(judged, flags, session);
  return exit;
}

/** Reads the files one after the other. If a path is a folder, reads all modules in it. */
async function* inputsOf(
  paths: readonly string[],
  session: Session,
): AsyncGenerator<{ readonly file: string; readonly text: Result<string, string> }> {
  for (const path of paths) {
    const files = path === '-' ? ok([path]) : await filesIn(path);
    if (!files.ok) yield { file: path, text: files };
    else for (const file of files.value) yield { file, text: await readInput(file, session) };
  }
}

/** Writes the findings of all files together, if the format combines them in one document. */
export async function writeEnd(judged: readonly Judged[], flags: CheckFlags, { stdout }: Session): Promise<void> {
  if (flags.format === 'json') await writeJson(stdout, recordsOf(judged, flags));
  if (flags.format === 'sarif') {
    const reports = mergeAll(judged).map((report) => placed(report, flags));
    await write(stdout, renderSarif(reports, packageVersion()));
  }
  if (flags.format === 'junit') await write(stdout, renderJUnit(junitSuites(mergeAll(judged))));
}

/**
 * The findings that the baseline accepts; null if the flags do not specify a baseline, or if the baseline is to be
 * replaced.
 */
async function baselineOf(
  { baseline, updateBaseline: replaces }: CheckFlags,
  session: Session,
): Promise<Baseline | null> {
  if (baseline === undefined) {
    if (replaces === true) throw new UsageError('--update-baseline needs --baseline FILE');
    return null;
  }
  if (replaces === true) {
    if (existsSync(baseline)) await requireReplaceable(baseline, session);
    return null;
  }
  const text = await readInput(baseline, session);
  if (!text.ok) throw new UsageError(`${text.error}; --update-baseline writes it`);
  return new Baseline(text.value, displayName(baseline));
}

/** Throws a UsageError unless the file is empty or contains a baseline. */
async function requireReplaceable(path: string, session: Session): Promise<void> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  if (text.value.trim() !== '') void new Baseline(text.value, displayName(path));
}

/**
 * The path of a file relative to the folder of the baseline, so that the result does not depend on the working
 * directory.
 */
function baselineName(file: string, flags: CheckFlags): string {
  if (file === '-' || flags.baseline === undefined) return nameOf(file, flags);
  return relative(dirname(resolve(flags.baseline)), resolve(file)).replaceAll('\\', '/');
}

async function updateBaseline(
  places: readonly FindingPlace[],
  { baseline = '', quiet }: CheckFlags,
  { stderr }: Session,
): Promise<ExitCode> {
  const { writeFiles } = await import('../hosts/node-output.ts');
  await writeFiles([{ path: baseline, bytes: new TextEncoder().encode(baselineText(places)) }], true);
  const count = places.reduce((sum, { report }) => sum + report.diagnostics.length, 0);
  if (quiet !== true) await write(stderr, `${baseline}: accepts ${plural(count, 'finding')}\n`);
  return 0;
}

async function runBatch(
  files: readonly string[],
  flags: CheckFlags,
  isa: VersionName | undefined,
  session: Session,
): Promise<ExitCode> {
  if (files.length > 1) throw new UsageError('check --batch takes its requests from a single file');
  const [file = '-'] = files;
  return checkBatch(streamInput(file, session), session.stdout, {
    target: readTarget(flags.target),
    isa,
    warningsAreErrors: flags.W === 'error',
    settings: validSettingsAbove(file === '-' ? 'stdin' : file),
  });
}

export interface Judgment {
  readonly target: TargetName | undefined;
  readonly isa: VersionName | undefined;
  readonly settings: Settings;
}

/** Checks a module and returns the report. If `warningsAreErrors` is true, warnings are treated as errors. */
export function judge(source: SourceText, { target, isa, settings }: Judgment, warningsAreErrors: boolean): Judged {
  const options = {
    ...settings.options,
    ...(target === undefined ? {} : { target }),
    ...(isa === undefined ? {} : { isa }),
  };
  const language = enclosingLanguage(source.name);
  const checked = language === null ? check(source.text, options) : checkEmbedded(source.text, language, options);
  const report = { ...checked, diagnostics: withSettings(checked.diagnostics, source.text, settings) };
  return { source, report: warningsAreErrors ? withWarningsAsErrors(report) : report };
}

function nameOf(file: string, { stdinName }: CheckFlags): string {
  return file === '-' && stdinName !== undefined ? stdinName : displayName(file);
}

function placesIn({ text }: SourceText): (offset: number) => SourcePlace | null {
  const map = new SourceMarks(text);
  return (offset) => map.at(offset);
}

function placed(report: FileReport, { source }: CheckFlags): FileReport {
  return source === true ? { ...report, placeOf: placesIn(report.source) } : report;
}

function recordsOf(judged: readonly Judged[], { source }: CheckFlags): readonly object[] {
  return judged.map((one) => jsonRecord(one, source === true ? placesIn(one.source) : null));
}

/** Writes the findings of one file, unless the format combines the findings of all files in one document. */
export async function writeFindings(
  reports: readonly Judged[],
  flags: CheckFlags,
  { stdout, env }: Session,
): Promise<void> {
  const [found] = mergeAll(reports);
  if (found === undefined) return;
  const merged = placed(found, flags);
  switch (flags.format) {
    case 'pretty': {
      const style = await styleFor(flags.color, stdout, env);
      const repeats = flags.all === true ? Number.POSITIVE_INFINITY : 3;
      return write(stdout, renderPretty(merged, { style, width: columnsOf(stdout), repeats }));
    }
    case 'ptxas':
      return write(stdout, renderPtxas(merged));
    case 'github':
      return write(stdout, renderGithub(merged));
    case 'json':
    case 'sarif':
    case 'junit':
      return;
  }
}
