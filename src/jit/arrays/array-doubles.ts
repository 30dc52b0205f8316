/**
 * Converts sixteen elements at a time. This file handles conversions from f64 that can go through f32, and conversions
 * to f64 from formats whose values f32 can represent.
 */
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type GroupLocals, groupOf, type GroupAccess, storeGroup } from './array-storage.ts';
import { single, splat } from '../simd/vector-words.ts';

/** The number of fraction bits of f64 minus the number of fraction bits of f32. */
const spare = 29;

/** Joins two vectors of two f32 values each; the lanes of the second follow those of the first. */
const joined = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] as const;

/** Moves the upper two words of a vector to the lower half. */
const upperHalf = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/**
 * Returns locals that hold a group as f32, rounded to odd: truncated, with the last bit set if anything was lost.
 * Rounding this value to a format with at least two fraction bits fewer than f32 gives the same result as rounding the
 * f64 itself (Boldo and Melquiond, 2008). This does not hold if the value is a subnormal f32, which matters only if the
 * target is bf16. A caller that converts to bf16 therefore passes a label as `otherwise`, and the code branches to it
 * if the group contains a subnormal f32.
 */
export function loadDoublesToOdd(code: Code, address: number, otherwise: Label | null): GroupLocals {
  const double = code.local('v128');
  const pushPair = (offset: number): void => {
    code.get(address).vectorMemory('v128.load', offset).tee(double);
    splatLong(code, 2 ** spare - 1, 0).vector('v128.and');
    splatLong(code, 2 ** spare - 1, 0).vector('i64x2.add');
    code.get(double).vector('v128.or');
    splatLong(code, -(2 ** spare), -1).vector('v128.and', 'f32x4.demote_f64x2_zero');
  };
  const words = groupOf(code, (i) => {
    pushPair(32 * i);
    pushPair(32 * i + 16);
    code.shuffle(joined);
  });
  if (otherwise !== null) {
    pushSubnormal(code, words);
    code.vector('v128.any_true').brIf(otherwise);
  }
  return words;
}

/** Pushes a vector that is nonzero if any element of the group is subnormal. */
function pushSubnormal(code: Code, words: GroupLocals): void {
  words.forEach((local, i) => {
    splat(code.get(local), single.magnitude).vector('v128.and');
    splat(code, -1).vector('i32x4.add');
    // Subtracting 1 first turns zero into the largest unsigned number, so that zero does not count as subnormal.
    splat(code, single.leastNormal - 1).vector('i32x4.lt_u');
    if (i > 0) code.vector('v128.or');
  });
}

/** Whether a conversion only rounds f64 to the nearest f32, with overflow to infinity. */
export function isDemotion(c: Conversion): boolean {
  const isNearest = c.from === 'f64' && c.to === 'f32' && isPlainRounding(c) && (c.rounding ?? 'rn') === 'rn';
  return isNearest && overflowPolicyOf(c).name === 'directed';
}

/** Converts a group to f32; branches to `otherwise` if it contains a NaN. */
export function writeDemotion(code: Code, { source, target, otherwise }: GroupAccess): void {
  const words = groupOf(code, (i) => {
    for (const offset of [32 * i, 32 * i + 16]) {
      code.get(source.local).vectorMemory('v128.load', offset).vector('f32x4.demote_f64x2_zero');
    }
    code.shuffle(joined);
  });
  branchIfNan(code, words, otherwise);
  storeGroup(code, target.storage, target.local, words);
}

/** Whether a conversion to f64 does nothing but decode a source format whose values f32 can represent. */
export function isPromotion(c: Conversion): boolean {
  const format = formats[c.from];
  return c.to === 'f64' && format.kind === 'float' && format.width <= 32 && isPlainRounding(c) && !c.satfinite;
}

/** Stores a group of f32 as f64; branches to `otherwise` if it contains a NaN. */
export function storePromoted(code: Code, words: GroupLocals, { target, otherwise }: GroupAccess): void {
  branchIfNan(code, words, otherwise);
  words.forEach((local, i) => {
    code.get(target.local).get(local).vector('f64x2.promote_low_f32x4');
    code.vectorMemory('v128.store', 32 * i);
    code.get(target.local).get(local).get(local).shuffle(upperHalf).vector('f64x2.promote_low_f32x4');
    code.vectorMemory('v128.store', 32 * i + 16);
  });
}

function branchIfNan(code: Code, words: GroupLocals, otherwise: Label): void {
  words.forEach((local, i) => {
    code.get(local).get(local).vector('f32x4.ne');
    if (i > 0) code.vector('v128.or');
  });
  code.vector('v128.any_true').brIf(otherwise);
}

function splatLong(code: Code, low: number, high: number): Code {
  return code.words(low, high, low, high);
}
