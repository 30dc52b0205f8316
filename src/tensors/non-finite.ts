/** Finds NaNs and infinities among the elements of an array. */
import type { SourceArray } from '../arrays/elements/source-values.ts';
import { isAnyCarried } from '../arrays/elements/carries.ts';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import type { FormatName } from '../numerics/formats.ts';

export interface NonFinite {
  readonly nans: number;
  readonly infinities: number;
}

/**
 * For each format, two constants that are used to test a 32-bit word, which holds one, two or four elements. The first
 * constant is a mask that clears the sign bits. Adding the second constant to the masked word sets the sign bit of each
 * element whose exponent bits are all ones (in e4m3, of each element in which all bits other than the sign are ones).
 */
const carries: Partial<Record<FormatName, readonly [magnitudes: number, carry: number]>> = {
  f32: [0x7fffffff, 0x00800000],
  f16: [0x7fff7fff, 0x04000400],
  bf16: [0x7fff7fff, 0x00800080],
  e5m2: [0x7f7f7f7f, 0x04040404],
  e4m3: [0x7f7f7f7f, 0x01010101],
};

/**
 * Counts the NaNs and infinities in an array without padding. Returns null if all elements are finite, which is the
 * common case and is detected quickly.
 */
export function nonFiniteIn(source: SourceArray | Uint8Array, format: FormatName): NonFinite | null {
  const carry = carries[format];
  if (carry === undefined && format !== 'f64') return null;
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (carry !== undefined && !mayBeOdd(bytes, carry)) return null;
  const decoder = elementDecoder(format, false);
  const values = decoder.values(bytes, bytes.length / decoder.groupBytes);
  let [nans, infinities] = [0, 0];
  for (const value of values) {
    if (value - value === 0) continue;
    if (Number.isNaN(value)) nans += 1;
    else infinities += 1;
  }
  return nans + infinities === 0 ? null : { nans, infinities };
}

function mayBeOdd(bytes: Uint8Array, [magnitudes, carry]: readonly [number, number]): boolean {
  // If the array does not consist of whole, aligned words, this quick test cannot be used, and the elements must be
  // examined one by one.
  if (bytes.byteOffset % 4 !== 0 || bytes.length % 4 !== 0) return true;
  return isAnyCarried(bytes, magnitudes, carry);
}
