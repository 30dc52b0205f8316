/**
 * f32 steps on four threads at once, following the rules of float-arithmetic.ts. Rare cases branch to the path for
 * single threads.
 */
import { pairOf, tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { FloatFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { pushDoubleWords, pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { splat } from './vector-words.ts';
import { wordsAt } from './vectors.ts';

const native: Readonly<Partial<Record<FloatFunction, VectorOpcode>>> = {
  add: 'f32x4.add',
  sub: 'f32x4.sub',
  mul: 'f32x4.mul',
  div: 'f32x4.div',
  'div.full': 'f32x4.div',
  sqrt: 'f32x4.sqrt',
};

export function vectorFloat(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, format, mode } = step;
  if (format !== 'f32' || mode.rounding !== 'rn' || mode.sat) return null;
  if (fn === 'fma') return () => fma(step, lowering);
  const opcode = native[fn];
  if (opcode === undefined || (fn === 'div' && mode.approximate)) return null;
  return () => {
    const { code, vectors } = lowering;
    for (const operand of operandsOf(step, lowering)) code.get(operand);
    const result = vectors.temporary();
    code.vector(opcode).set(result);
    if (mode.flush) leaveIfTiny(result, lowering);
    canonical(code, result);
    vectors.set(step.to, { type: 'i32', locals: [result] });
  };
}

/** Returns the operands. Under .ftz, subnormals become zeros of the same sign. */
function operandsOf({ from, mode }: StepOf<'float'>, { code, vectors }: VectorLowering): readonly number[] {
  return from.map((ref) => {
    const [given] = vectors.get(ref, 'i32').locals;
    if (!mode.flush) return given;
    const flushed = vectors.temporary();
    splat(code.get(given), 0x7f80_0000).vector('v128.and');
    splat(code, 0).vector('i32x4.ne');
    splat(code, signBit).vector('v128.or').get(given).vector('v128.and').set(flushed);
    return flushed;
  });
}

/**
 * Under .ftz, whether a result is flushed depends on its value before rounding. Results that are tiny or equal to the
 * least normal number are computed one by one.
 */
function leaveIfTiny(result: number, { code, leave }: VectorLowering): void {
  leave(() => {
    splat(code.get(result).vector('f32x4.abs'), leastNormal).vector('f32x4.le');
    splat(code.get(result), 0).vector('f32x4.ne', 'v128.and', 'v128.any_true');
  });
}

const signBit = 0x8000_0000;

/** Replaces every NaN with the one that hardware produces. */
function canonical(code: Code, result: number): void {
  code.get(result).get(result).vector('f32x4.ne', 'v128.any_true');
  code.if(() => {
    splat(code, 0x7fffffff).get(result);
    code.get(result).get(result).vector('f32x4.ne', 'v128.bitselect').set(result);
  });
}

const leastNormal = 0x0080_0000;

/**
 * Computes an fma in f64, where the product is exact and the sum is rounded once. Rounding it again to f32 is wrong
 * only if the sum was inexact and is a tie between two f32 or a subnormal f32. Such sums are computed one by one. Exact
 * ties are excluded because they are frequent, in means and in filters whose weights are powers of two.
 */
function fma(step: StepOf<'float'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const operands = tripleOf(operandsOf(step, lowering));
  const halves = ([0, 1] as const).map((half): HalfSum => ({ operands, half, sum: vectors.temporary() }));
  const [low, high] = pairOf(halves);
  for (const { half, sum } of halves) {
    const [a, b, c] = operands;
    widen(code, a, half);
    widen(code, b, half).vector('f64x2.mul');
    widen(code, c, half).vector('f64x2.add').set(sum);
  }
  const result = vectors.temporary();
  code.get(low.sum).vector('f32x4.demote_f64x2_zero').get(high.sum).vector('f32x4.demote_f64x2_zero');
  code.shuffle(wordsAt(0, 1, 4, 5)).set(result);
  pushHalfway(code, low);
  pushHalfway(code, high).vector('v128.or');
  splat(code.get(result).vector('f32x4.abs'), leastNormal).vector('f32x4.le', 'v128.or');
  code.get(result).get(result).vector('f32x4.ne', 'v128.or', 'v128.any_true');
  code.if(() => {
    for (const one of halves) pushSuspect(code, one);
    code.vector('v128.or', 'v128.any_true').if(() =>
      lowering.leave(() => {
        for (const one of halves) pushTwiceRounded(one, step.mode.flush, lowering);
        code.vector('v128.or', 'v128.any_true');
      }),
    );
    canonical(code, result);
  });
  vectors.set(step.to, { type: 'i32', locals: [result] });
}

/** The f64 sums of two of the four threads. */
interface HalfSum {
  readonly operands: readonly [number, number, number];
  readonly half: 0 | 1;
  readonly sum: number;
}

/** Pushes two of the four f32 as f64. */
function widen(code: Code, local: number, half: 0 | 1): Code {
  code.get(local);
  if (half === 1) code.get(local).shuffle(wordsAt(2, 3, 2, 3));
  return code.vector('f64x2.promote_low_f32x4');
}

/** Pushes masks of the sums that are a tie between two normal f32. */
function pushHalfway(code: Code, { sum }: HalfSum): Code {
  pushDoubleWords(code.get(sum), 0x1fffffffn).vector('v128.and');
  return pushDoubleWords(code, 0x10000000n).vector('i64x2.eq');
}

/** Pushes masks of the sums that are not zero and below the least normal f32. */
function pushTiny(code: Code, { sum }: HalfSum): Code {
  pushDoubleWords(code.get(sum).vector('f64x2.abs'), 0x3810_0000_0000_0000n).vector('f64x2.lt');
  return pushDoubleWords(code.get(sum), 0n).vector('f64x2.ne', 'v128.and');
}

/** Pushes masks of the sums for which a second rounding may be wrong, if there was a first one. */
function pushSuspect(code: Code, half: HalfSum): Code {
  pushHalfway(code, half);
  return pushTiny(code, half).vector('v128.or');
}

/**
 * Pushes masks of the sums for which a second rounding may be wrong. Under .ftz, all subnormal sums are included,
 * because they are flushed whether they are exact or not.
 */
function pushTwiceRounded(half: HalfSum, flush: boolean, lowering: VectorLowering): void {
  const { code } = lowering;
  pushInexact(half, lowering);
  if (flush) {
    pushHalfway(code, half).vector('v128.and');
    pushTiny(code, half).vector('v128.or');
  } else pushSuspect(code, half).vector('v128.and');
}

/** Pushes masks of the sums that were rounded. Knuth's TwoSum gives the exact rounding error. */
function pushInexact({ operands: [a, b, c], half, sum }: HalfSum, { code, vectors }: VectorLowering): void {
  const [product, addend, part] = [vectors.temporary(), vectors.temporary(), vectors.temporary()];
  widen(code, a, half);
  widen(code, b, half).vector('f64x2.mul').set(product);
  widen(code, c, half).set(addend);
  code.get(sum).get(product).vector('f64x2.sub').set(part);
  code.get(product).get(sum).get(part).vector('f64x2.sub', 'f64x2.sub');
  code.get(addend).get(part).vector('f64x2.sub', 'f64x2.add');
  pushDoubleWords(code, 0n).vector('f64x2.ne');
}

const orders: Readonly<Record<string, VectorOpcode>> = {
  eq: 'f32x4.eq',
  lt: 'f32x4.lt',
  le: 'f32x4.le',
  gt: 'f32x4.gt',
  ge: 'f32x4.ge',
  neu: 'f32x4.ne',
};

/** Comparisons that hold exactly if their opposite does not. */
const opposites: Readonly<Record<string, VectorOpcode>> = {
  ltu: 'f32x4.ge',
  leu: 'f32x4.gt',
  gtu: 'f32x4.le',
  geu: 'f32x4.lt',
};

export function vectorFloatComparison(step: StepOf<'compare'>, lowering: VectorLowering): Writer | null {
  const { code, vectors } = lowering;
  const opcode = orders[step.comparison] ?? opposites[step.comparison];
  if (step.type !== 'f32' || step.flush || opcode === undefined) return null;
  return () => {
    const [a, b] = pairOf(step.from.map((ref) => vectors.get(ref, 'i32').locals[0]));
    const truth = vectors.temporary();
    code.get(a).get(b).vector(opcode);
    if (orders[step.comparison] === undefined) code.vector('v128.not');
    code.set(truth);
    pushTruth({ type: 'i32', locals: [truth] }, lowering);
    setWord(step.to, lowering);
  };
}
