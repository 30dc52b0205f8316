/**
 * Rounds values to a grid, which is the set of values of a format. This file does all the rounding in ptxlab's exact
 * arithmetic. This code does not depend on any particular format; policy.ts determines the results for values beyond
 * the end of a grid.
 */
import { recordOf } from '../base/records.ts';
import { belowHalf, bitLength, classify, type Finite, noTail, power, type Sign, type Tail } from './exact.ts';
import type { Rounding } from './conversion.ts';
import { formats, type FormatName, type NumberFormat, formatNames } from './formats.ts';

/**
 * The set of values to which a value can be rounded. It consists of all values with a magnitude of n * 2^exponent, up
 * to the magnitudes in `largest`, where n is an integer less than 2^precision and the exponent is at least `lowest`.
 */
export interface Grid {
  readonly precision: number;
  readonly lowest: number;
  /**
   * The largest magnitude of a positive value, and the largest magnitude of a negative value. No double is equal to
   * 2^63 - 1 or 2^64 - 1, so the next lower double is used instead; comparisons with it have the same results.
   */
  readonly largest: readonly [positive: number, negative: number];
}

export interface Rounded {
  /**
   * The rounded significand. It is 0 if the value was rounded to zero, and it can be 2^precision if rounding up caused
   * a carry.
   */
  readonly significand: number;
  readonly exponent: number;
  /** The size of the discarded part, relative to the last place that was kept. */
  readonly tail: Tail;
  /** Whether the magnitude was rounded up. */
  readonly up: boolean;
  /** Whether the rounded magnitude exceeds the largest magnitude in the grid. */
  readonly overflow: boolean;
}

const belowUnsigned64 = 2 ** 64 - 2 ** 11;
const belowSigned64 = 2 ** 63 - 2 ** 10;

function makeGrid(format: NumberFormat): Grid {
  if (format.kind === 'float') {
    const { fractionBits, bias, exponentBits, subnormals } = format;
    const lowest = 1 - bias - fractionBits - (subnormals ? 0 : 1);
    const unused = format.nan === 'ieee' ? 1 : 0;
    const top = 2 ** exponentBits - 1 - unused - (fractionBits === 0 ? 1 : 0) - bias - fractionBits;
    const significand = 2 ** (fractionBits + 1) - (format.nan === 'all-ones' && fractionBits > 0 ? 2 : 1);
    const largest = significand * power(top);
    return { precision: fractionBits + 1, lowest, largest: [largest, format.signed ? largest : 0] };
  }
  const { width, signed, fractionBits } = format;
  const unit = power(-fractionBits);
  const positive = width < 64 ? 2 ** (signed ? width - 1 : width) - 1 : signed ? belowSigned64 : belowUnsigned64;
  // Negative values in s2f6 saturate to -MAX_NORM. The lowest value that s2f6 can represent, -2, is below that limit
  // and therefore not on the grid (policy.ts).
  const negative = format.kind === 'fixed' ? positive : signed ? 2 ** (width - 1) : 0;
  return { precision: width, lowest: -fractionBits, largest: [positive * unit, negative * unit] };
}

const grids = recordOf(formatNames, (name) => makeGrid(formats[name]));

/** The grid of a format; with `integral`, only its integers. */
export function gridOf(name: FormatName, integral = false): Grid {
  const grid = grids[name];
  return integral && grid.lowest < 0 ? { ...grid, lowest: 0 } : grid;
}

/**
 * The grid without a lower limit for exponents. Under .ftz, results are rounded to this grid, and are flushed to zero
 * if they are then below the smallest normal number (open-choices.ts).
 */
export function withoutLowest(grid: Grid): Grid {
  return { ...grid, lowest: -10_000 };
}

/**
 * Rounds a value to a grid as if its exponent had no upper bound; `overflow` in the result indicates that the rounded
 * value is beyond the format's range. For the rounding mode `rs`, `random` contains `randomBits` random bits (section
 * 9.7.9.21 of PTX ISA 9.1, on rounding).
 */
export function round(value: Finite, grid: Grid, rounding: Rounding, random = 0, randomBits = 0): Rounded {
  const { sign, significand, exponent } = value;
  const last = Math.max(exponent + bitLength(significand) - grid.precision, grid.lowest);
  const shift = last - exponent;
  if (shift <= 0) return roundWhole(value, grid, rounding);
  const far = shift > 54;
  const unit = power(shift);
  const kept = far ? 0 : Math.floor(significand / unit);
  const tail = far ? belowHalf : classify(significand - kept * unit, unit, value.tail);
  const up =
    rounding === 'rs'
      ? carries(significand - kept * unit, shift, random, randomBits)
      : raises(rounding, sign, kept % 2 === 1, tail);
  const rounded = up ? kept + 1 : kept;
  return { significand: rounded, exponent: last, tail, up, overflow: rounded * power(last) > grid.largest[sign] };
}

/**
 * Rounds a value whose significand fits into the grid, so that all of its bits are kept and only the tail is discarded.
 */
function roundWhole(value: Finite, grid: Grid, rounding: Rounding): Rounded {
  const { sign, significand, exponent, tail } = value;
  const up = tail !== noTail && raises(rounding, sign, significand % 2 === 1, tail);
  const rounded = up ? significand + 1 : significand;
  return { significand: rounded, exponent, tail, up, overflow: rounded * power(exponent) > grid.largest[sign] };
}

function raises(rounding: Rounding, sign: Sign, odd: boolean, tail: Tail): boolean {
  switch (rounding) {
    case 'rn':
      return tail === 3 || (tail === 2 && odd);
    case 'rna':
      return tail >= 2;
    case 'rz':
    case 'rs':
      return false;
    case 'rm':
      return sign === 1 && tail !== noTail;
    case 'rp':
      return sign === 0 && tail !== noTail;
  }
}

/**
 * Adds the random bits to the upper `randomBits` bits of the discarded part, and returns whether this produces a carry.
 * `low` is the discarded part, which has `shift` bits; if that is fewer than `randomBits`, zeros are appended. The sign
 * of the value has no effect.
 */
function carries(low: number, shift: number, random: number, randomBits: number): boolean {
  const space = power(randomBits);
  const cut = Math.floor(low * power(randomBits - shift));
  return cut + (random % space) >= space;
}
