/** How elements of a format are stored in an array: typed arrays, and packings of elements narrower than a byte. */
import { PtxlabError } from '../base/error.ts';
import { oneOf, type Rule } from '../base/rules.ts';
import { tagOf } from '../base/tag-of.ts';
import { formats, type FormatName } from '../numerics/formats.ts';
import { type Storage, storedBits } from '../jit/arrays/array-storage.ts';

/**
 * How 2-bit, 4-bit and 6-bit elements are stored. `bytes`: one element per byte, in its low bits. `low-first`: densely,
 * with the first element in the lowest bits. `high-first`: densely, with the first element of each byte in its topmost
 * bits (only for 2 and 4 bits).
 */
export type Packing = 'bytes' | 'low-first' | 'high-first';

export const packingRule: Rule<Packing> = oneOf('bytes', 'low-first', 'high-first');

/** Anything that holds bytes: a typed array or another view, or a whole buffer. */
export type Bytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** The typed array for elements of a format; formats without one are stored as bits in an unsigned array. */
export interface ArrayTypes {
  readonly f64: Float64Array;
  readonly f32: Float32Array;
  readonly tf32: Float32Array;
  readonly s8: Int8Array;
  readonly s16: Int16Array;
  readonly u16: Uint16Array;
  readonly f16: Uint16Array;
  readonly bf16: Uint16Array;
  readonly s32: Int32Array;
  readonly u32: Uint32Array;
  readonly s64: BigInt64Array;
  readonly u64: BigUint64Array;
}

/**
 * `Uint8Array` for all formats that `ArrayTypes` does not list: fp8, fp6, fp4, ue8m0, s2f6, u8, and integers narrower
 * than a byte.
 */
export type ArrayOf<T extends FormatName> = T extends keyof ArrayTypes ? ArrayTypes[T] : Uint8Array;

type ArrayMaker<A> = (buffer: ArrayBufferLike, offset: number, bytes: number) => A;

const makers: { readonly [T in keyof ArrayTypes]: ArrayMaker<ArrayTypes[T]> } = {
  f64: (buffer, offset, bytes) => new Float64Array(buffer, offset, bytes / 8),
  f32: (buffer, offset, bytes) => new Float32Array(buffer, offset, bytes / 4),
  tf32: (buffer, offset, bytes) => new Float32Array(buffer, offset, bytes / 4),
  s8: (buffer, offset, bytes) => new Int8Array(buffer, offset, bytes),
  s16: (buffer, offset, bytes) => new Int16Array(buffer, offset, bytes / 2),
  u16: (buffer, offset, bytes) => new Uint16Array(buffer, offset, bytes / 2),
  f16: (buffer, offset, bytes) => new Uint16Array(buffer, offset, bytes / 2),
  bf16: (buffer, offset, bytes) => new Uint16Array(buffer, offset, bytes / 2),
  s32: (buffer, offset, bytes) => new Int32Array(buffer, offset, bytes / 4),
  u32: (buffer, offset, bytes) => new Uint32Array(buffer, offset, bytes / 4),
  s64: (buffer, offset, bytes) => new BigInt64Array(buffer, offset, bytes / 8),
  u64: (buffer, offset, bytes) => new BigUint64Array(buffer, offset, bytes / 8),
};

/**
 * The typed arrays whose type determines the format of the elements. Arrays of unsigned bytes or 16-bit words are not
 * listed, because they can hold elements of many formats.
 */
const formatsOfArrays: Readonly<Record<string, FormatName>> = {
  Float64Array: 'f64',
  Float32Array: 'f32',
  Float16Array: 'f16',
  Int8Array: 's8',
  Int16Array: 's16',
  Int32Array: 's32',
  Uint32Array: 'u32',
  BigInt64Array: 's64',
  BigUint64Array: 'u64',
};

/**
 * The format that the type of an array implies. Null for arrays of bytes or 16-bit words, which can hold several
 * formats, and for a DataView or a buffer.
 */
export function formatOfArray(source: Bytes): FormatName | null {
  return formatsOfArrays[tagOf(source)] ?? null;
}

/**
 * How the elements are stored. If no packing is requested, the usual packing of the format is used: 2-bit and 4-bit
 * elements are packed densely, and 6-bit elements are stored one per byte, as in PTX.
 */
export function storageOf(format: FormatName, packing: Packing | undefined): Storage {
  const { width } = formats[format];
  if (width >= 8) {
    if (packing === undefined || packing === 'bytes') return { width, dense: false, highFirst: false };
    throw new PtxlabError(
      'bad-packing',
      `elements of ${format} have ${width} bits: packing '${packing}' is only for narrower ones`,
    );
  }
  if (packing === 'high-first' && 8 % width !== 0) {
    throw new PtxlabError(
      'bad-packing',
      `elements of ${format} cross byte boundaries: packing can be 'bytes' or 'low-first'`,
    );
  }
  const chosen = packing ?? (width === 6 ? 'bytes' : 'low-first');
  return { width, dense: chosen !== 'bytes', highFirst: chosen === 'high-first' };
}

/** Number of bytes that `count` elements occupy; the last byte is padded with zeros. */
export function storedBytes(storage: Storage, count: number): number {
  return Math.ceil((count * storedBits(storage)) / 8);
}

/** Number of elements that fit in `bytes` bytes. */
export function storedElements(storage: Storage, bytes: number): number {
  return Math.floor((bytes * 8) / storedBits(storage));
}

/**
 * Creates a typed array for elements of a format. The array is a view of `bytes` bytes of the buffer, starting at
 * `offset`.
 */
export function arrayOver(
  format: FormatName,
  buffer: ArrayBufferLike,
  offset: number,
  bytes: number,
): ArrayTypes[keyof ArrayTypes] | Uint8Array {
  return hasArray(format) ? makers[format](buffer, offset, bytes) : new Uint8Array(buffer, offset, bytes);
}

function hasArray(format: FormatName): format is keyof ArrayTypes {
  return Object.hasOwn(makers, format);
}

/** The bytes of an array, without a copy. */
export function bytesOf(array: Bytes): Uint8Array {
  return ArrayBuffer.isView(array)
    ? new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    : new Uint8Array(array);
}

/** Whether two views share at least one byte of memory. */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.buffer !== b.buffer) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}
