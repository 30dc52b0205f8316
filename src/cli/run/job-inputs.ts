/** Reads the arguments, buffers and variables of a job. Error messages begin with the path inside the job file. */
import { memberPath } from '../../base/rules.ts';
import { UsageError } from '../exit.ts';
import { bufferSize, fileBuffer, filePart, listBuffer, readAll, type RunInput } from './inputs.ts';
import type { JobArgument, JobContents } from './job-rules.ts';
import { hexBytes, isScalarType, scalarBytes } from './values.ts';

export interface JobPlace {
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Maximum number of bytes in a buffer. */
  readonly room: number;
}

/** Runs `read`; its error messages then include the path in the job. */
export async function placed<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Reads the arguments of a launch, listed at `path`; their buffers together must fit into the device's memory. */
export function readJobArguments(
  args: readonly JobArgument[],
  path: string,
  place: JobPlace,
): Promise<readonly RunInput[]> {
  return readAll(args, place.room, (argument, i, room) => readArgument(argument, `${path}[${i}]`, { ...place, room }));
}

/** Contents of buffers or variables, by name. */
export async function readJobContents(
  contents: Readonly<Record<string, JobContents>>,
  path: string,
  place: JobPlace,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const [name, source] of Object.entries(contents)) {
    const input = await readContents(source, memberPath(path, name), place);
    if (input.kind === 'buffer') found.set(name, input.bytes);
  }
  return found;
}

function readArgument(argument: JobArgument, path: string, place: JobPlace): Promise<RunInput> {
  const [key, ...others] = keysOf(argument);
  if (key === undefined || others.length > 0)
    throw new UsageError(`${path}: must have exactly one key: buffer, bytes or a basic type (u32, f32, b64 …)`);
  const { buffer, bytes } = argument;
  if (typeof buffer === 'string') return Promise.resolve({ kind: 'named', name: buffer });
  if (buffer !== undefined) return readContents(buffer, `${path}.buffer`, place);
  return placed(`${path}.${key}`, () => {
    return { kind: 'bytes', bytes: bytes === undefined ? scalarBytes(key, argument[key]) : hexBytes(bytes) };
  });
}

function readContents(source: JobContents, path: string, place: JobPlace): Promise<RunInput> {
  const { folder, room } = place;
  const keys = keysOf(source).filter((key) => key !== 'bytes');
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const words = "must be a buffer of 'hex', 'zeros', 'file' or a list such as {\"f32\": [1, 2]}";
    throw new UsageError(`${path}: ${words}`);
  }
  const { hex, zeros, file, bytes } = source;
  if (bytes !== undefined && file === undefined) throw new UsageError(`${path}.bytes: belongs only to a file`);
  return placed(`${path}.${key}`, () => {
    if (hex !== undefined) return { kind: 'buffer', bytes: hexBytes(hex), element: null };
    if (zeros !== undefined) return { kind: 'buffer', bytes: new Uint8Array(bufferSize(zeros, room)), element: null };
    if (file === undefined) return listOf(source, key);
    return bytes === undefined ? fileBuffer(file, folder, room) : filePart(file, folder, bufferSize(bytes, room));
  });
}

function listOf(source: JobContents, type: string): RunInput {
  const values: unknown = source[type];
  if (!isScalarType(type) || !Array.isArray(values)) throw new Error(`${type} is not a list of scalars`);
  return listBuffer(type, values);
}

function keysOf(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [key]));
}
