/**
 * Implements f32 steps for four threads at once, following the rules of float-arithmetic.ts. Rare cases are handled by
 * the functions for single threads.
 */
import { elementAt } from '../../base/element-at.ts';
import { tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { FloatFunction, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { masksOf } from '../arithmetic/float-bits.ts';
import { flushed } from './vector-choices.ts';
import { fourByOne, repeatIf } from './four-by-one.ts';
import { pushSumError } from './exact-sums.ts';
import { pushDoubleWords, type VectorLowering, type Writer } from './vector-lowering.ts';
import { single, splat } from './vector-words.ts';
import { lowPairs, upperPair } from './word-shuffles.ts';

const native: Readonly<Partial<Record<FloatFunction, VectorOpcode>>> = {
  add: 'f32x4.add',
  sub: 'f32x4.sub',
  mul: 'f32x4.mul',
  div: 'f32x4.div',
  'div.full': 'f32x4.div',
  rcp: 'f32x4.div',
  sqrt: 'f32x4.sqrt',
};

export function vectorFloat(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, mode } = step;
  const isFused = fn === 'fma' && lowering.scalar.helpers.fuses;
  const opcode = isFused ? 'f32x4.relaxed_madd' : native[fn];
  if (mode.rounding !== 'rn') return null;
  if (opcode !== undefined) return () => writeNative(step, opcode, lowering);
  return fn === 'fma' && !mode.sat ? () => fma(step, lowering) : null;
}

function writeNative(step: StepOf<'float'>, opcode: VectorOpcode, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const { fn, mode, to } = step;
  const operands = operandsOf(step, lowering);
  const result = vectors.temporary();
  if (fn === 'rcp') splat(code, single.one);
  for (const operand of operands) code.get(operand);
  code.vector(opcode).set(result);
  repeatUnusual(step, operands, result, lowering);
  if (mode.sat) clamp(code, result);
  else if (!lowering.hidesNan) canonical(code, result);
  vectors.set(to, { type: 'i32', locals: [result] });
}

/** Clamps results to the range from 0 to 1. NaNs and -0 become +0. */
export function clamp(code: Code, result: number): void {
  splat(code, 0).get(result).vector('f32x4.pmax').set(result);
  splat(code, single.one).get(result).vector('f32x4.pmin').set(result);
}

/** Returns the operands. With .ftz, subnormal operands are replaced by zeros of the same sign. */
export function operandsOf({ from, mode }: StepOf<'float'>, { code, vectors }: VectorLowering): readonly number[] {
  return from.map((ref) => {
    const [given] = vectors.get(ref, 'i32').locals;
    if (!mode.flush) return given;
    return flushed({ code, format: 'f32', masks: masksOf('f32'), local: () => vectors.temporary() }, given);
  });
}

/**
 * Computes the results again, one by one, if the results of the native instruction may be wrong. With .ftz, whether a
 * result is flushed depends on its value before rounding, so results that are subnormal or equal to the smallest normal
 * number are computed again. div.approx has a special rule for divisors above 2^126.
 */
function repeatUnusual(
  step: StepOf<'float'>,
  operands: readonly number[],
  result: number,
  { code, scalar }: VectorLowering,
): void {
  const { fn, mode } = step;
  const approximates = fn === 'div' && mode.approximate;
  if (!mode.flush && !approximates) return;
  if (mode.flush) {
    splat(code.get(result).vector('f32x4.abs'), single.leastNormal).vector('f32x4.le');
    splat(code.get(result), 0).vector('f32x4.ne', 'v128.and');
  }
  if (approximates) {
    splat(code.get(elementAt(operands, 1)).vector('f32x4.abs'), 0x7e80_0000).vector('i32x4.gt_s');
    if (mode.flush) code.vector('v128.or');
  }
  code.vector('v128.any_true');
  repeatIf(code, fourByOne(scalar.helpers, step, operands.length), operands, [result]);
}

/** Replaces every NaN with the NaN that hardware produces. */
export function canonical(code: Code, result: number): void {
  code.get(result).get(result).vector('f32x4.ne', 'v128.any_true');
  code.unlikely().if(() => {
    splat(code, 0x7fffffff).get(result);
    code.get(result).get(result).vector('f32x4.ne', 'v128.bitselect').set(result);
  });
}

const { leastNormal, infinity } = single;

/**
 * Computes an fma in f64, where the product is exact and the sum is rounded once. The f64 sum is then rounded to f32.
 * This second rounding can produce a wrong result only if the f64 sum is not exact and, in addition, lies halfway
 * between two f32 numbers or becomes a subnormal f32. In these cases, the results are computed one by one. Exact sums
 * that lie halfway between two f32 numbers are not treated in this way, because they are frequent in means and in
 * filters whose weights are powers of two.
 */
function fma(step: StepOf<'float'>, lowering: VectorLowering): void {
  const { code, vectors, scalar } = lowering;
  const locals = operandsOf(step, lowering);
  const operands = tripleOf(locals.map((local, i) => ({ local, isSame: vectors.isSame(elementAt(step.from, i)) })));
  const sums = [vectors.temporary(), vectors.temporary()] as const;
  for (const half of [0, 1] as const) pushSum(code, operands, half).set(sums[half]);
  const result = vectors.temporary();
  code.get(sums[0]).vector('f32x4.demote_f64x2_zero').get(sums[1]).vector('f32x4.demote_f64x2_zero');
  code.shuffle(lowPairs).set(result);
  pushUnusual(code, sums, result);
  code.unlikely().if(() => {
    for (const local of [...locals, result]) code.get(local);
    code.call(unusualSum(scalar.helpers, step.mode)).set(result);
  });
  vectors.set(step.to, { type: 'i32', locals: [result] });
}

/**
 * Pushes 1 if any f64 sum lies halfway between two normal f32 numbers, or if any result is a NaN, zero, subnormal or
 * the smallest normal number.
 */
function pushUnusual(code: Code, sums: readonly [number, number], result: number): void {
  pushHalfway(code, sums[0]);
  pushHalfway(code, sums[1]).vector('v128.or');
  // Apart from the sign bit, the bit patterns of ordinary results form a contiguous range of integers. Adding a
  // constant moves this range to the bottom of the signed integers, so that a single signed comparison finds all
  // unusual results.
  code.get(result).i32(1).vector('i32x4.shl');
  splat(code, 0x7fff_ffff - 2 * leastNormal).vector('i32x4.add');
  splat(code, 2 * infinity - 1 - 2 * leastNormal - 0x8000_0000).vector('i32x4.gt_s', 'v128.or', 'v128.any_true');
}

/**
 * Returns the index of a function that takes the operands and the rounded sums and returns the results. It computes the
 * f64 sums again, because passing them as parameters would force the code of each fma to keep them in registers.
 */
function unusualSum(helpers: Helpers, mode: FloatMode): number {
  const parameters = ['v128', 'v128', 'v128', 'v128'] as const;
  return helpers.function(`unusual sum ${JSON.stringify(mode)}`, { parameters, results: ['v128'] }, (code) => {
    const [a, b, c, result] = [0, 1, 2, 3] as const;
    const operands = tripleOf([a, b, c].map((local): Operand => ({ local, isSame: false })));
    const halves = ([0, 1] as const).map((half): HalfSum => {
      const sum = code.local('v128');
      pushSum(code, operands, half).set(sum);
      return { operands, half, sum };
    });
    for (const one of halves) pushSuspect(code, one);
    code.vector('v128.or', 'v128.any_true').if(() => {
      for (const one of halves) pushTwiceRounded(one, mode.flush, code);
      code.vector('v128.or', 'v128.any_true').if(() => {
        code
          .get(a)
          .get(b)
          .get(c)
          .call(fourByOne(helpers, { fn: 'fma', format: 'f32', mode }, 3))
          .op('return');
      });
    });
    canonical(code, result);
    code.get(result);
  });
}

/** An f32 operand. */
export interface Operand {
  readonly local: number;
  /** Whether the operand has the same value in all four threads. */
  readonly isSame: boolean;
}

type Operands = readonly [Operand, Operand, Operand];

/** The f64 sums of two of the four threads. */
interface HalfSum {
  readonly operands: Operands;
  readonly half: 0 | 1;
  readonly sum: number;
}

/** Pushes two of the four sums `a * b + c` in f64. */
function pushSum(code: Code, [a, b, c]: Operands, half: 0 | 1): Code {
  widen(code, a, half);
  widen(code, b, half).vector('f64x2.mul');
  return widen(code, c, half).vector('f64x2.add');
}

/**
 * Pushes two of the four f32 values, converted to f64. If all four values are the same, the code for both halves is the
 * same, and V8 executes it only once.
 */
export function widen(code: Code, { local, isSame }: Operand, half: 0 | 1): Code {
  code.get(local);
  if (half === 1 && !isSame) code.get(local).shuffle(upperPair);
  return code.vector('f64x2.promote_low_f32x4');
}

/** Pushes masks of the sums that lie halfway between two normal f32 numbers. */
function pushHalfway(code: Code, sum: number): Code {
  pushDoubleWords(code.get(sum), 0x1fffffffn).vector('v128.and');
  return pushDoubleWords(code, 0x10000000n).vector('i64x2.eq');
}

/** Pushes masks of the sums that are nonzero and whose magnitude is below the smallest normal f32 number. */
function pushTiny(code: Code, { sum }: HalfSum): Code {
  pushDoubleWords(code.get(sum).vector('f64x2.abs'), 0x3810_0000_0000_0000n).vector('f64x2.lt');
  return pushDoubleWords(code.get(sum), 0n).vector('f64x2.ne', 'v128.and');
}

/** Pushes a mask of the sums for which the second rounding may be wrong if the first rounding was not exact. */
function pushSuspect(code: Code, half: HalfSum): Code {
  pushHalfway(code, half.sum);
  return pushTiny(code, half).vector('v128.or');
}

/**
 * Pushes a mask of the sums for which the second rounding may be wrong. With .ftz, the mask includes all subnormal
 * sums, because they have to be flushed to zero even if they are exact.
 */
function pushTwiceRounded(half: HalfSum, flush: boolean, code: Code): void {
  pushInexact(half, code);
  if (flush) {
    pushHalfway(code, half.sum).vector('v128.and');
    pushTiny(code, half).vector('v128.or');
  } else pushSuspect(code, half).vector('v128.and');
}

/** Pushes a mask of the sums that are not exact. */
function pushInexact({ operands: [a, b, c], half, sum }: HalfSum, code: Code): void {
  const [product, addend, part] = [code.local('v128'), code.local('v128'), code.local('v128')];
  widen(code, a, half);
  widen(code, b, half).vector('f64x2.mul').set(product);
  widen(code, c, half).set(addend);
  pushSumError(code, 'f64x2', sum, [product, addend], part);
  pushDoubleWords(code, 0n).vector('f64x2.ne');
}
