/** Prepares a plan for running suites of kernel tests on several machines. */
import { stat } from 'node:fs/promises';
import type { Session } from '../session.ts';
import { findSuites, readSuite, type TestCase } from '../test/suite.ts';
import { UsageError } from '../exit.ts';
import { hashInput } from './inputs.ts';
import type { Draft, InputFile } from './manifest.ts';
import { expectedFilesOf, inputFilesOf } from '../test/files.ts';
import type { PlannedSuite, TestChoice } from './what.ts';

/**
 * @param paths suites and folders, as for `test`
 * @param folder the plan's folder
 */
export async function draftTest(
  paths: readonly string[],
  { format, filter }: TestChoice,
  folder: string,
  session: Session,
): Promise<Draft> {
  const names = await findSuites(paths.length === 0 ? ['.'] : paths);
  const suites: PlannedSuite[] = [];
  const cases: TestCase[] = [];
  for (const name of names) {
    const found = await readSuite(name, filter, session);
    suites.push({ name, cases: found.length });
    cases.push(...found);
  }
  if (cases.length === 0) throw new UsageError(`no test matches '${filter}'`);
  const files = new Set(cases.flatMap((one) => [...inputFilesOf(one), ...expectedFilesOf(one)]));
  const inputs: InputFile[] = [];
  for (const name of names) inputs.push(await hashInput(folder, name, false));
  for (const file of files) if (await isFile(file)) inputs.push(await hashInput(folder, file, false));
  const room = Math.max(...cases.map(({ test }) => test.memory ?? 0), 2 ** 28);
  return {
    gpus: [...new Set(cases.flatMap(({ gpu }) => gpu ?? []))],
    inputs,
    weights: cases.map(() => 1),
    leastShard: null,
    files: new Map(),
    cut: () =>
      Promise.resolve({
        what: { command: 'test', choice: { format, ...(filter === undefined ? {} : { filter }) }, suites },
        task: { cpus: 1, memoryBytes: 2 ** 28 + room, diskBytes: 2 ** 20 },
      }),
  };
}

/** If a file is missing, only the test that refers to it fails. */
function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
