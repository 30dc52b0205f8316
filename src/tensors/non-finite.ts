/** NaN and infinity among elements. */
import type { SourceArray } from '../arrays/elements/source-values.ts';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import type { FormatName } from '../numerics/formats.ts';

export interface NonFinite {
  readonly nans: number;
  readonly infinities: number;
}

/**
 * Of 32-bit words with one, two or four elements: the bits without signs, and what carries into a sign if an exponent is
 * all ones (in e4m3, if all bits are).
 */
const carries: Partial<Record<FormatName, readonly [magnitudes: number, carry: number]>> = {
  f32: [0x7fffffff, 0x00800000],
  f16: [0x7fff7fff, 0x04000400],
  bf16: [0x7fff7fff, 0x00800080],
  e5m2: [0x7f7f7f7f, 0x04040404],
  e4m3: [0x7f7f7f7f, 0x01010101],
};

/** Counts the elements of an array without padding; null if all are finite, which costs little to find out. */
export function nonFiniteIn(source: SourceArray | Uint8Array, format: FormatName): NonFinite | null {
  const carry = carries[format];
  if (carry === undefined && format !== 'f64') return null;
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (carry !== undefined && !isAnyCarried(bytes, carry)) return null;
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

function isAnyCarried(bytes: Uint8Array, [magnitudes, carry]: readonly [number, number]): boolean {
  const { buffer, byteOffset, byteLength } = bytes;
  // Words cannot begin here, or do not end at the end: the elements are looked at one by one.
  if (byteOffset % 4 !== 0 || byteLength % 4 !== 0) return true;
  const words = new Int32Array(buffer, byteOffset, byteLength / 4);
  let [signs, more] = [0, 0];
  let i = 0;
  // Four at a time do not wait for each other; words outside do not occur.
  for (const end = words.length - 3; i < end; i += 4) {
    signs |= (((words[i] ?? 0) & magnitudes) + carry) | (((words[i + 1] ?? 0) & magnitudes) + carry);
    more |= (((words[i + 2] ?? 0) & magnitudes) + carry) | (((words[i + 3] ?? 0) & magnitudes) + carry);
  }
  for (; i < words.length; i++) signs |= ((words[i] ?? 0) & magnitudes) + carry;
  signs |= more;
  return (signs & ~magnitudes) !== 0;
}
