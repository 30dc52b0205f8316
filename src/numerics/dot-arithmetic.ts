/** Describes the arithmetic that tensor cores use for dot products; dot.ts implements it. */

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

/** The format of the accumulator, which holds the rounded sum of a chunk. */
export function accumulatorOf(end: ChunkEnd): Accumulator {
  return end === 'f16' ? 'f16' : 'f32';
}

/** The arithmetic that one generation of tensor cores uses for a family of types. */
export interface DotArithmetic {
  /** Number of products in a chunk. The sum of a chunk is one of the terms of the next chunk. */
  readonly chunk: number;
  /**
   * Before the terms are added, each is truncated to a multiple of 2^(e - kept), where e is the largest exponent of any
   * term.
   */
  readonly kept: number;
  readonly end: ChunkEnd;
  /** The exponent that a term of zero is considered to have when the largest exponent is determined. */
  readonly zeroExponent: number;
  /**
   * The order of addition. `direct`: chunks are added to c in the order of k. `halves`: the elements are converted to
   * f16 before they are multiplied. Elements with k % 4 < 2 are added first, and then all others; a chunk never
   * contains both kinds of elements. In a sparse product, k counts only the elements that are kept. The sum starts from
   * zero, and c is added at the end, with rounding to nearest even.
   */
  readonly order: 'direct' | 'halves';
}

/** The smallest exponent of a normal f16 number. */
export const leastOfHalf = -14;

/** Divides elements into the parts that are added one after the other. */
export function partsOf<T>(elements: readonly T[], order: DotArithmetic['order']): readonly (readonly T[])[] {
  if (order === 'direct') return [elements];
  return [elements.filter((_, k) => k % 4 < 2), elements.filter((_, k) => k % 4 >= 2)];
}

/** The elements that each chunk adds, in the order of the chunks. */
export function chunksOf<T>(elements: readonly T[], { chunk, order }: DotArithmetic): readonly (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (const part of partsOf(elements, order)) {
    for (let at = 0; at < part.length; at += chunk) chunks.push(part.slice(at, at + chunk));
  }
  return chunks;
}

/** The maximum number of elements in a chunk. */
export function longestChunk(count: number, { chunk, order }: DotArithmetic): number {
  return Math.min(chunk, order === 'direct' ? count : count / 2);
}

/**
 * Sums that are rounded to the nearest f32 number, with ties to even, after every addition. The products, which are
 * exact in f32, are divided into groups. First, the products in a group are added up; then their sum is added to the
 * running sum, which starts as c or as zero. If the running sum starts as zero, c is added at the end.
 */
export interface StepwiseArithmetic {
  readonly group: 1 | 2;
  readonly start: 'c' | 'zero';
}
