/** Counts values that a conversion without scales cannot represent because they are too large. */
import { isAnyCarried } from '../arrays/elements/carries.ts';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import type { SourceArray } from '../arrays/elements/source-values.ts';
import { largestOf, reachOf } from '../arrays/quantized/block-formats.ts';
import { wordAt } from '../base/typed-reads.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { nonFiniteIn } from './non-finite.ts';

/** Counts of finite values that are beyond the range of the new format. */
export interface OutOfRange {
  /** Values that became the largest number of the new format. */
  readonly clipped: number;
  /** Values that became infinite. */
  readonly infinities: number;
  /** Values that became NaN. */
  readonly nans: number;
}

export interface Elements {
  readonly data: SourceArray | Uint8Array;
  readonly format: FormatName;
}

/**
 * Whether all values are finite and within the range of the new format. This is the common case and is detected
 * quickly. The result may also be false if the test is not possible, or if a value is exactly at the end of the range.
 */
export function areWithin({ data, format }: Elements, to: FormatName): boolean {
  const reach = reachIn(to);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (reach === null || largestOf(format) <= reach) return false;
  if (format === 'f64') return areDoublesWithin(bytes, reach);
  const patternOf = patternsOf[format];
  if (patternOf === undefined || bytes.byteOffset % 4 !== 0 || bytes.length % 4 !== 0) return false;
  single[0] = reach;
  const pattern = patternOf(wordAt(word, 0));
  if (format === 'f32') return !isAnyCarried(bytes, 0x7fffffff, 0x80000000 - pattern);
  return !isAnyCarried(bytes, 0x7fff7fff, (0x8000 - pattern) * 0x10001);
}

/** The largest magnitude within the range of a format; null for formats whose range is not checked. */
function reachIn(format: FormatName): number | null {
  const { kind, signed } = formats[format];
  return kind === 'float' && signed ? reachOf(format) : null;
}

/**
 * Counts the values that are out of range; null if there are none. Only conversions of wide floats to narrower floats
 * are examined.
 */
export function outOfRangeIn(source: Elements, converted: Elements): OutOfRange | null {
  const reach = reachIn(converted.format);
  const isWide = source.format === 'f64' || patternsOf[source.format] !== undefined;
  if (reach === null || !isWide || largestOf(source.format) <= reach) return null;
  const bytes = new Uint8Array(source.data.buffer, source.data.byteOffset, source.data.byteLength);
  const decoder = elementDecoder(source.format, false);
  let [beyond, infinitiesBefore, nansBefore] = [0, 0, 0];
  for (const value of decoder.values(bytes, bytes.length / decoder.groupBytes)) {
    const magnitude = Math.abs(value);
    if (magnitude <= reach) continue;
    if (Number.isNaN(value)) nansBefore += 1;
    else if (magnitude === Number.POSITIVE_INFINITY) infinitiesBefore += 1;
    else beyond += 1;
  }
  if (beyond === 0) return null;
  const after = nonFiniteIn(converted.data, converted.format) ?? { nans: 0, infinities: 0 };
  const infinities = Math.max(0, after.infinities - infinitiesBefore);
  const nans = Math.max(0, after.nans - nansBefore);
  return { clipped: Math.max(0, beyond - infinities - nans), infinities, nans };
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/**
 * For each format, a function that takes a limit as f32 bits, and returns the bit pattern of the largest value of the
 * format that does not exceed the limit. The limit must be a normal number of the format.
 */
const patternsOf: Partial<Record<FormatName, (bits: number) => number>> = {
  f32: (bits) => bits,
  bf16: (bits) => bits >>> 16,
  f16: (bits) => (bits - ((127 - 15) << 23)) >>> 13,
};

function areDoublesWithin(bytes: Uint8Array, limit: number): boolean {
  if (bytes.byteOffset % 8 !== 0) return false;
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8).every((value) => Math.abs(value) <= limit);
}
