/** Sixteen f64: to formats that f32 can stand in for, and from those it holds. */
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type GroupLocals, groupOf, type GroupPlaces, storeGroup } from './array-storage.ts';
import { single, splat } from '../simd/vector-words.ts';

/** Fraction bits that f64 has and f32 has not. */
const spare = 29;

/** Lanes of two vectors with two f32 each, those of the second behind those of the first. */
const joined = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] as const;

/** The upper two words of a vector in the lower half. */
const upperHalf = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/**
 * Locals with a group as f32, rounded to odd: cut, the last place set where anything was lost. A format with two fraction
 * bits less than f32 is rounded from that as from the f64 itself (Boldo and Melquiond, 2008). It does not hold for
 * subnormal f32, of which only bf16 sees anything: `otherwise` is where a group with one goes, if there is such a place.
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

/** Pushes lanes that are not zero where one of the group is subnormal. */
function pushSubnormal(code: Code, words: GroupLocals): void {
  words.forEach((local, i) => {
    splat(code.get(local), single.magnitude).vector('v128.and');
    splat(code, -1).vector('i32x4.add');
    // A zero has become the largest number there is.
    splat(code, single.leastNormal - 1).vector('i32x4.lt_u');
    if (i > 0) code.vector('v128.or');
  });
}

/** Whether a conversion to f32 only rounds, to nearest and to infinities. */
export function isDemotion(c: Conversion): boolean {
  const isNearest = c.from === 'f64' && c.to === 'f32' && isPlainRounding(c) && (c.rounding ?? 'rn') === 'rn';
  return isNearest && overflowPolicyOf(c).name === 'directed';
}

/** Converts a group to f32; goes to `otherwise` where there is a NaN in it. */
export function writeDemotion(code: Code, { source, target, otherwise }: GroupPlaces): void {
  const words = groupOf(code, (i) => {
    for (const offset of [32 * i, 32 * i + 16]) {
      code.get(source.local).vectorMemory('v128.load', offset).vector('f32x4.demote_f64x2_zero');
    }
    code.shuffle(joined);
  });
  branchIfNan(code, words, otherwise);
  storeGroup(code, target.storage, target.local, words);
}

/** Whether a conversion to f64 only decodes what f32 holds. */
export function isPromotion(c: Conversion): boolean {
  const format = formats[c.from];
  return c.to === 'f64' && format.kind === 'float' && format.width <= 32 && isPlainRounding(c) && !c.satfinite;
}

/** Stores a group of f32 as f64; goes to `otherwise` where there is a NaN in it. */
export function storePromoted(code: Code, words: GroupLocals, { target, otherwise }: GroupPlaces): void {
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
