/** Describes the arithmetic that tensor cores use for dot products; dot.ts implements it. */
import { elementAt } from '../base/element-at.ts';

/** The formats that a tensor core multiplies in floating point, except f64. */
export const factorFormats = ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2', 'e3m2', 'e2m3', 'e2m1'] as const;
export type FactorFormat = (typeof factorFormats)[number];

/** The formats of accumulators and results. */
export type Accumulator = 'f16' | 'f32';

/**
 * How the sum of a chunk is rounded: `f32` truncates it to 24 significant bits, and `e8m13` to 14 significant bits,
 * both with the exponent range of f32; `f16` rounds it to the nearest f16 number, with ties to even.
 */
export type ChunkEnd = 'f32' | 'e8m13' | 'f16';

/** The arithmetic of a generation of tensor cores for a family of types. */
export interface DotArithmetic {
  /** Number of products in a chunk. The sum of a chunk is one of the terms of the next chunk. */
  readonly chunk: number;
  /**
   * Before the terms are added, each is truncated to a multiple of 2^(e - kept), where e is the greatest exponent of
   * any term.
   */
  readonly kept: number;
  readonly end: ChunkEnd;
  /** The exponent that a term of zero is considered to have when the greatest exponent is determined. */
  readonly zeroExponent: number;
  /**
   * The order of addition. `direct`: chunks are added to c in the order of k. `halves`: elements with k % 4 < 2 come
   * first, then the others, and the sum starts from zero; c is added at the end, with rounding to nearest even.
   */
  readonly order: 'direct' | 'halves';
}

/** Reorders elements for `halves`: those with k % 4 < 2 come first, then the others. */
export function halvesOf<T>(elements: readonly T[]): readonly T[] {
  const order = elements.map((_, k) => k);
  return [...order.filter((k) => k % 4 < 2), ...order.filter((k) => k % 4 >= 2)].map((k) => elementAt(elements, k));
}
