/**
 * f32 on four threads at once, by the rules of float-arithmetic.ts. Rare cases branch to the path for single threads.
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

/** Under .ftz, subnormal operands are zeros with their sign. */
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
 * Under .ftz, a result is flushed by its value before rounding. Results next to the least normal number are computed
 * one by one.
 */
function leaveIfTiny(result: number, { code, leave }: VectorLowering): void {
  leave(() => {
    splat(code.get(result).vector('f32x4.abs'), leastNormal).vector('f32x4.le');
    splat(code.get(result), 0).vector('f32x4.ne', 'v128.and', 'v128.any_true');
  });
}

const signBit = 0x8000_0000;

/** NaNs become the one that hardware produces. */
function canonical(code: Code, result: number): void {
  code.get(result).get(result).vector('f32x4.ne', 'v128.any_true');
  code.if(() => {
    splat(code, 0x7fffffff).get(result);
    code.get(result).get(result).vector('f32x4.ne', 'v128.bitselect').set(result);
  });
}

const leastNormal = 0x0080_0000;

/**
 * The product is exact in f64 and the sum is rounded once. Rounding it again is wrong only for a tie between two f32 or
 * a subnormal f32. Nonzero sums that may be such are computed one by one.
 */
function fma(step: StepOf<'float'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [a, b, c] = tripleOf(operandsOf(step, lowering));
  const sums = [vectors.temporary(), vectors.temporary()] as const;
  sums.forEach((sum, half) => {
    const widened = (local: number): Code => {
      code.get(local);
      if (half === 1) code.get(local).shuffle(wordsAt(2, 3, 2, 3));
      return code.vector('f64x2.promote_low_f32x4');
    };
    widened(a);
    widened(b).vector('f64x2.mul');
    widened(c).vector('f64x2.add').set(sum);
  });
  const result = vectors.temporary();
  code.get(sums[0]).vector('f32x4.demote_f64x2_zero').get(sums[1]).vector('f32x4.demote_f64x2_zero');
  code.shuffle(wordsAt(0, 1, 4, 5)).set(result);
  const halfway = (sum: number): void => {
    pushDoubleWords(code.get(sum), 0x1fffffffn).vector('v128.and');
    pushDoubleWords(code, 0x10000000n).vector('i64x2.eq');
  };
  halfway(sums[0]);
  halfway(sums[1]);
  code.vector('v128.or');
  splat(code.get(result).vector('f32x4.abs'), leastNormal).vector('f32x4.le', 'v128.or');
  code.get(result).get(result).vector('f32x4.ne', 'v128.or', 'v128.any_true');
  code.if(() => {
    lowering.leave(() => {
      halfway(sums[0]);
      halfway(sums[1]);
      code.vector('v128.or');
      for (const sum of sums) {
        pushDoubleWords(code.get(sum).vector('f64x2.abs'), 0x3810_0000_0000_0000n).vector('f64x2.lt');
        pushDoubleWords(code.get(sum), 0n).vector('f64x2.ne', 'v128.and', 'v128.or');
      }
      code.vector('v128.any_true');
    });
    canonical(code, result);
  });
  vectors.set(step.to, { type: 'i32', locals: [result] });
}

const orders: Readonly<Record<string, VectorOpcode>> = {
  eq: 'f32x4.eq',
  lt: 'f32x4.lt',
  le: 'f32x4.le',
  gt: 'f32x4.gt',
  ge: 'f32x4.ge',
  neu: 'f32x4.ne',
};

/** Comparisons that hold if their opposite does not. */
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
