/** The expected bytes of a buffer: from the suite, a file, a reference function or a command. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readNpy, writeNpy } from '../../tensors/npy/npy.ts';
import { UsageError } from '../exit.ts';
import { type BufferContents, listBuffer } from '../run/inputs.ts';
import { placed, readContents } from '../run/job-inputs.ts';
import type { Session } from '../session.ts';
import { contentsOf, typedArrayOf } from './typed-array.ts';
import { importFresh, type TestCase } from './suite.ts';
import { runSuiteCode } from './suite-code.ts';
import type { Expectation, Reference } from './suite-rules.ts';

/** The buffers of a test, with their contents before its launches. */
export type Inputs = ReadonlyMap<string, BufferContents>;

/**
 * The name of the file that contains the expected values, after `{gpu}` and `{target}` in it have been replaced; null
 * if the expectation does not refer to a file.
 */
export function fileOf({ file }: Expectation, { gpu, target }: TestCase): string | null {
  return file?.replaceAll('{gpu}', gpu ?? 'gpu').replaceAll('{target}', target ?? 'target') ?? null;
}

/** The test to which the expected results belong, and the session in which its code runs. */
export interface Expecting {
  readonly one: TestCase;
  readonly session: Pick<Session, 'stderr'>;
}

/**
 * Reads or computes the expected contents of a buffer. Error messages mention `path`, which is the path of the
 * expectation in the suite.
 */
export async function expectedContents(
  expectation: Expectation,
  path: string,
  inputs: Inputs,
  { one, session }: Expecting,
): Promise<BufferContents> {
  const { function: reference, command, type, tolerance: _, ...contents } = expectation;
  const given = [reference, command, ...Object.values(contents)].filter((source) => source !== undefined);
  if (given.length === 0) throw new UsageError(`${path}: needs contents, 'function' or 'command'`);
  if (reference !== undefined)
    return placed(`${path}.function`, () => fromFunction(reference, type, inputs, { one, session }));
  if (command !== undefined) return placed(`${path}.command`, () => fromCommand(command, inputs, one));
  const file = fileOf(expectation, one);
  return readContents({ ...contents, ...(file === null ? {} : { file }) }, path, {
    folder: one.folder,
    room: Number.MAX_SAFE_INTEGER,
  });
}

async function fromFunction(
  reference: string | Reference,
  type: string | undefined,
  inputs: Inputs,
  { one, session }: Expecting,
): Promise<BufferContents> {
  const compute = typeof reference === 'string' ? await functionNamed(reference, one.folder, session) : reference;
  const arrays = Object.fromEntries([...inputs].map(([name, contents]) => [name, typedArrayOf(contents)]));
  const context = { test: one.name, gpu: one.gpu, target: one.target };
  const made = await runSuiteCode(() => compute(arrays, context), session).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`threw ${String(error)}`, { cause: error });
  });
  if (ArrayBuffer.isView(made)) return contentsOf(made);
  if (!Array.isArray(made)) throw new UsageError('must return a typed array or a list of numbers');
  if (type === undefined) throw new UsageError("returned a list, so the expectation needs a 'type'");
  return listBuffer(type, made);
}

async function functionNamed(text: string, folder: string, session: Pick<Session, 'stderr'>): Promise<Reference> {
  const [, file = '', name = ''] = /^(.+)#([\w$]+)$/.exec(text) ?? [];
  if (file === '') throw new UsageError(`'${text}' is not FILE#NAME`);
  const found = new Map<string, unknown>(Object.entries(await importFresh(resolve(folder, file), session))).get(name);
  if (!isReference(found)) throw new UsageError(`${file} exports no function '${name}'`);
  return found;
}

function isReference(value: unknown): value is Reference {
  return typeof value === 'function';
}

/** How long a command may run, in milliseconds. */
const longest = 60_000;

async function fromCommand(command: readonly string[], inputs: Inputs, one: TestCase): Promise<BufferContents> {
  if (command.length === 0) throw new UsageError('needs the name of a program');
  const scratch = await mkdtemp(join(tmpdir(), 'ptxlab-test-'));
  try {
    const out = join(scratch, 'out.npy');
    const files = new Map([['out', out]]);
    for (const [name, { bytes, element }] of inputs) {
      if (!command.some((word) => word.includes(`{${name}}`))) continue;
      const file = join(scratch, `${files.size}.npy`);
      files.set(name, file);
      await writeFile(file, writeNpy({ ...(element ?? { type: 'u1', shape: [bytes.byteLength] }), bytes }));
    }
    const words = command.map((word) => word.replace(/\{(\w+)\}/g, (whole, name: string) => files.get(name) ?? whole));
    const [program = '', ...args] = words;
    await promisify(execFile)(program, args, { cwd: one.folder, timeout: longest, windowsHide: true }).catch(
      (error: unknown) => {
        throw new UsageError(`${program}: ${lastLine(error)}`, { cause: error });
      },
    );
    const array = readNpy(await readFile(out).catch(() => new Uint8Array()));
    if (!array.ok) throw new UsageError(`${program} wrote no .npy file to {out}: ${array.error}`);
    const { type, shape, bytes } = array.value;
    return { bytes, element: { type, shape } };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * The last line that a command wrote to stderr before it failed or, if there is no such line, the reason why it failed.
 */
function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr.split('\n').at(-1) || error.message;
}

/** The contents that `--update` writes to an expected file. */
export function fileContents(path: string, { bytes, element }: BufferContents): Uint8Array {
  if (!path.endsWith('.npy')) return bytes;
  return writeNpy({ ...(element ?? { type: 'u1', shape: [bytes.byteLength] }), bytes });
}
