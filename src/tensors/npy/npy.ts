/**
 * Small .npy files that are entirely in memory. The element type must have a numpy code. Versions 1.0 to 3.0 are
 * supported. Arrays in Fortran order are reordered, and big-endian arrays are converted to little-endian. For files of
 * any size and type, see file.ts.
 */
import { err, ok, type Result } from '../../base/result.ts';
import { reverseNumbers } from './byte-order.ts';
import { type NpyHeader, npyHeader, npyHeaderRange, parseNpyHeader } from './header.ts';
import { differsInOrder, inCOrder } from './order.ts';

const npyTypes = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1'] as const;

/** Element types, written as numpy's type codes without the byte order. */
export type NpyType = (typeof npyTypes)[number];

export function isNpyType(code: string): code is NpyType {
  return npyTypes.some((type) => type === code);
}

export interface NpyArray {
  readonly type: NpyType;
  readonly shape: readonly number[];
  /** The elements in C order and little-endian: exactly `itemSize * product(shape)` bytes. */
  readonly bytes: Uint8Array;
}

/** Size of one element in bytes. */
export function itemSize(type: NpyType): number {
  return Number(type.slice(1));
}

/** Parses an .npy file. If the file is not valid, the error describes what is wrong with it. */
export function readNpy(file: Uint8Array): Result<NpyArray, string> {
  const range = npyHeaderRange(file);
  if (!range.ok) return range;
  const { begin, end } = range.value;
  if (end > file.byteLength) return err('the header is cut off');
  const header = parseNpyHeader(new TextDecoder('latin1').decode(file.subarray(begin, end)));
  return header.ok ? readArray(header.value, file.subarray(end)) : header;
}

function readArray({ descr, fortran, shape }: NpyHeader, data: Uint8Array): Result<NpyArray, string> {
  const [, order = '', type = ''] = /^([<>|=])(\w+)$/.exec(descr) ?? [];
  if (!isNpyType(type)) return err(`element type '${descr}' is not supported`);
  const size = shape.reduce((product, extent) => product * extent, itemSize(type));
  if (data.byteLength < size) return err(`the data is cut off: ${data.byteLength} of ${size} bytes`);
  const bytes = order === '>' ? littleEndian(data.slice(0, size), itemSize(type)) : data.subarray(0, size);
  return ok({ type, shape, bytes: fortran && differsInOrder(shape) ? inCOrder(bytes, shape, itemSize(type)) : bytes });
}

function littleEndian(bytes: Uint8Array, size: number): Uint8Array {
  reverseNumbers(bytes, size);
  return bytes;
}

/** The .npy file of an array: version 1.0, data aligned to 64 bytes. */
export function writeNpy({ type, shape, bytes }: NpyArray): Uint8Array {
  const header = npyHeader({ descr: `${itemSize(type) === 1 ? '|' : '<'}${type}`, shape });
  const file = new Uint8Array(header.length + bytes.byteLength);
  file.set(header);
  file.set(bytes, header.length);
  return file;
}
