/** Prepares a plan for running suites of kernel tests on several machines. */
import { stat } from 'node:fs/promises';
import type { Session } from '../session.ts';
import { findSuites, readSuite, type TestCase } from '../test/suite.ts';
import { defaultMemorySize } from '../../device.ts';
import { TensorFileError } from '../../tensors/tensor-error.ts';
import { UsageError } from '../exit.ts';
import { readJobContents } from '../run/job-inputs.ts';
import { hashInput } from './inputs.ts';
import type { Draft, InputFile } from './manifest.ts';
import { filesOf } from '../test/files.ts';
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
  const files = new Set(cases.flatMap(filesOf));
  const inputs: InputFile[] = [];
  for (const name of names) inputs.push(await hashInput(folder, name, false));
  for (const file of files) if (await isFile(file)) inputs.push(await hashInput(folder, file, false));
  const memoryBytes = await memoryOf(cases);
  return {
    gpus: [...new Set(cases.flatMap(({ gpu }) => gpu ?? []))],
    inputs,
    weights: cases.map(() => 1),
    leastShard: null,
    files: new Map(),
    cut: () =>
      Promise.resolve({
        what: { command: 'test', choice: { format, ...(filter === undefined ? {} : { filter }) }, suites },
        task: { cpus: 1, memoryBytes, diskBytes: 2 ** 20 },
      }),
  };
}

/** The memory that ptxlab itself needs, in bytes. At least the same amount is reserved for each test. */
const ownMemory = 2 ** 28;

/**
 * The memory that a task needs, in bytes. A test needs up to four copies of each buffer: the contents before the
 * launches, the buffer on the device, the contents after the launches, and the expected contents.
 */
async function memoryOf(cases: readonly TestCase[]): Promise<number> {
  // A test that runs for several GPUs or targets uses the same buffers each time.
  const different = new Map(cases.map((one) => [one.test, one])).values();
  let most = ownMemory;
  for (const one of different) most = Math.max(most, 4 * (await bufferBytes(one)));
  return ownMemory + most;
}

/** The total size of the buffers of a test; 0 if they cannot be read, in which case only that test fails. */
async function bufferBytes({ test, folder }: TestCase): Promise<number> {
  const { buffers = {}, args = [], launches = [], memory } = test;
  const own = [...args, ...launches.flatMap((launch) => launch.args ?? [])].flatMap(({ buffer }) =>
    buffer === undefined || typeof buffer === 'string' ? [] : [buffer],
  );
  try {
    const place = { folder, room: memory ?? defaultMemorySize };
    const read = await readJobContents({ ...buffers, ...Object.fromEntries(own.entries()) }, 'buffers', place);
    return [...read.values()].reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  } catch (error) {
    if (error instanceof UsageError || error instanceof TensorFileError) return 0;
    throw error;
  }
}

/** If a file is missing, only the test that refers to it fails. */
function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
