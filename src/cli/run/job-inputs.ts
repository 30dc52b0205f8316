/**
 * Reads the arguments, buffers and variables of a job. Error messages begin with the path that leads to the value in
 * the job file, such as `args[0].buffer`.
 */
import { memberPath } from '../../base/rules.ts';
import { UsageError } from '../exit.ts';
import { elementOf, generate } from './generated.ts';
import {
  type BufferContents,
  type BufferInput,
  bufferSize,
  fileBuffer,
  filePart,
  listBuffer,
  readAll,
  type RunInput,
  type HandleInput,
  type PartInput,
} from './inputs.ts';
import type { JobArgument, JobContents, JobHandle, JobStruct, JobStructPart } from './job-rules.ts';
import { hexBytes, isScalarType, scalarBytes } from './values.ts';

export interface JobPlace {
  /** Relative file paths are resolved against this folder. */
  readonly folder: string;
  /** Maximum number of bytes in a buffer. */
  readonly room: number;
}

/** Calls `read`, and adds the path in the job to its error messages. */
export async function placed<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * Reads the arguments of a launch, which the job lists at `path`. Together, the buffers must fit in the device's
 * memory.
 */
export function readJobArguments(
  args: readonly JobArgument[],
  path: string,
  place: JobPlace,
): Promise<readonly RunInput[]> {
  return readAll(args, place.room, (argument, i, room) => readArgument(argument, `${path}[${i}]`, { ...place, room }));
}

/** Reads the contents of several buffers or variables, which are keyed by their names. */
export async function readJobContents(
  contents: Readonly<Record<string, JobContents>>,
  path: string,
  place: JobPlace,
): Promise<ReadonlyMap<string, BufferContents>> {
  const found = new Map<string, BufferContents>();
  for (const [name, source] of Object.entries(contents)) {
    found.set(name, await readContents(source, memberPath(path, name), place));
  }
  return found;
}

function readArgument(argument: JobArgument, path: string, place: JobPlace): Promise<RunInput> {
  const key = onlyKey(argument, path, ': buffer, bytes, shared, tensorMap, struct, texture, surface, sampler');
  const { buffer, shared, struct } = argument;
  if (typeof buffer === 'object') return readContents(buffer, `${path}.buffer`, place);
  if (shared !== undefined) return Promise.resolve({ kind: 'shared', bytes: shared });
  if (struct !== undefined) return structInput(struct, `${path}.struct`);
  const handle = handleIn(argument);
  return handle === null ? plainInput(argument, key, path) : Promise.resolve(handle);
}

/** The only key of an argument. `keys` names the possible ones, apart from the types. */
function onlyKey(argument: object, path: string, keys: string): string {
  const [key, ...others] = givenKeys(argument);
  if (key !== undefined && others.length === 0) return key;
  throw new UsageError(`${path}: must have exactly one key${keys} or a basic type (u32, f32, b64 …)`);
}

/** An argument that can also be a part of a structure. */
async function plainInput(
  argument: JobArgument | JobStructPart,
  key: string,
  path: string,
): Promise<PartInput['input']> {
  const { buffer, bytes, tensorMap } = argument;
  if (typeof buffer === 'string') return { kind: 'named', name: buffer };
  if (tensorMap !== undefined) return { kind: 'tensor map', map: tensorMap };
  const read = (): Uint8Array => (bytes === undefined ? scalarBytes(key, argument[key]) : hexBytes(bytes));
  return { kind: 'bytes', bytes: await placed(`${path}.${key}`, read) };
}

async function structInput({ bytes = 0, parts = [] }: JobStruct, path: string): Promise<RunInput> {
  const whole =
    typeof bytes === 'number' ? new Uint8Array(bytes) : await placed(`${path}.bytes`, () => hexBytes(bytes));
  const read = parts.map((part, i) => partInput(part, `${path}.parts[${i}]`));
  return { kind: 'struct', whole, parts: await Promise.all(read) };
}

async function partInput({ at, ...part }: JobStructPart, path: string): Promise<PartInput> {
  if (at === undefined) throw new UsageError(`${path}.at: is missing`);
  const key = onlyKey(part, path, ' beside at: buffer, bytes, tensorMap');
  return { at, input: await plainInput(part, key, path) };
}

function handleIn({ texture, surface, sampler }: JobHandle): HandleInput | null {
  if (texture !== undefined) return { kind: 'texture', texture };
  if (surface !== undefined) return { kind: 'surface', surface };
  return sampler === undefined ? null : { kind: 'sampler', sampler };
}

/** Reads the textures, surfaces and samplers that variables are bound to, keyed by the names of the variables. */
export function readJobBindings(
  bind: Readonly<Record<string, JobHandle>>,
  path: string,
): ReadonlyMap<string, HandleInput> {
  return new Map(
    Object.entries(bind).map(([name, given]) => {
      const handle = givenKeys(given).length === 1 ? handleIn(given) : null;
      if (handle === null)
        throw new UsageError(`${memberPath(path, name)}: must have exactly one key: texture, surface or sampler`);
      return [name, handle] as const;
    }),
  );
}

/** Reads the contents of one buffer or variable, described at `path`. */
export function readContents(source: JobContents, path: string, place: JobPlace): Promise<BufferInput> {
  const { folder, room } = place;
  const keys = givenKeys(source).filter((key) => key !== 'bytes');
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const words = "must be a buffer of 'hex', 'zeros', 'file', 'ramp' … or a list such as {\"f32\": [1, 2]}";
    throw new UsageError(`${path}: ${words}`);
  }
  const { hex, zeros, file, bytes } = source;
  if (bytes !== undefined && file === undefined)
    throw new UsageError(`${path}.bytes: can only be used together with 'file'`);
  return placed(`${path}.${key}`, () => {
    if (hex !== undefined) return { kind: 'buffer', bytes: hexBytes(hex), element: null };
    if (zeros !== undefined) return { kind: 'buffer', bytes: new Uint8Array(bufferSize(zeros, room)), element: null };
    if (file === undefined) return made(source, key, room);
    return bytes === undefined ? fileBuffer(file, folder, room) : filePart(file, folder, bufferSize(bytes, room));
  });
}

/** Contents that are either generated or taken from a list. */
function made(source: JobContents, type: string, room: number): BufferInput {
  const generated = generate(source, room);
  if (generated !== null) return { kind: 'buffer', bytes: generated.bytes, element: elementOf(generated) };
  const values = source[type];
  if (!isScalarType(type) || !Array.isArray(values)) throw new Error(`${type} is not a list of scalars`);
  return listBuffer(type, values);
}

/** The keys of the members that are not undefined. */
function givenKeys(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [key]));
}
