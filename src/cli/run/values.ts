/** Converts scalars and buffers, in the notation that users write, to bytes. */
import { viewOf } from '../../base/byte-view.ts';
import { valueAt } from '../../base/element-at.ts';
import { likelyWord } from '../../check/instructions/modifier-words.ts';
import { f16Value, numberBits, type BasicFloat, isBasicFloat } from '../../numerics/number-bits.ts';
import { itemSize, type NpyType, isNpyType } from '../../tensors/npy/npy.ts';
import { UsageError } from '../exit.ts';

/**
 * The types that a scalar can have, with their widths in bits. They are the basic types of PTX, without the leading
 * dot.
 */
const widths: ReadonlyMap<string, number> = new Map([
  ...['b', 'u', 's'].flatMap((kind) => [8, 16, 32, 64].map((width) => [`${kind}${width}`, width] as const)),
  ['b128', 128],
  ['f16', 16],
  ['f32', 32],
  ['f64', 64],
]);

export const scalarTypes: readonly string[] = [...widths.keys()];

export function isScalarType(name: string): boolean {
  return widths.has(name);
}

/** The scalar type that was probably meant by an unknown word; null if no type is similar. */
export function likelyType(name: string): string | null {
  const words = scalarTypes.map((type) => `.${type}`);
  return likelyWord(`.${name}`, words)?.slice(1) ?? null;
}

/** The error for a word that is not a scalar type. */
export function unknownType(name: string): UsageError {
  const meant = likelyType(name);
  const help = meant === null ? `it is one of ${scalarTypes.join(', ')}` : `did you mean '${meant}'?`;
  return new UsageError(`'${name}' is not a type; ${help}`);
}

/** The numpy type for elements of a scalar type; null for 128-bit scalars. */
export function npyTypeOf(name: string): NpyType | null {
  const kind = name.startsWith('f') ? 'f' : name.startsWith('s') ? 'i' : 'u';
  const code = `${kind}${(widths.get(name) ?? 0) / 8}`;
  return isNpyType(code) ? code : null;
}

/** The little-endian bytes of one scalar; a value that does not fit is rejected. */
export function scalarBytes(type: string, value: unknown): Uint8Array {
  const width = widths.get(type);
  if (width === undefined) throw unknownType(type);
  const bits = isBasicFloat(type) ? floatBits(type, value) : integerBits(type, width, value);
  const bytes = new Uint8Array(width / 8);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number((bits >> BigInt(8 * i)) & 0xffn);
  return bytes;
}

function integerBits(type: string, width: number, value: unknown): bigint {
  const found = readInteger(value);
  if (found === null) throw new UsageError(`${JSON.stringify(value)} is not an integer for ${type}`);
  const most = 1n << BigInt(width);
  const least = type.startsWith('u') ? 0n : -(most >> 1n);
  const top = type.startsWith('s') ? most >> 1n : most;
  const pattern = typeof value === 'string' && /^0[xb]/i.test(value) && found < most;
  if ((found < least || found >= top) && !pattern) throw new UsageError(`${found} does not fit in ${type}`);
  return BigInt.asUintN(width, found);
}

function readInteger(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string' || !/^[-+]?(\d+|0x[\da-f]+|0b[01]+)$/i.test(value.trim())) return null;
  const text = value.trim();
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
}

function floatBits(type: BasicFloat, value: unknown): bigint {
  const width = valueAt(widths, type);
  const hex = typeof value === 'string' ? /^0[fdx]([\da-f]+)$/i.exec(value.trim())?.[1] : undefined;
  if (hex !== undefined && hex.length * 4 === width) return BigInt(`0x${hex}`);
  const found = readFloat(value);
  if (found === null) throw new UsageError(`${JSON.stringify(value)} is not a number for ${type}`);
  return numberBits(type, found);
}

const namedFloats: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
};

function readFloat(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const named = namedFloats[value.trim().toLowerCase()];
  if (named !== undefined) return named;
  const found = Number(value);
  return Number.isNaN(found) ? null : found;
}

/** Converts hex digits to bytes, lowest address first; whitespace and `0x` are allowed. */
export function hexBytes(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits))
    throw new UsageError('hex needs an even number of hex digits');
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/** The element type of a buffer, and the shape of the array that the elements form. */
export interface ElementType {
  readonly type: NpyType;
  readonly shape: readonly number[];
}

/** The first elements of a buffer as text; at most `most` of them are shown. */
export function showElements(bytes: Uint8Array, { type }: ElementType, most: number): string {
  const size = itemSize(type);
  const view = viewOf(bytes);
  const count = Math.min(most, Math.floor(bytes.byteLength / size));
  const shown = Array.from({ length: count }, (_, i) => showElement(view, i * size, type));
  return shown.join(' ') + (bytes.byteLength > count * size ? ' …' : '');
}

function showElement(view: DataView, offset: number, type: NpyType): string {
  switch (type) {
    case 'f2':
      return String(f16Value(view.getUint16(offset, true)));
    case 'f4':
      return String(Number(view.getFloat32(offset, true).toPrecision(9)));
    case 'f8':
      return String(view.getFloat64(offset, true));
    case 'i1':
      return String(view.getInt8(offset));
    case 'i2':
      return String(view.getInt16(offset, true));
    case 'i4':
      return String(view.getInt32(offset, true));
    case 'i8':
      return String(view.getBigInt64(offset, true));
    case 'u1':
    case 'b1':
      return String(view.getUint8(offset));
    case 'u2':
      return String(view.getUint16(offset, true));
    case 'u4':
      return String(view.getUint32(offset, true));
    case 'u8':
      return String(view.getBigUint64(offset, true));
  }
}
