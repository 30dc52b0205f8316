/**
 * Explains a dot product of a tensor core step by step: how each chunk aligns its terms, what it cuts off, and its
 * result.
 */
import { type Bits, chop } from '../base/bits.ts';
import {
  accumulatorOf,
  type Addend,
  align,
  chunksOf,
  chunkSum,
  readAccumulator,
  type Special,
  type Term,
} from './dot.ts';
import type { Accumulator, DotArithmetic } from './dot-arithmetic.ts';
import { type Exact, fromInteger, zero } from './exact.ts';
import { nearestBits } from './nearest-bits.ts';

/** A term of a chunk in units of the chunk's last place. */
export interface ExplainedTerm {
  /** Its index among the terms of the dot product; null for the sum so far, which starts as c. */
  readonly index: number | null;
  /** The exact value as a number, or its kind if it is not finite. */
  readonly value: number | Special;
  /** The exponent used to align it; null if it is not finite. */
  readonly exponent: number | null;
  readonly sign: '+' | '-';
  /**
   * The magnitude in units, in binary: the part that is added, and the part that is cut off, without trailing zeros.
   */
  readonly kept: string;
  readonly cut: string;
}

export interface ExplainedChunk {
  readonly terms: readonly ExplainedTerm[];
  /** The greatest exponent, and the exponent of a unit; null if some term is not finite. */
  readonly greatest: number | null;
  readonly unit: number | null;
  /** The exact sum in units; null if some term is not finite. */
  readonly sum: number | null;
  /** The bits of the result. */
  readonly result: number;
}

export interface ExplainedDot {
  readonly chunks: readonly ExplainedChunk[];
  /** True if c is added after all chunks, rounded to nearest even. */
  readonly addsLast: boolean;
}

/** The chunks of `terms` with the accumulator `c`, in order. */
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

/** The binary digits of `integer` * 2^`shift` before and after the point. */
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
