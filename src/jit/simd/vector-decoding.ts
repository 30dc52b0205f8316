/**
 * Decodes four values of a format to f32. All conversions of four values use f32 as an intermediate format. f32 can
 * represent all formats of at most 32 bits except 32-bit integers, which are rounded to f32 as the destination
 * requires.
 */
import type { Rounding } from '../../numerics/conversion.ts';
import type { FixedFormat, FloatFormat, NumberFormat } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat, splatPower } from './vector-words.ts';

/** Locals, all v128. */
export interface SingleLocals {
  /** The bits of each f32 except the sign bit. If the source is a NaN, these bits are arbitrary. */
  readonly magnitude: number;
  /**
   * The sign of each value is the top bit of the word; the other bits are arbitrary. Null if the format has no negative
   * values.
   */
  readonly sign: number | null;
  /** A mask with all bits set in lanes that hold a NaN; null if the format has no NaN. */
  readonly nan: number | null;
}

/**
 * What to do with the bits of a 32-bit integer that do not fit in f32: round, or set a sticky bit (`odd`) for a later
 * rounding.
 */
export type IntegerRounding = Rounding | 'odd';

/** Decodes the zero-extended words in `source`. */
export function decodeVector(code: Code, format: NumberFormat, source: number, cut: IntegerRounding): SingleLocals {
  if (format.kind !== 'float') return decodeFixed(code, format, source, cut);
  if (format.fractionBits === 0) return decodeScale(code, source);
  const wide = format.exponentBits === 8;
  const magnitude = wide ? decodeWide(code, format, source) : decodeNarrow(code, format, source);
  const sign = signOf(code, format, source);
  if (format.nan === 'none') return { magnitude, sign, nan: null };
  const nan = code.local('v128');
  if (wide) splat(code.get(magnitude), single.infinity).vector('i32x4.gt_s').set(nan);
  else {
    const { limit, mask } = narrowPatterns(format);
    splat(splat(code.get(source), mask).vector('v128.and'), limit)
      .vector('i32x4.gt_s')
      .set(nan);
  }
  return { magnitude, sign, nan };
}

/** Pushes magnitudes with their signs. */
export function pushSigned(code: Code, magnitude: number, sign: number | null): Code {
  code.get(magnitude);
  return sign === null ? code : splat(code.get(sign), single.sign).vector('v128.and', 'v128.or');
}

function signOf(code: Code, { width, signed }: FloatFormat, source: number): number | null {
  if (!signed) return null;
  if (width === 32) return source;
  const sign = code.local('v128');
  shift(code.get(source), 'i32x4.shl', 32 - width).set(sign);
  return sign;
}

/** Decodes bf16, tf32 or f32. Each of these formats consists of the upper bits of an f32. */
function decodeWide(code: Code, { width, padding }: FloatFormat, source: number): number {
  const magnitude = code.local('v128');
  shift(code.get(source), 'i32x4.shl', 32 - width);
  splat(code, single.magnitude - (2 ** padding - 1))
    .vector('v128.and')
    .set(magnitude);
  return magnitude;
}

/**
 * Bit patterns of a format, without the sign bit. `mask` has all bits set. `infinite` is the pattern of infinity or, if
 * the format has no infinity, a number above all patterns. `limit` is the largest pattern that is not a NaN.
 */
function narrowPatterns({ width, signed, fractionBits, infinity, nan }: FloatFormat): {
  readonly mask: number;
  readonly infinite: number;
  readonly limit: number;
} {
  const mask = 2 ** (signed ? width - 1 : width) - 1;
  const infinite = infinity ? mask - (2 ** fractionBits - 1) : mask + 1;
  return { mask, infinite, limit: infinity ? infinite : nan === 'none' ? mask : mask - 1 };
}

/**
 * Decodes a narrow format. A normal number only needs a different exponent. Subnormals are converted as small integers
 * and multiplied by a power of two.
 */
function decodeNarrow(code: Code, format: FloatFormat, source: number): number {
  const { fractionBits, bias } = format;
  const { mask, infinite } = narrowPatterns(format);
  const bits = code.local('v128');
  const magnitude = code.local('v128');
  splat(code.get(source), mask).vector('v128.and').set(bits);
  code.get(bits).vector('f32x4.convert_i32x4_s');
  splatPower(code, 1 - bias - fractionBits).vector('f32x4.mul');
  shift(code.get(bits), 'i32x4.shl', 23 - fractionBits);
  splat(code, (127 - bias) << 23).vector('i32x4.add');
  if (format.infinity) {
    splat(code.get(bits), infinite).vector('i32x4.ge_s');
    splat(code, single.infinity).vector('v128.and', 'v128.or');
  }
  splat(code.get(bits), 2 ** fractionBits).vector('i32x4.lt_s', 'v128.bitselect');
  code.set(magnitude);
  return magnitude;
}

/** A ue8m0 value consists only of an exponent; 0xff is a NaN. */
function decodeScale(code: Code, source: number): SingleLocals {
  const magnitude = code.local('v128');
  const nan = code.local('v128');
  pushScale(code.get(source));
  code.set(magnitude);
  splat(code.get(source), 0xff).vector('i32x4.eq').set(nan);
  return { magnitude, sign: null, nan };
}

/**
 * Turns the ue8m0 values on the stack into f32. The value is placed in the exponent field; a value of 0 becomes 2^-127,
 * which is subnormal in f32.
 */
export function pushScale(code: Code): void {
  splat(shift(code, 'i32x4.shl', 23), single.halfLeastNormal).vector('i32x4.max_u');
}

function decodeFixed(code: Code, format: FixedFormat, source: number, cut: IntegerRounding): SingleLocals {
  const { width, signed, fractionBits } = format;
  const magnitude = code.local('v128');
  const value = signed ? code.local('v128') : source;
  if (signed) {
    shift(code.get(source), 'i32x4.shl', 32 - width);
    shift(code, 'i32x4.shr_s', 32 - width).set(value);
  }
  code.get(value);
  if (signed) code.vector('i32x4.abs');
  if (width < 32) code.vector('f32x4.convert_i32x4_s');
  else convertWord(code, signed ? value : null, cut);
  if (fractionBits > 0) splatPower(code, -fractionBits).vector('f32x4.mul');
  code.set(magnitude);
  return { magnitude, sign: signed ? value : null, nan: null };
}

/**
 * Turns the 32-bit magnitudes on the stack into f32. An f32 has only 24 significant bits, so the lower bits of a large
 * magnitude do not fit. A mask selects these bits. As many bits are selected as there are significant bits in the upper
 * byte of the magnitude. The mask is computed from this byte by setting all bits below its highest 1 bit, because
 * WebAssembly cannot shift each lane by a different amount.
 */
function convertWord(code: Code, sign: number | null, cut: IntegerRounding): void {
  if (cut === 'rn') {
    code.vector('f32x4.convert_i32x4_u');
    return;
  }
  const magnitude = code.local('v128');
  const below = code.local('v128');
  code.set(magnitude);
  shift(code.get(magnitude), 'i32x4.shr_u', 24).set(below);
  for (const step of [1, 2, 4]) shift(code.get(below).get(below), 'i32x4.shr_u', step).vector('v128.or').set(below);
  code.get(magnitude).get(below).vector('v128.andnot', 'f32x4.convert_i32x4_u');
  if (cut === 'rz') return;
  const inexact = (): void => {
    splat(code.get(magnitude).get(below).vector('v128.and'), 0).vector('i32x4.ne');
  };
  inexact();
  if (cut === 'odd') {
    shift(code, 'i32x4.shr_u', 31).vector('v128.or');
    return;
  }
  raiseAway(code, sign, cut);
  // In lanes that are rounded up, the mask is -1, so subtracting the mask adds 1.
  code.vector('i32x4.sub');
}

/**
 * Keeps the words on the stack in those lanes that the rounding mode rm or rp rounds away from zero, and sets the words
 * in all other lanes to 0.
 */
export function raiseAway(code: Code, sign: number | null, rounding: Rounding): void {
  if (sign !== null) {
    shift(code.get(sign), 'i32x4.shr_s', 31).vector(rounding === 'rm' ? 'v128.and' : 'v128.andnot');
  } else if (rounding === 'rm') splat(code, 0).vector('v128.and');
}
