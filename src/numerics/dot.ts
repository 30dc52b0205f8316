/**
 * Computes dot products the way tensor cores do: products are exact, the terms of a chunk are aligned to their largest
 * exponent and truncated, and the sum of each chunk is rounded once. This behavior was measured on hardware and modeled
 * by the authors of MMA-Sim (arXiv 2511.10909).
 */
import type { Bits } from '../base/bits.ts';
import {
  type Accumulator,
  accumulatorOf,
  type ChunkEnd,
  chunksOf,
  type DotArithmetic,
  type FactorFormat,
  leastOfHalf,
  type StepwiseArithmetic,
} from './dot-arithmetic.ts';
import { decoder, finite, noTail, power, type Exact } from './exact.ts';
import { patternsOf } from './encode.ts';
import { formats } from './formats.ts';
import { type Grid, gridOf, round } from './round.ts';

/**
 * A term with the value `significand` * 2^(`exponent` - `fractionBits`). When the largest exponent of all terms is
 * determined, the term is considered to have the exponent `exponent` or, if `counts` is false, the exponent for zeros.
 * By default, `counts` is true unless the significand is 0.
 */
export interface Term {
  readonly significand: number;
  readonly exponent: number;
  readonly fractionBits: number;
  readonly counts?: boolean;
}

/** A term that is not finite. */
export type Special = 'infinity' | '-infinity' | 'nan';

export type Addend = Term | Special;

/**
 * Returns a function that converts the bits of an operand to a term. The term is not normalized: a subnormal keeps the
 * exponent of the smallest normal numbers of its format.
 */
export function termOf(format: Accumulator | FactorFormat): (bits: Bits) => Addend {
  const decode = decoder(format);
  const { fractionBits } = formats[format];
  return (bits) => addendOf(decode(bits), fractionBits);
}

function addendOf(value: Exact, fractionBits: number): Addend {
  switch (value.kind) {
    case 'nan':
      return 'nan';
    case 'infinity':
      return value.sign === 1 ? '-infinity' : 'infinity';
    case 'zero':
      return { significand: 0, exponent: 0, fractionBits };
    case 'finite': {
      const significand = value.sign === 1 ? -value.significand : value.significand;
      return { significand, exponent: value.exponent + fractionBits, fractionBits };
    }
  }
}

/**
 * Returns a function that converts the bits of a factor to a term. If factors are converted to f16 first, the term has
 * the exponent that its value has in f16. This changes the exponent of e4m3 subnormals, which are normal numbers in
 * f16.
 */
export function factorTermOf(format: FactorFormat, order: DotArithmetic['order']): (bits: Bits) => Addend {
  const term = termOf(format);
  return order === 'direct' ? term : (bits) => inHalf(term(bits));
}

function inHalf(term: Addend): Addend {
  if (typeof term === 'string' || term.significand === 0) return term;
  let { significand, exponent } = term;
  for (const one = 2 ** term.fractionBits; Math.abs(significand) < one && exponent > leastOfHalf; exponent--)
    significand *= 2;
  return { ...term, significand, exponent };
}

/** The exact product of two terms, without normalization. */
export function product(a: Addend, b: Addend): Addend {
  if (typeof a !== 'string' && typeof b !== 'string') {
    return {
      significand: a.significand * b.significand,
      exponent: a.exponent + b.exponent,
      fractionBits: a.fractionBits + b.fractionBits,
    };
  }
  const signs = [a, b].map(signOf);
  if (signs.includes(0) || a === 'nan' || b === 'nan') return 'nan';
  return signs[0] === signs[1] ? 'infinity' : '-infinity';
}

function signOf(addend: Addend): number {
  if (typeof addend !== 'string') return Math.sign(addend.significand);
  return addend === '-infinity' ? -1 : 1;
}

/** The sum of aligned and truncated terms: `sum` * 2^`unit`. */
export interface AlignedSum {
  readonly greatest: number;
  readonly unit: number;
  readonly sum: number;
}

/** Aligns finite terms: they become multiples of 2^`unit`, truncated toward zero. Their sum is exact. */
export function align(terms: readonly Term[], { kept, zeroExponent }: DotArithmetic): AlignedSum {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const { significand, exponent, counts = significand !== 0 } of terms)
    greatest = Math.max(greatest, counts ? exponent : zeroExponent);
  const unit = greatest - kept;
  let sum = 0;
  for (const { significand, exponent, fractionBits } of terms)
    sum += Math.trunc(significand * power(exponent - fractionBits - unit));
  return { greatest, unit, sum };
}

const special: Readonly<Record<Accumulator, Readonly<Record<Special, number>>>> = {
  f32: { infinity: 0x7f800000, '-infinity': 0xff800000, nan: 0x7fffffff },
  f16: { infinity: 0x7c00, '-infinity': 0xfc00, nan: 0x7fff },
};

/** Adds the terms of a chunk, one of which is the accumulator, and returns the bits of the rounded sum. */
export function chunkSum(terms: readonly Addend[], arithmetic: DotArithmetic): number {
  const to = accumulatorOf(arithmetic.end);
  if (!terms.every((term) => typeof term !== 'string')) return special[to][specialSum(terms)];
  const { sum, unit } = align(terms, arithmetic);
  return ending(sum, unit, arithmetic.end);
}

/** The sum of terms that are not all finite. */
function specialSum(terms: readonly Addend[]): Special {
  const [first = 'nan', ...others] = terms.filter((term) => typeof term === 'string');
  return others.every((one) => one === first) ? first : 'nan';
}

const f32Grid = gridOf('f32');
const grids: Readonly<Record<ChunkEnd, Grid>> = {
  f32: f32Grid,
  e8m13: { ...f32Grid, precision: 14, lowest: -139 },
  f16: gridOf('f16'),
};

/** Returns the bits of `sum` * 2^`unit`, rounded as tensor cores round the sum of a chunk. */
export function ending(sum: number, unit: number, end: ChunkEnd): number {
  if (sum === 0) return 0;
  const to = accumulatorOf(end);
  const sign = sum < 0 ? 1 : 0;
  const rounding = end === 'f16' ? 'rn' : 'rz';
  const { significand, exponent, overflow } = round(finite(sign, Math.abs(sum), unit, noTail), grids[end], rounding);
  if (overflow) return special[to][sign === 1 ? '-infinity' : 'infinity'];
  return significand === 0 ? 0 : Number(patternsOf(to).encode(sign, significand, exponent));
}

/** An accumulator as a term. */
export const readAccumulator: Readonly<Record<Accumulator, (bits: Bits) => Addend>> = {
  f16: termOf('f16'),
  f32: termOf('f32'),
};

/**
 * Adds the products to `c`, chunk by chunk, and returns the bits of the result. The accumulator `c` has the format of
 * the result. `add` is a function that adds two numbers in this format and rounds to nearest even.
 */
export function dotProduct(
  products: readonly Addend[],
  c: number,
  arithmetic: DotArithmetic,
  add: (a: number, b: number) => number,
): number {
  const read = readAccumulator[accumulatorOf(arithmetic.end)];
  const isDirect = arithmetic.order === 'direct';
  let sum = isDirect ? c : 0;
  for (const chunk of chunksOf(products, arithmetic)) sum = chunkSum([...chunk, read(sum)], arithmetic);
  return isDirect ? sum : add(c, sum);
}

/** Adds products to `c`. All numbers are given as bits; `add` adds two numbers and rounds the sum. */
export function stepwiseSum(
  products: readonly number[],
  c: number,
  { group, start }: StepwiseArithmetic,
  add: (a: number, b: number) => number,
): number {
  let sum = start === 'c' ? c : 0;
  for (let i = 0; i < products.length; i += group) sum = add(sum, products.slice(i, i + group).reduce(add));
  return start === 'c' ? sum : add(sum, c);
}
