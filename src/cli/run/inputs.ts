/**
 * Parses the arguments of a kernel, which are given by `--arg` flags or by the key `args` of a job. Buffers are read
 * with their contents, and scalars are converted to bytes.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readNpy } from '../../tensors/npy/npy.ts';
import type { SamplerOptions } from '../../device.ts';
import { UsageError } from '../exit.ts';
import { fileTrouble } from '../../hosts/file-errors.ts';
import type { JobSurface, JobTensorMap, JobTexture } from './job-rules.ts';
import { type ElementType, hexBytes, isScalarType, likelyType, npyTypeOf, scalarBytes, unknownType } from './values.ts';

/** The bytes of a buffer. `element` determines how the bytes are printed and how they are written to files. */
export interface BufferContents {
  readonly bytes: Uint8Array;
  readonly element: ElementType | null;
}

export interface BufferInput extends BufferContents {
  readonly kind: 'buffer';
}

/** A texture, surface or sampler. */
export type HandleInput = Extract<RunInput, { readonly kind: 'texture' | 'surface' | 'sampler' }>;

/** A part of a structure, which starts at the offset `at`. */
export interface PartInput {
  readonly at: number;
  readonly input: Extract<RunInput, { readonly kind: 'named' | 'bytes' | 'tensor map' }>;
}

export type RunInput =
  /** A buffer that belongs to the launch, with its contents before the launch. */
  | BufferInput
  /** A buffer that several launches share, identified by its name in the job. */
  | { readonly kind: 'named'; readonly name: string }
  /** The bytes of a parameter. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A tensor map; see `JobTensorMap`. */
  | { readonly kind: 'tensor map'; readonly map: JobTensorMap }
  /** A texture or surface; see `JobTexture`. */
  | { readonly kind: 'texture'; readonly texture: JobTexture }
  | { readonly kind: 'surface'; readonly surface: JobSurface }
  | { readonly kind: 'sampler'; readonly sampler: SamplerOptions }
  /** A structure, with its parts at their offsets. */
  | { readonly kind: 'struct'; readonly whole: Uint8Array; readonly parts: readonly PartInput[] }
  /** A part of the block's shared memory, with this number of bytes. */
  | { readonly kind: 'shared'; readonly bytes: number }
  /** A number without a type, which is converted to the type of the parameter. */
  | { readonly kind: 'number'; readonly value: number | bigint };

/** Reads arguments in order. Together, the buffers must not be larger than `room` bytes. */
export async function readAll<T>(
  args: readonly T[],
  room: number,
  read: (argument: T, index: number, room: number) => Promise<RunInput>,
): Promise<readonly RunInput[]> {
  const inputs: RunInput[] = [];
  let left = room;
  for (const [i, argument] of args.entries()) {
    const input = await read(argument, i, left);
    if (input.kind === 'buffer') left -= input.bytes.byteLength;
    inputs.push(input);
  }
  return inputs;
}

/**
 * Reads one argument. `5` and `1.5` are scalars of the parameter's own type, and `u32:5` is a scalar of the given type.
 * `f32[]:1,2,3` is a buffer with these values, and `hex:…` is a buffer with these bytes. `zeros:4096` and
 * `zeros:f32[32,32]` are buffers of zeros. `file:raw.bin` and `in.npy` are buffers with the contents of a file.
 * `file[4096]:/dev/urandom` is a buffer with that many bytes from a file, device or pipe. `shared:4096` is a part of
 * the block's shared memory. `bytes:…` sets the bytes of a parameter directly.
 *
 * @param room maximum number of bytes in a buffer
 */
export async function readArgument(text: string, room: number): Promise<RunInput> {
  const colon = text.indexOf(':');
  const head = colon < 0 ? '' : text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (isScalarType(head)) return { kind: 'bytes', bytes: scalarBytes(head, rest) };
  const list = /^(\w+)\[\]$/.exec(head)?.[1];
  if (list !== undefined && isScalarType(list)) return listBuffer(list, rest.split(','));
  const part = /^file\[(\d+)\]$/.exec(head)?.[1];
  if (part !== undefined) return filePart(rest, '.', bufferSize(Number(part), room));
  switch (head) {
    case 'zeros':
      return zeros(rest, room);
    case 'hex':
      return { kind: 'buffer', bytes: hexBytes(rest), element: null };
    case 'bytes':
      return { kind: 'bytes', bytes: hexBytes(rest) };
    case 'shared':
      return sharedPart(rest);
    case 'file':
      return fileBuffer(rest, '.', room);
    default:
      if (text.endsWith('.npy')) return fileBuffer(text, '.', room);
      if (likelyType(list ?? head) !== null) throw unknownType(list ?? head);
      if (/^-?\d+$/.test(text)) return { kind: 'number', value: BigInt(text) };
      if (text.trim() !== '' && !Number.isNaN(Number(text))) return { kind: 'number', value: Number(text) };
      throw new UsageError(
        `'${text}' is not an argument; write 5, 1.5, u32:5, f32[]:1,2, zeros:4096, hex:…, shared:4096, file:PATH or a .npy file`,
      );
  }
}

/** The path of the file from which an argument is read; null if the argument is not read from a file. */
export function fileOfArgument(text: string): string | null {
  const named = /^file(?:\[\d+\])?:(.*)$/s.exec(text)?.[1];
  if (named !== undefined) return named;
  return !text.includes(':') && text.endsWith('.npy') ? text : null;
}

export function listBuffer(type: string, values: readonly unknown[]): BufferInput {
  const parts = values.map((value) => scalarBytes(type, value));
  const size = parts[0]?.byteLength ?? 1;
  const bytes = new Uint8Array(size * parts.length);
  parts.forEach((part, i) => {
    bytes.set(part, i * size);
  });
  const npy = npyTypeOf(type);
  return { kind: 'buffer', bytes, element: npy === null ? null : { type: npy, shape: [parts.length] } };
}

function sharedPart(text: string): RunInput {
  if (!/^\s*\d+\s*$/.test(text)) throw new UsageError(`'shared:${text}' needs a number of bytes`);
  return { kind: 'shared', bytes: Number(text) };
}

/** A buffer of zeros, whose size is either a number of bytes or an element type with a shape, such as `f32[32,32]`. */
function zeros(text: string, room: number): RunInput {
  const [, type, extents] = /^(\w+)\[(\s*\d+(?:\s*,\s*\d+)*\s*)\]$/.exec(text) ?? [];
  if (type === undefined || extents === undefined) {
    const size = /^\s*-?\d+\s*$/.test(text) ? Number(text) : null;
    if (size === null)
      throw new UsageError(`'zeros:${text}' needs a number of bytes or a type and a shape, as in f32[32,32]`);
    return { kind: 'buffer', bytes: new Uint8Array(bufferSize(size, room)), element: null };
  }
  if (!isScalarType(type)) throw unknownType(type);
  const shape = extents.split(',').map(Number);
  const npy = npyTypeOf(type);
  const size = shape.reduce((product, extent) => product * extent, scalarBytes(type, 0).byteLength);
  const bytes = new Uint8Array(bufferSize(size, room));
  return { kind: 'buffer', bytes, element: npy === null ? null : { type: npy, shape } };
}

export function bufferSize(size: number, room: number): number {
  if (Number.isSafeInteger(size) && size >= 0 && size <= room) return size;
  if (size > room) throw new UsageError(`a buffer of ${size} bytes does not fit; the device has only ${room} left`);
  throw new UsageError(`the size of a buffer must be 0 or more bytes, not ${size}`);
}

/** The maximum length of the header of a `.npy` file. The header takes up no space in the device's memory. */
const longestHeader = 2 ** 16;

export async function fileBuffer(path: string, folder: string, room: number): Promise<BufferInput> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const file = await reading(path, folder, constants.O_NONBLOCK, async (handle) => {
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory())
      throw new UsageError(`${path}: not a regular file; file[BYTES]:${path} reads that many bytes from it`);
    if (found.size > room + longestHeader)
      throw new UsageError(`${path}: has ${found.size} bytes, but the device has only ${room} left`);
    return readBytes(handle, found.isDirectory() ? 1 : found.size, path);
  });
  if (!path.endsWith('.npy')) return { kind: 'buffer', bytes: file, element: null };
  const array = readNpy(file);
  if (!array.ok) throw new UsageError(`${path}: ${array.error}`);
  const { type, shape, bytes } = array.value;
  return { kind: 'buffer', bytes, element: { type, shape } };
}

/** The first bytes of a file, a device or a pipe. */
export async function filePart(path: string, folder: string, size: number): Promise<BufferInput> {
  const bytes = await reading(path, folder, 0, (handle) => readBytes(handle, size, path));
  return { kind: 'buffer', bytes, element: null };
}

async function reading(
  path: string,
  folder: string,
  flags: number,
  read: (handle: FileHandle) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    const handle = await open(resolve(folder, path), constants.O_RDONLY | flags);
    try {
      return await read(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${fileTrouble(error)}`);
  }
}

async function readBytes(handle: FileHandle, size: number, path: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(size - done, 2 ** 30));
    if (bytesRead === 0) throw new UsageError(`${path}: ends after ${done} of ${size} bytes`);
    done += bytesRead;
  }
  return bytes;
}
