/**
 * The only place where a value is rounded. A grid is the set of a format's values. This code does not depend on
 * formats; policy.ts decides what happens beyond the end of a grid.
 */
import { recordOf } from '../base/records.ts';
import { belowHalf, bitLength, classify, type Finite, noTail, power, type Sign, type Tail } from './exact.ts';
import type { Rounding } from './conversion.ts';
import { formats, type FormatName, type NumberFormat, formatNames } from './formats.ts';

/**
 * The points of a grid are integers below 2^precision times 2^exponent, with exponent >= lowest, up to the largest
 * magnitude.
 */
export interface Grid {
  readonly precision: number;
  readonly lowest: number;
  /**
   * The largest magnitude of each sign. 2^63 - 1 and 2^64 - 1 are replaced by the next lower double, which gives the
   * same comparisons.
   */
  readonly largest: readonly [positive: number, negative: number];
}

export interface Rounded {
  /** 0 if the value was rounded to zero; can be 2^precision after a carry. */
  readonly significand: number;
  readonly exponent: number;
  /** The part that was cut off, in units of the last kept place. */
  readonly tail: Tail;
  /** Whether the magnitude was rounded up. */
  readonly up: boolean;
  /** Whether the rounded magnitude exceeds the largest one of the grid. */
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
  // s2f6 saturates to MAX_NORM with either sign, so its lowest pattern is not on the grid (policy.ts).
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
 * Rounds a value to a grid as if its exponent had no upper bound; `overflow` tells the caller that the result is beyond
 * the format's range. `random` holds the `randomBits` bits of `rs` (PTX ISA 9.7.9.21, rounding).
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

/** Used if no bit of the significand is cut off, so that only the tail is rounded. */
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
 * Whether adding the random bits to the top `randomBits` bits of the part that is cut off (`low`, which has `shift`
 * bits) produces a carry. If fewer bits were cut off, the missing bits are zeros. Works on the magnitude, so negative
 * values are rounded like positive ones.
 */
function carries(low: number, shift: number, random: number, randomBits: number): boolean {
  const space = power(randomBits);
  const cut = Math.floor(low * power(randomBits - shift));
  return cut + (random % space) >= space;
}
