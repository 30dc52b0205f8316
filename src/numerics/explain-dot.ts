/**
 * Explains a dot product of a tensor core step by step: how the terms of each chunk are aligned, which bits are
 * truncated, and what the result is.
 */
import { type Bits, chop } from '../base/bits.ts';
import { type Addend, align, chunkSum, readAccumulator, type Special, type Term } from './dot.ts';
import { type Accumulator, accumulatorOf, chunksOf, type DotArithmetic } from './dot-arithmetic.ts';
import { type Exact, fromInteger, zero } from './exact.ts';
import { nearestBits } from './nearest-bits.ts';

/**
 * A term of a chunk. Its magnitude is shown as a multiple of a unit, which is the weight of the last bit that the chunk
 * keeps.
 */
export interface ExplainedTerm {
  /**
   * The index of the term among the products; null if the term is the accumulator. In the first chunk, the accumulator
   * is c, or 0 if c is added at the end; in later chunks, it is the result of the previous chunk.
   */
  readonly index: number | null;
  /** The exact value as a number; for a term that is not finite, `infinity`, `-infinity` or `nan`. */
  readonly value: number | Special;
  /** The exponent by which the term is aligned; null if the term is not finite. */
  readonly exponent: number | null;
  readonly sign: '+' | '-';
  /**
   * The magnitude as a multiple of the unit, in binary: `kept` is the integer part, which is added; `cut` is the
   * fraction, which is discarded. `cut` has no trailing zeros.
   */
  readonly kept: string;
  readonly cut: string;
}

export interface ExplainedChunk {
  readonly terms: readonly ExplainedTerm[];
  /** The largest exponent of the terms, and the exponent of the unit; both are null if any term is not finite. */
  readonly greatest: number | null;
  readonly unit: number | null;
  /** The exact sum of the truncated terms, in units; null if there is a term that is not finite. */
  readonly sum: number | null;
  /** The bits of the result. */
  readonly result: number;
}

export interface ExplainedDot {
  readonly chunks: readonly ExplainedChunk[];
  /** True if c is added after all chunks; that sum is rounded to nearest even. */
  readonly addsLast: boolean;
}

/**
 * Explains a dot product that adds `terms` to the accumulator `c`, chunk by chunk, in the order in which tensor cores
 * compute the chunks.
 */
export function explainDot(terms: readonly Addend[], c: number, arithmetic: DotArithmetic): ExplainedDot {
  const read = readAccumulator[accumulatorOf(arithmetic.end)];
  const addsLast = arithmetic.order === 'halves';
  let sum = addsLast ? 0 : c;
  const chunks = chunksOf([...terms.entries()], arithmetic).map((chunk) => {
    const all = [...chunk, [null, read(sum)] as const];
    sum = chunkSum(
      all.map(([, term]) => term),
      arithmetic,
    );
    return explainChunk(all, arithmetic, sum);
  });
  return { chunks, addsLast };
}

type Indexed = readonly [index: number | null, term: Addend];

function explainChunk(all: readonly Indexed[], arithmetic: DotArithmetic, result: number): ExplainedChunk {
  const finite = all.flatMap(([, term]) => (typeof term === 'string' ? [] : [term]));
  if (finite.length < all.length) {
    return {
      terms: all.map((one) => explainTerm(one, arithmetic, null)),
      greatest: null,
      unit: null,
      sum: null,
      result,
    };
  }
  const { greatest, unit, sum } = align(finite, arithmetic);
  return { terms: all.map((one) => explainTerm(one, arithmetic, unit)), greatest, unit, sum, result };
}

function explainTerm([index, term]: Indexed, { zeroExponent }: DotArithmetic, unit: number | null): ExplainedTerm {
  if (typeof term === 'string') {
    const sign = term === '-infinity' ? '-' : '+';
    return { index, value: term, exponent: null, sign, kept: '', cut: '' };
  }
  const { significand, exponent, fractionBits, counts = significand !== 0 } = term;
  const value = significand * 2 ** (exponent - fractionBits);
  const sign = significand < 0 ? '-' : '+';
  const digits =
    unit === null ? { kept: '', cut: '' } : splitAt(BigInt(Math.abs(significand)), exponent - fractionBits - unit);
  return { index, value, exponent: counts ? exponent : zeroExponent, sign, ...digits };
}

/** The binary digits of `integer` * 2^`shift` before the binary point, and those after it. */
function splitAt(integer: bigint, shift: number): { readonly kept: string; readonly cut: string } {
  if (shift >= 0) return { kept: (integer << BigInt(shift)).toString(2), cut: '' };
  const low = BigInt.asUintN(-shift, integer);
  const cut = low === 0n ? '' : low.toString(2).padStart(-shift, '0').replace(/0+$/, '');
  return { kept: (integer >> BigInt(-shift)).toString(2), cut };
}

/** The exact sum rounded once, to nearest even; null if it is not finite in the format. */
export function exactSum(terms: readonly Addend[], to: Accumulator): Bits | null {
  const finite = terms.flatMap((term) => (typeof term === 'string' ? [] : [term]));
  if (finite.length < terms.length) return null;
  const placeOf = ({ exponent, fractionBits }: Term): number => exponent - fractionBits;
  const lowest = Math.min(...finite.map(placeOf));
  const sum = finite.reduce((total, term) => total + (BigInt(term.significand) << BigInt(placeOf(term) - lowest)), 0n);
  const magnitude = sum < 0n ? -sum : sum;
  const value: Exact = sum === 0n ? zero(0) : fromInteger(sum < 0n ? 1 : 0, magnitude, lowest);
  const rounded = nearestBits(value, to, 'the sum');
  return rounded.ok ? chop(rounded.value.bits, 32) : null;
}
