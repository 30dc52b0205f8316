/** Computes sums of float vectors, and the rounding errors of these sums. */
import type { Code } from '../../wasm/code.ts';
import { pushDoubleWords } from './vector-lowering.ts';
import { splat } from './vector-words.ts';

type Shape = 'f32x4' | 'f64x2';

/** The shape of integer vectors whose lanes have the same width, and the index of the sign bit. */
const integers = {
  f32x4: { words: 'i32x4', signBit: 31 },
  f64x2: { words: 'i64x2', signBit: 63 },
} as const;

type Terms = readonly [number, number];

/**
 * Given `sum`, the rounded sum of the vectors `a` and `b`, pushes its exact rounding error in each lane (Knuth's
 * TwoSum). `part` is a local for a partial result. The error of an infinite sum is a NaN.
 */
export function pushSumError(code: Code, shape: Shape, sum: number, [a, b]: Terms, part: number): Code {
  code.get(sum).get(a).vector(`${shape}.sub`).set(part);
  code.get(a).get(sum).get(part).vector(`${shape}.sub`, `${shape}.sub`);
  return code.get(b).get(part).vector(`${shape}.sub`, `${shape}.add`);
}

/** Returns locals with the rounded sum and its error. `local` returns a new local. */
export function exactSum(code: Code, shape: Shape, [a, b]: Terms, local: () => number): Terms {
  const [sum, part, error] = [local(), local(), local()];
  code.get(a).get(b).vector(`${shape}.add`).set(sum);
  pushSumError(code, shape, sum, [a, b], part).set(error);
  return [sum, error];
}

/**
 * Pushes a sum rounded to odd. If the exact sum is finite but cannot be represented, the result is the neighboring
 * number whose last bit is set.
 */
export function pushOddSum(code: Code, shape: Shape, terms: Terms, local: () => number): void {
  const { words, signBit } = integers[shape];
  const [sum, error] = exactSum(code, shape, terms, local);
  const step = local();
  // `step` is 1 if the sum is inexact and its last bit is clear, and otherwise 0.
  constant(code, shape, 1).get(sum).vector('v128.andnot');
  code.get(error).vector(`${shape}.abs`);
  constant(code, shape, 0).vector(`${shape}.gt`, 'v128.and').set(step);
  // If `step` is 1, the sum is moved to a neighboring number: away from zero if the error has the same sign as the sum,
  // and otherwise toward zero.
  code.get(sum).get(step).vector(`${words}.add`);
  code.get(sum).get(error).vector('v128.xor').i32(signBit).vector(`${words}.shr_u`).get(step).vector('v128.and');
  code.i32(1).vector(`${words}.shl`, `${words}.sub`);
}

function constant(code: Code, shape: Shape, value: number): Code {
  return shape === 'f32x4' ? splat(code, value) : pushDoubleWords(code, BigInt(value));
}
