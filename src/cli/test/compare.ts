/** Compares the bytes that a kernel has written with the expected bytes. */
import { type Bits, hex } from '../../base/bits.ts';
import { formatValue } from '../../numerics/describe.ts';
import { decode, numberFrom } from '../../numerics/exact.ts';
import { type FormatName, formats } from '../../numerics/formats.ts';
import { bytesOfFormat, elementReader } from './element-format.ts';

/**
 * How far a result may differ from the expected one. If the kind is `exactly`, all bits must be equal. If it is `ulps`,
 * there may be at most `most` steps from one value to the other, each to the next representable value. If it is
 * `absolute and relative`, the condition is
 * |got - expected| <= abs + rel * |expected|. For all kinds except `exactly`, any NaN counts as equal to any other NaN.
 */
export type Tolerance =
  | { readonly kind: 'exactly' }
  | { readonly kind: 'ulps'; readonly most: number }
  | { readonly kind: 'absolute and relative'; readonly abs: number; readonly rel: number };

/** The elements of a result that are not within the tolerance. */
export interface Differences {
  /** The number of elements that were compared, and the number of those that differ. */
  readonly elements: number;
  readonly different: number;
  readonly first: Difference;
  /**
   * The largest distance in ulps between a result and its expected value; null if each of the differing pairs contains
   * a NaN.
   */
  readonly mostUlps: bigint | null;
}

export interface Difference {
  readonly index: number;
  readonly got: Bits;
  readonly expected: Bits;
  /** Null if one of the two values is NaN. */
  readonly ulps: bigint | null;
}

/** Compares two arrays of the same length; returns null if all elements are within the tolerance. */
export function compareElements(
  got: Uint8Array,
  expected: Uint8Array,
  format: FormatName,
  tolerance: Tolerance,
): Differences | null {
  if (Buffer.compare(got, expected) === 0) return null;
  const [gotAt, expectedAt] = [elementReader(got, format), elementReader(expected, format)];
  const elements = Math.floor(got.byteLength / bytesOfFormat(format));
  let first: Difference | null = null;
  let different = 0;
  let mostUlps: bigint | null = null;
  for (let index = 0; index < elements; index++) {
    const [a, b] = [gotAt(index), expectedAt(index)];
    if (a === b || isWithin(a, b, format, tolerance)) continue;
    const ulps = ulpsBetween(a, b, format);
    first ??= { index, got: a, expected: b, ulps };
    different++;
    if (ulps !== null && (mostUlps === null || ulps > mostUlps)) mostUlps = ulps;
  }
  return first === null ? null : { elements, different, first, mostUlps };
}

function isWithin(a: Bits, b: Bits, format: FormatName, tolerance: Tolerance): boolean {
  if (tolerance.kind === 'exactly') return false;
  if (isNan(a, format) || isNan(b, format)) return isNan(a, format) && isNan(b, format);
  if (tolerance.kind === 'ulps') {
    const ulps = ulpsBetween(a, b, format);
    return ulps !== null && ulps <= BigInt(tolerance.most);
  }
  const [x, y] = [numberFrom(format, a), numberFrom(format, b)];
  return x === y || Math.abs(x - y) <= tolerance.abs + tolerance.rel * Math.abs(y);
}

function isNan(bits: Bits, format: FormatName): boolean {
  return formats[format].kind === 'float' && decode(format, bits).kind === 'nan';
}

/**
 * The number of steps from one value to the other, where each step leads to the next representable value; null if one
 * of the values is NaN. Both zeros count as the same value.
 */
function ulpsBetween(a: Bits, b: Bits, format: FormatName): bigint | null {
  if (isNan(a, format) || isNan(b, format)) return null;
  const distance = ordinal(a, format) - ordinal(b, format);
  return distance < 0n ? -distance : distance;
}

/** Numbers the values of a format in ascending order, so that neighboring values have consecutive numbers. */
function ordinal(bits: Bits, format: FormatName): bigint {
  const { kind, width, signed } = formats[format];
  const pattern = BigInt(bits);
  if (kind !== 'float') return signed ? BigInt.asIntN(width, pattern) : pattern;
  const magnitude = signed ? BigInt.asUintN(width - 1, pattern) : pattern;
  return magnitude === pattern ? magnitude : -magnitude;
}

/** The text of a finding as lines: the first element that differs, and the number of elements that differ. */
export function differenceLines(
  name: string,
  { elements, different, first, mostUlps }: Differences,
  format: FormatName,
  shape: readonly number[],
): readonly string[] {
  const place = `${name}[${indexIn(shape, first.index)}]`;
  const shown = (bits: Bits): string => {
    const text = formatValue(format, bits).replace(/ \(.*\)$/, '');
    return formats[format].kind === 'float' ? `${text} (0x${hex(bits, formats[format].width)})` : text;
  };
  const apart = first.ulps === null ? '' : `, ${steps(first.ulps)} apart`;
  const most = mostUlps === null || different === 1 ? '' : `, by at most ${steps(mostUlps)}`;
  return [
    `${place}: got ${shown(first.got)}, expected ${shown(first.expected)}${apart}`,
    `${different} of ${elements} ${format} ${elements === 1 ? 'element differs' : 'elements differ'}${most}`,
  ];
}

function steps(ulps: bigint): string {
  return `${ulps} ${ulps === 1n ? 'ulp' : 'ulps'}`;
}

/**
 * Converts the index of an element in C order into text with one number for each extent of the array. Returns the index
 * itself if the array has only one extent, or if the index is beyond the end of the array.
 */
function indexIn(shape: readonly number[], index: number): string {
  const indices: number[] = [];
  let left = index;
  for (const extent of shape.toReversed()) {
    indices.unshift(left % extent);
    left = Math.floor(left / extent);
  }
  return left === 0 && shape.length > 1 ? indices.join(', ') : String(index);
}
