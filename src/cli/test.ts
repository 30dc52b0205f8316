/** `ptxlab test`: runs kernels on given inputs and compares their results with expected ones. */
import { watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ExitCode, UsageError } from './exit.ts';
import type { CommonFlags } from './options.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import type { TestFormat } from './test/render.ts';
import { exitOf, reportText } from './test/report.ts';
import { type CaseResult, runCase } from './test/run-case.ts';
import { findSuites, readSuite, type TestCase } from './test/suite.ts';

export interface TestFlags extends CommonFlags {
  readonly format: TestFormat;
  readonly filter?: string;
  readonly update?: boolean;
  readonly watch?: boolean;
}

export async function testCommand(paths: readonly string[], flags: TestFlags, session: Session): Promise<ExitCode> {
  const places = paths.length === 0 ? ['.'] : paths;
  if (flags.watch !== true) return runCases(await casesIn(places, flags, session), flags, session);
  return session.interruptible((signal) => runAtChanges(places, flags, session, signal));
}

async function casesIn(
  paths: readonly string[],
  { filter }: TestFlags,
  session: Session,
): Promise<readonly TestCase[]> {
  const cases: TestCase[] = [];
  for (const suite of await findSuites(paths)) cases.push(...(await readSuite(suite, filter, session)));
  if (cases.length === 0) throw new UsageError(`no test matches '${filter}'`);
  return cases;
}

async function runCases(cases: readonly TestCase[], flags: TestFlags, session: Session): Promise<ExitCode> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runCase(one, flags.update === true, session));
  const exit = exitOf(results);
  session.expectExit?.(exit);
  await write(session.stdout, await reportText(results, flags, session));
  return exit;
}

/**
 * The number of milliseconds between a change and the start of the tests. The delay is needed because editors write a
 * file in several steps.
 */
const pause = 100;

/**
 * Runs the tests until the session is interrupted. The folders that contain the suites or the modules under test are
 * watched, including their subfolders: whenever something changes there, the tests run again.
 */
async function runAtChanges(
  paths: readonly string[],
  flags: TestFlags,
  session: Session,
  signal: AbortSignal,
): Promise<ExitCode> {
  const folders = new Set((await findSuites(paths)).map((path) => dirname(path)));
  for (;;) {
    // Watching begins before the tests run, so that a change during the run is not missed.
    let changed = nextChange(folders, signal);
    const exit = await runOnce(paths, flags, session, (cases) => {
      const before = folders.size;
      for (const { folder, test } of cases) if (test.ptx !== undefined) folders.add(dirname(resolve(folder, test.ptx)));
      if (folders.size > before) changed = Promise.race([changed, nextChange(folders, signal)]);
    });
    await changed;
    if (signal.aborted) return exit;
    await new Promise((done) => {
      setTimeout(done, pause);
    });
  }
}

/**
 * Runs the tests once. A mistake in a suite is reported instead of thrown, so that watching continues and the user can
 * correct the mistake.
 */
async function runOnce(
  paths: readonly string[],
  flags: TestFlags,
  session: Session,
  found: (cases: readonly TestCase[]) => void,
): Promise<ExitCode> {
  try {
    const cases = await casesIn(paths, flags, session);
    found(cases);
    return await runCases(cases, flags, session);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await write(session.stderr, `ptxlab: ${error.message}\n`);
    return 2;
  }
}

/** Resolves when something changes in one of these folders or their subfolders, or when the signal aborts. */
function nextChange(folders: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const watchers = [...folders].map((folder) => watch(folder, { recursive: true }, () => done()));
    const done = (): void => {
      signal.removeEventListener('abort', done);
      for (const watcher of watchers) watcher.close();
      settle();
    };
    signal.addEventListener('abort', done, { once: true });
  });
}
