/**
 * Rounds four f32 numbers to a float format of at most 32 bits. A comment at each step explains why it is correct. In
 * these comments, "f32" refers to the 31 bits of the magnitude, and k is the number of fraction bits that are removed,
 * which is 23 minus the number of fraction bits of the destination.
 */
import type { Rounding } from '../../numerics/conversion.ts';
import type { FloatFormat } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { patternsOf, type RoundingTarget } from '../arithmetic/target.ts';
import { raiseAway } from './vector-decoding.ts';
import { shift, single, splat, splatPower } from './vector-words.ts';

/** `magnitude` and `sign` are the same as in SingleLocals; `random` holds the random bits of each lane. */
export interface RoundingLocals {
  readonly magnitude: number;
  readonly sign: number | null;
  readonly random: number;
}

/**
 * Whether rounding to the format has a vector form. For ue8m0, only rounding down and rounding up are supported;
 * rounding to nearest even would need a fraction bit, which this format does not have.
 */
export function canRound({ format, rounding }: RoundingTarget): boolean {
  if (format.kind !== 'float' || format.width > 32) return false;
  return format.fractionBits > 0 || rounding === 'rz' || rounding === 'rp';
}

/**
 * Rounds the magnitudes to the format, and pushes the resulting bit patterns without the sign. The pattern for a NaN is
 * arbitrary.
 */
export function pushRounded(code: Code, target: RoundingTarget, format: FloatFormat, locals: RoundingLocals): void {
  limitMagnitude(code, target, format, locals.magnitude);
  if (hasRangeOfSingle(format)) {
    code.get(locals.magnitude);
    cutBits(code, target, format, locals);
    if (!format.signed && target.rounding === 'rp') dropToLeast(code, locals.magnitude);
  } else if (target.rounding === 'rn') pushNearest(code, format, locals.magnitude);
  else {
    pushRebiased(code, target.rounding, format, locals.magnitude);
    cutBits(code, target, format, locals);
    if (target.overflow !== 'max-norm') limitResult(code, target.rounding, format, locals);
  }
  shift(code, 'i32x4.shl', format.padding);
}

/**
 * Rounds magnitudes that are within the format's range, and pushes the resulting bit patterns without the sign. The
 * rounding mode must treat positive and negative numbers in the same way; for `rn`, the format must also have the same
 * exponent range as f32.
 */
export function pushRoundedWithin(
  code: Code,
  target: RoundingTarget,
  format: FloatFormat,
  locals: Omit<RoundingLocals, 'sign'>,
): void {
  if (hasRangeOfSingle(format)) code.get(locals.magnitude);
  else pushRebiased(code, target.rounding, format, locals.magnitude);
  cutBits(code, target, format, { ...locals, sign: null });
}

/**
 * Whether a format has the same exponent range as f32, including the range of the subnormals. The patterns of such a
 * format are the upper bits of an f32.
 */
export function hasRangeOfSingle({ bias, exponentBits }: FloatFormat): boolean {
  return bias === 127 && exponentBits === 8;
}

/**
 * Converts a pattern of the format, without padding, to f32. The pattern must represent a normal number or infinity.
 * The pattern of infinity is converted to the power of two above the largest number.
 */
export function patternAsSingle({ fractionBits, bias }: FloatFormat, pattern: bigint): number {
  return (Number(pattern) << (23 - fractionBits)) + ((127 - bias) << 23);
}

/**
 * Limits magnitudes before rounding. If the limit is a value that the format can represent, this is correct because
 * rounding is monotonic and leaves such a value unchanged. When rounding to nearest, the limit may also be the power of
 * two above the largest value. All larger magnitudes overflow anyway, and this power of two has the bit pattern of
 * infinity.
 */
function limitMagnitude(code: Code, target: RoundingTarget, format: FloatFormat, magnitude: number): void {
  const most = target.sat ? single.one : limitOf(target, format);
  if (most !== null) splat(code.get(magnitude), most).vector('i32x4.min_u').set(magnitude);
}

function limitOf({ overflow, rounding }: RoundingTarget, format: FloatFormat): number | null {
  const [top] = patternsOf(format).limit;
  if (overflow === 'max-norm') return patternAsSingle(format, top);
  return rounding === 'rn' && !hasRangeOfSingle(format) ? patternAsSingle(format, top + 1n) : null;
}

/**
 * Rounds to nearest even by an f32 addition. Let `e` be the largest power of two that is not above the value, or the
 * smallest normal number if that is larger. Because `value < 2 * e`, the sum `e * 2^k + value` is below `2 * e * 2^k`.
 * The last bit of the sum therefore has the weight `e * 2^k / 2^23`, which equals `e / 2^fractionBits`. This is also
 * the weight of the last bit of the value in the destination format. The difference between the bits of the sum and the
 * bits of `e * 2^k` is thus the rounded value in units of this weight. For subnormals, this difference is already the
 * bit pattern. For other values, it includes the leading 1 bit, which makes the exponent field 1; the field must then
 * be increased by the difference between the exponent of `e` and the exponent of the smallest normal number. The sum is
 * finite, because no format that is rounded here goes beyond 2^16, so `e * 2^k` is below 2^39.
 */
function pushNearest(code: Code, { fractionBits, bias }: FloatFormat, magnitude: number): void {
  const cut = 23 - fractionBits;
  const least = (128 - bias) << 23;
  const power = code.local('v128');
  splat(code.get(magnitude), single.infinity).vector('v128.and');
  splat(code, least).vector('i32x4.max_s').set(power);
  splat(code.get(power), cut << 23).vector('i32x4.add');
  code.get(magnitude).vector('f32x4.add').get(power).vector('i32x4.sub');
  shift(code.get(power), 'i32x4.shr_u', cut).vector('i32x4.add');
  splat(code, (cut << 23) + (least >>> cut)).vector('i32x4.sub');
}

/**
 * Converts the magnitude to a format that has the exponent range of the destination but still has 23 fraction bits, and
 * pushes the result. Numbers that are subnormal in the destination become multiples of `2^(1 - bias - 23)`. The bits
 * that subnormals lose in this way are too small to affect rounding, except in the modes rm and rp. In these modes, the
 * lowest bit is set if any of the lost bits was 1.
 */
function pushRebiased(code: Code, rounding: Rounding, { bias }: FloatFormat, magnitude: number): void {
  if (rounding === 'rm' || rounding === 'rp') pushSubnormalOdd(code, bias, magnitude);
  else pushSubnormal(code, bias, magnitude);
  splat(code.get(magnitude), (127 - bias) << 23).vector('i32x4.sub');
  splat(code.get(magnitude), (128 - bias) << 23).vector('i32x4.lt_s', 'v128.bitselect');
}

/**
 * Pushes the bits of numbers that are subnormal in the destination. The lowest bit is sticky: it is also set if any
 * lost bit was 1. The multiplication is exact, because one factor is a power of two and the result is below 2^23.
 */
function pushSubnormalOdd(code: Code, bias: number, magnitude: number): void {
  const scaled = code.local('v128');
  const whole = code.local('v128');
  splatPower(code.get(magnitude), 22 + bias)
    .vector('f32x4.mul')
    .set(scaled);
  code.get(scaled).vector('i32x4.trunc_sat_f32x4_s').tee(whole);
  code.get(whole).vector('f32x4.convert_i32x4_s').get(scaled).vector('f32x4.ne');
  shift(code, 'i32x4.shr_u', 31).vector('v128.or');
}

/**
 * Pushes the truncated bits of numbers that are subnormal in the destination. When the smallest normal number is added
 * to a subnormal, the low bits of the sum are the bits that are needed. If the addition was rounded up, the result is
 * too large by one. To detect this, the smallest normal number is then subtracted from the sum. This subtraction is
 * exact, so the difference is greater than the original value only if the addition was rounded up.
 */
function pushSubnormal(code: Code, bias: number, magnitude: number): void {
  const least = (128 - bias) << 23;
  const sum = code.local('v128');
  splat(code.get(magnitude), least).vector('f32x4.add').set(sum);
  splat(code.get(sum), least).vector('i32x4.sub');
  splat(code.get(sum), least).vector('f32x4.sub').get(magnitude).vector('f32x4.gt', 'i32x4.add');
}

/**
 * Rounds the bit pattern on the stack, and removes its last k bits. If rounding carries into the exponent, the result
 * is the next power of two.
 */
function cutBits(code: Code, target: RoundingTarget, format: FloatFormat, { sign, random }: RoundingLocals): void {
  const cut = 23 - format.fractionBits;
  if (cut === 0) return;
  const { rounding, randomBits } = target;
  switch (rounding) {
    case 'rn': {
      const whole = code.local('v128');
      code.tee(whole);
      splat(shift(code.get(whole), 'i32x4.shr_u', cut), 1).vector('v128.and', 'i32x4.add');
      splat(code, 2 ** (cut - 1) - 1).vector('i32x4.add');
      break;
    }
    case 'rna':
      splat(code, 2 ** (cut - 1)).vector('i32x4.add');
      break;
    case 'rm':
    case 'rp':
      splat(code, 2 ** cut - 1);
      raiseAway(code, sign, rounding);
      code.vector('i32x4.add');
      break;
    case 'rs':
      pushRandom(code, random, randomBits, cut);
      code.vector('i32x4.add');
      break;
    case 'rz':
      break;
  }
  shift(code, 'i32x4.shr_u', cut);
}

/**
 * Pushes the random bits, shifted so that they are directly below the last bit that is kept. Random bits below the last
 * bit of the value are discarded, because they cannot cause a carry.
 */
function pushRandom(code: Code, random: number, randomBits: number, cut: number): void {
  splat(code.get(random), 2 ** randomBits - 1).vector('v128.and');
  shift(code, 'i32x4.shl', Math.max(0, cut - randomBits));
  shift(code, 'i32x4.shr_u', Math.max(0, randomBits - cut));
}

/**
 * Corrects results of rounding to ue8m0 with rp. When f32 subnormals up to 2^-127 are rounded up, they get the exponent
 * field 1, but the pattern of 2^-127 in ue8m0 is 0.
 */
function dropToLeast(code: Code, magnitude: number): void {
  splat(code.get(magnitude), single.halfLeastNormal).vector('i32x4.gt_s', 'v128.and');
}

/**
 * Handles results that are too large for the format. They are replaced with infinity, or with the largest value if the
 * rounding mode rounds them toward zero. An infinity remains an infinity. In formats that have no infinity, a NaN takes
 * its place.
 */
function limitResult(code: Code, rounding: Rounding, format: FloatFormat, { magnitude, sign }: RoundingLocals): void {
  const { limit } = patternsOf(format);
  const top = Number(limit[0]);
  splat(code, top);
  if (rounding === 'rm' || rounding === 'rp') {
    // The bit pattern of infinity directly follows that of the largest value.
    splat(code, 1);
    raiseAway(code, sign, rounding);
    code.vector('i32x4.add');
  } else if (rounding !== 'rz') {
    splat(code, 1).vector('i32x4.add');
  }
  code.vector('i32x4.min_u');
  if (rounding === 'rna' || rounding === 'rs') return;
  splat(code.get(magnitude), single.infinity).vector('i32x4.eq');
  splat(code, top + 1).vector('v128.and', 'i32x4.max_u');
}
