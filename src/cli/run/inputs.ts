/** Parses `--arg` and a job's `args`: buffers with their contents, scalars as bytes. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { elementAt } from '../../base/element-at.ts';
import { itemSize, readNpy } from '../../tensors/npy/npy.ts';
import { UsageError } from '../exit.ts';
import { describeReadError, sizeLimit } from '../io.ts';
import { type ElementType, hexBytes, isScalarType, npyTypeOf, scalarBytes } from './values.ts';
import { isJsonObject } from '../json-object.ts';

export type RunInput =
  /** Its bytes before the launch; `element` says how to print and write them. */
  | { readonly kind: 'buffer'; readonly bytes: Uint8Array; readonly element: ElementType | null }
  /** The bytes of a parameter. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A number without a type: it gets the parameter's type. */
  | { readonly kind: 'number'; readonly value: number | bigint };

/** The largest buffer a run makes. */
const bufferLimit = 2 ** 30;

/**
 * `5` and `1.5` are scalars of the parameter's own type, `u32:5` one of a given type, `f32[]:1,2,3` a buffer of these values, `zeros:4096` or `zeros:f32[32,32]` one of zeros,
 * `hex:…` one of these bytes, `file:raw.bin` or `in.npy` one with a file's contents, `bytes:…` a raw parameter.
 */
export async function readArgument(text: string): Promise<RunInput> {
  const colon = text.indexOf(':');
  const head = colon < 0 ? '' : text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (isScalarType(head)) return { kind: 'bytes', bytes: scalarBytes(head, rest) };
  const list = /^(\w+)\[\]$/.exec(head)?.[1];
  if (list !== undefined && isScalarType(list)) return listBuffer(list, rest);
  switch (head) {
    case 'zeros':
      return zeros(rest);
    case 'hex':
      return { kind: 'buffer', bytes: hexBytes(rest), element: null };
    case 'bytes':
      return { kind: 'bytes', bytes: hexBytes(rest) };
    case 'file':
      return fileBuffer(rest, '.');
    default:
      if (text.endsWith('.npy')) return fileBuffer(text, '.');
      if (/^-?\d+$/.test(text)) return { kind: 'number', value: BigInt(text) };
      if (text.trim() !== '' && !Number.isNaN(Number(text))) return { kind: 'number', value: Number(text) };
      throw new UsageError(
        `'${text}' is not an argument; write 5, 1.5, u32:5, f32[]:1,2, zeros:4096, hex:…, file:PATH or a .npy file`,
      );
  }
}

/** The path of the file that an argument names; null if it names none. */
export function fileOfArgument(text: string): string | null {
  if (text.startsWith('file:')) return text.slice('file:'.length);
  return !text.includes(':') && text.endsWith('.npy') ? text : null;
}

function listBuffer(type: string, text: string): RunInput {
  const parts = text.split(',').map((part) => scalarBytes(type, part));
  const size = parts[0]?.byteLength ?? 1;
  const bytes = new Uint8Array(size * parts.length);
  parts.forEach((part, i) => {
    bytes.set(part, i * size);
  });
  const npy = npyTypeOf(type);
  return { kind: 'buffer', bytes, element: npy === null ? null : { type: npy, shape: [parts.length] } };
}

function zeros(text: string): RunInput {
  const typed = /^(\w+)\[([\d,\s]+)\]$/.exec(text);
  const npy = typed === null ? null : npyTypeOf(elementAt(typed, 1));
  if (typed === null || npy === null || !isScalarType(elementAt(typed, 1))) {
    return {
      kind: 'buffer',
      bytes: new Uint8Array(bufferSize(Number(text === '' ? Number.NaN : text))),
      element: null,
    };
  }
  const shape = elementAt(typed, 2).split(',').map(Number);
  const size = shape.reduce((product, extent) => product * extent, itemSize(npy));
  return { kind: 'buffer', bytes: new Uint8Array(bufferSize(size)), element: { type: npy, shape } };
}

function bufferSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0 && size <= bufferLimit) return size;
  throw new UsageError(`a buffer has 0 to ${bufferLimit} bytes, not ${size}`);
}

async function fileBuffer(path: string, folder: string): Promise<RunInput> {
  const full = resolve(folder, path);
  try {
    const { size } = await stat(full);
    if (size > sizeLimit)
      throw new UsageError(`${path}: larger than ${sizeLimit / 1024 / 1024} MiB, the limit for one input`);
    const file = new Uint8Array(await readFile(full));
    if (!path.endsWith('.npy')) return { kind: 'buffer', bytes: file, element: null };
    const array = readNpy(file);
    if (!array.ok) throw new UsageError(`${path}: ${array.error}`);
    const { type, shape, bytes } = array.value;
    return { kind: 'buffer', bytes, element: { type, shape } };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${describeReadError(error)}`);
  }
}

/** One entry of a job's `args`. `folder` is what relative paths start from. */
export async function readJobArgument(entry: unknown, index: number, folder: string): Promise<RunInput> {
  if (!isJsonObject(entry)) throw wrongArgument(index, 'is not an object');
  const found = Object.entries(entry);
  const [key, value] = found[0] ?? ['', undefined];
  if (found.length !== 1) throw wrongArgument(index, 'must have exactly one key');
  if (key === 'buffer') return jobBuffer(value, index, folder);
  if (key === 'bytes') return { kind: 'bytes', bytes: hexBytes(requireText(value, index, 'bytes')) };
  if (isScalarType(key)) return { kind: 'bytes', bytes: scalarBytes(key, value) };
  throw wrongArgument(index, `has key '${key}'; allowed are buffer, bytes, and the basic types (u32, f32, b64 …)`);
}

async function jobBuffer(value: unknown, index: number, folder: string): Promise<RunInput> {
  const source = isJsonObject(value) ? value : {};
  const { hex, zeros: size, file } = source;
  if (hex !== undefined) return { kind: 'buffer', bytes: hexBytes(requireText(hex, index, 'hex')), element: null };
  if (file !== undefined) return fileBuffer(requireText(file, index, 'file'), folder);
  if (typeof size === 'number') return { kind: 'buffer', bytes: new Uint8Array(bufferSize(size)), element: null };
  throw wrongArgument(index, "must be a buffer of 'hex', 'zeros' or 'file'");
}

function requireText(value: unknown, index: number, key: string): string {
  if (typeof value === 'string') return value;
  throw wrongArgument(index, `needs a string for '${key}'`);
}

function wrongArgument(index: number, what: string): UsageError {
  return new UsageError(`argument ${index} ${what}`);
}
