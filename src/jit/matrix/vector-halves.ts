/** Handles f16 accumulators and results, which are converted to f32 for vector arithmetic. */
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat, splatPower } from '../simd/vector-words.ts';

/**
 * Two biased f32 exponents: the exponent of the smallest normal f16 number, and the exponent of the first power of two
 * above the largest f16 number.
 */
const [least, beyond] = [127 - 14, 127 + 16];

/** The number of fraction bits of f32 minus the number of fraction bits of f16. */
const extra = 13;

/**
 * Converts the f16 in the low half (or, with `high`, the high half) of each of the four words on the stack to f32.
 * Infinities become 2^16.
 */
export function decodeHalves(code: Code, high: boolean): Code {
  const word = code.local('v128');
  const low = high ? 16 : 0;
  code.set(word).get(word);
  if (high) shift(code, 'i32x4.shr_u', low - extra);
  else shift(code, 'i32x4.shl', extra);
  splat(code, 0x7fff << extra).vector('v128.and');
  splat(shift(code.get(word), 'i32x4.shl', 16 - low), single.sign).vector('v128.and', 'v128.or');
  return splatPower(code, 112).vector('f32x4.mul');
}

/** Rounds the magnitudes on the stack to the nearest f16 values, with ties to even. Infinities become 2^16. */
export function roundToHalves(code: Code): Code {
  const [value, last] = [code.local('v128'), code.local('v128')];
  // Adding a large number and then subtracting it rounds the value to f16. The number is a power of two whose exponent
  // exceeds the exponent of the value by 13, so its last place in f32 has the same weight as the last place of the
  // value in f16.
  splat(code.tee(value), single.infinity).vector('v128.and');
  splat(splat(code, least << 23).vector('i32x4.max_s'), extra << 23)
    .vector('i32x4.add')
    .set(last);
  code.get(value).get(last).vector('f32x4.add').get(last).vector('f32x4.sub');
  return splat(code, beyond << 23).vector('i32x4.min_s');
}

/** Pushes the f16 codes of four values, which must be representable in f16. */
export function pushHalves(code: Code, value: number): Code {
  const magnitude = code.local('v128');
  const half = 0x3f000000;
  splat(code.get(value), single.magnitude).vector('v128.and').set(magnitude);
  splat(shift(code.get(magnitude), 'i32x4.shr_u', extra), (least - 1) << 10).vector('i32x4.sub');
  // If 0.5 is added to a number that is subnormal in f16, the lowest bits of the sum are the f16 code of the number,
  // because the last place of 0.5 in f32 is 2^-24.
  splat(splat(code.get(magnitude), half).vector('f32x4.add'), half).vector('i32x4.sub');
  splat(code.get(magnitude), (least << 23) - 1).vector('i32x4.gt_s', 'v128.bitselect');
  return splat(shift(code.get(value), 'i32x4.shr_u', 16), 0x8000).vector('v128.and', 'v128.or');
}

/**
 * Pushes the biased exponents of accumulators. The local `doubled` contains the bits of the accumulators, shifted left
 * by one. The exponent of a zero is 0.
 */
export function pushHalfExponents(code: Code, doubled: number): Code {
  splat(shift(code.get(doubled), 'i32x4.shr_u', 24), least).vector('i32x4.max_s');
  return code.get(doubled).words(0, 0, 0, 0).vector('i32x4.eq', 'v128.andnot');
}

/** Pushes a mask of the lanes that hold an infinity or a NaN, given their exponents. */
export function pushBeyond(code: Code, exponent: number): Code {
  return splat(code.get(exponent), beyond - 1).vector('i32x4.gt_s');
}
