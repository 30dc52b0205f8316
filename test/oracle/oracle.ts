/**
 * An independent implementation of conversions that does no bit-level rounding. Every value of the destination format
 * is represented as a rational number, and the result is the value that the definition of the rounding mode selects.
 * The only things it shares with src/numerics are `decode` and the table of formats.
 */
import type { Bits } from '../../src/base/bits.ts';
import { elementAt } from '../../src/base/element-at.ts';
import type { Conversion, Rounding } from '../../src/numerics/conversion.ts';
import { decode } from '../../src/numerics/exact.ts';
import { type FormatName, formats } from '../../src/numerics/formats.ts';

/**
 * Values are represented as integers that count units of 2^-1200. This unit is smaller than the last place of every
 * format.
 */
export const unitExponent = 1200;

/**
 * The unit that `expected` uses. This unit is smaller than the last place of every f32 value, even after a division by
 * a scale.
 */
const narrowExponent = 300;

/** Converts a finite value to units of 2^-`unit`; returns null for infinities and NaNs. */
export function unitsOf(format: FormatName, bits: Bits, unit: number = unitExponent): bigint | null {
  const { kind, width, signed } = formats[format];
  if (kind === 'integer') {
    const integer = signed ? BigInt.asIntN(width, BigInt(bits)) : BigInt(bits);
    return integer << BigInt(unit);
  }
  const value = decode(format, bits);
  if (value.kind === 'zero') return 0n;
  if (value.kind !== 'finite') return null;
  const magnitude = BigInt(value.significand) << BigInt(value.exponent + unit);
  return value.sign === 1 ? -magnitude : magnitude;
}

/** Whether the sign bit is set, even if the value is zero. Always false for unsigned formats. */
export function isNegative(format: FormatName, bits: Bits): boolean {
  const { width, signed } = formats[format];
  if (!signed) return false;
  return typeof bits === 'number' ? Math.floor(bits / 2 ** (width - 1)) === 1 : bits >> BigInt(width - 1) === 1n;
}

interface Point {
  readonly bits: Bits;
  readonly value: bigint;
  readonly even: boolean;
}

const one = 1n << BigInt(narrowExponent);

/**
 * All values of a format that have the given sign, as magnitudes in ascending order, each with its bits. If `integral`
 * is true, only whole numbers are returned.
 */
function pointsOf(format: FormatName, negative: boolean, integral: boolean): readonly Point[] {
  const points: Point[] = [];
  for (let bits = 0; bits < 2 ** formats[format].width; bits++) {
    const value = unitsOf(format, bits, narrowExponent);
    if (value === null || isNegative(format, bits) !== negative) continue;
    if (integral && value % one !== 0n) continue;
    // s2f6 saturates symmetrically, so its lowest pattern never occurs as a result.
    if (format === 's2f6' && bits === 0x80) continue;
    const even = integral ? (value / one) % 2n === 0n : bits % 2 === 0;
    points.push({ bits, value: value < 0n ? -value : value, even });
  }
  return points.sort((a, b) => (a.value < b.value ? -1 : 1));
}

/**
 * A cache for the results of `pointsOf`. It has one map, from formats to points, for each combination of `negative` and
 * `integral`.
 */
const known: readonly Map<FormatName, readonly Point[]>[] = [new Map(), new Map(), new Map(), new Map()];

function knownPoints(format: FormatName, negative: boolean, integral: boolean): readonly Point[] {
  const points = elementAt(known, (negative ? 2 : 0) + (integral ? 1 : 0));
  const found = points.get(format) ?? pointsOf(format, negative, integral);
  points.set(format, found);
  return found;
}

/**
 * The result for a value beyond the largest finite point. The value is rounded as if there were one more point, whose
 * distance from the last point is the distance between the last two points.
 */
function beyond(c: Conversion, value: bigint, negative: boolean, randomness: Randomness): Bits | 'infinity' | 'nan' {
  const points = knownPoints(c.to, negative, c.integral);
  const last = points.at(-1) as Point;
  const before = points.at(-2) as Point;
  if (formats[c.to].kind !== 'float' || c.satfinite) return last.bits;
  const mode = c.rounding ?? 'rn';
  const next: Point = { bits: 0, value: last.value * 2n - before.value, even: true };
  const towardZero = mode === 'rz' || mode === (negative ? 'rp' : 'rm');
  const far = towardZero ? last : next;
  const chosen = value >= next.value ? far : choose([last, next], value, negative, mode, randomness);
  if (chosen === last) return last.bits;
  return c.to === 'ue8m0' ? 'nan' : 'infinity';
}

/** Chooses between two adjacent points according to the definition of the rounding mode. */
function choose(
  [lower, upper]: readonly [Point, Point],
  value: bigint,
  negative: boolean,
  mode: Rounding,
  randomness: Randomness,
): Point {
  const below = value - lower.value;
  const above = upper.value - value;
  switch (mode) {
    case 'rz':
      return lower;
    case 'rm':
      return negative ? upper : lower;
    case 'rp':
      return negative ? lower : upper;
    case 'rna':
      return below < above ? lower : upper;
    case 'rn':
      if (below !== above) return below < above ? lower : upper;
      return lower.even ? lower : upper;
    case 'rs': {
      const discarded = (below << BigInt(randomness.width)) / (below + above);
      return discarded + BigInt(randomness.bits) >= 1n << BigInt(randomness.width) ? upper : lower;
    }
  }
}

interface Randomness {
  readonly bits: number;
  readonly width: number;
}

/**
 * The correct result of converting a finite source: its bits, or the name of a special result. The destination must
 * have at most 16 bits.
 */
export function expected(c: Conversion, source: Bits, random = 0, scale = 0x7f): Bits | 'infinity' | 'nan' {
  const exact = unitsOf(c.from, source, narrowExponent);
  if (exact === null) throw new Error('the oracle accepts only finite values');
  const negative = isNegative(c.from, source) && c.to !== 'ue8m0';
  const magnitude = applyScale(c, flushed(c, exact < 0n ? -exact : exact), scale);
  const zero = knownPoints(c.to, false, c.integral).at(0) as Point;
  if (negative && (c.relu || (c.sat && formats[c.to].kind === 'float'))) return zero.bits;
  if (negative && !formats[c.to].signed) return zero.bits;
  if (negative && formats[c.to].kind !== 'float' && magnitude === 0n) return zero.bits;
  if (c.sat && formats[c.to].kind === 'float' && magnitude > one) return bitsOfOne(c.to);
  return pick(c, magnitude, negative, { bits: random % 2 ** c.randomBits, width: c.randomBits });
}

function pick(c: Conversion, magnitude: bigint, negative: boolean, randomness: Randomness): Bits | 'infinity' | 'nan' {
  const points = knownPoints(c.to, negative, c.integral);
  const above = firstAtLeast(points, magnitude);
  const upper = points[above];
  if (upper === undefined) return beyond(c, magnitude, negative, randomness);
  if (upper.value === magnitude) return upper.bits;
  // Integers and s2f6 have only one zero, so zero is a possible result for negative values, too. ue8m0 has no zero; its
  // smallest value is used instead.
  const zero: Point = { bits: 0, value: 0n, even: true };
  const lower = points[above - 1] ?? (c.to === 'ue8m0' ? upper : zero);
  return choose([lower, upper], magnitude, negative, c.rounding ?? 'rn', randomness).bits;
}

function firstAtLeast(points: readonly Point[], value: bigint): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points.at(middle) as Point).value < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function flushed(c: Conversion, magnitude: bigint): bigint {
  return c.flush && c.from === 'f32' && magnitude < one >> 126n ? 0n : magnitude;
}

function applyScale(c: Conversion, magnitude: bigint, scale: number): bigint {
  if (c.scaled === null) return magnitude;
  const exponent = BigInt(c.scaled === 'divide' ? 127 - scale : scale - 127);
  return exponent >= 0n ? magnitude << exponent : magnitude >> -exponent;
}

function bitsOfOne(format: FormatName): Bits {
  const points = knownPoints(format, false, false);
  return (points.at(firstAtLeast(points, one)) as Point).bits;
}

/**
 * Compares the exact magnitude with `point`, which is given in units, and returns the sign of their difference. For
 * some exact results, such as roots, only this comparison is possible.
 */
export type Comparison = (point: bigint) => number;

/**
 * Whether `bits`, which must not be a NaN, is the correctly rounded result. The exact value is known only through
 * `compare`. Only the encoding and its two neighbors are examined, so formats may have any width.
 */
export function isRounded(format: FormatName, bits: Bits, mode: Rounding, compare: Comparison): boolean {
  const negative = isNegative(format, bits);
  const { down, point, up, even, end } = surroundings(format, bits);
  const toward = mode === 'rz' || mode === (negative ? 'rp' : 'rm');
  if (toward) return end !== 'infinite' && compare(point) >= 0 && (end === 'last' || compare(up) < 0);
  if (mode !== 'rn') return (end === 'infinite' || compare(point) <= 0) && (down === null || compare(down) > 0);
  const belowUpper = end === 'infinite' ? -1 : compare((point + up) / 2n);
  const aboveLower = down === null ? 1 : compare((point + down) / 2n);
  return (belowUpper < 0 || (belowUpper === 0 && even)) && (aboveLower > 0 || (aboveLower === 0 && even));
}

interface Surroundings {
  /** The magnitude of the next smaller value, in units; null if the value is zero. */
  readonly down: bigint | null;
  readonly point: bigint;
  readonly up: bigint;
  readonly even: boolean;
  readonly end: 'infinite' | 'last' | null;
}

/** Returns an encoding with its two neighbors. Infinity counts as the neighbor above the largest finite value. */
function surroundings(format: FormatName, bits: Bits): Surroundings {
  const described = formats[format];
  if (described.kind !== 'float') throw new Error('only floating-point formats have neighbors here');
  const { width, padding } = described;
  const step = 1n << BigInt(padding);
  const magnitude = BigInt.asUintN(width - 1, BigInt(bits));
  const at = (pattern: bigint): bigint | null => unitsOf(format, width > 32 ? pattern : Number(pattern));
  const even = (magnitude / step) % 2n === 0n;
  const down = magnitude === 0n ? null : at(magnitude - step);
  const own = at(magnitude);
  const above = at(magnitude + step);
  const point = own ?? following(down, at(magnitude - step * 2n));
  const end = own === null ? 'infinite' : above === null ? 'last' : null;
  return { down, point, up: above ?? following(point, down), even, end };
}

function following(last: bigint | null, before: bigint | null): bigint {
  return (last ?? 0n) * 2n - (before ?? 0n);
}
