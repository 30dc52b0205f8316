/**
 * Computes all dot products of the rows of one matrix and the columns of another, the way tensor cores do. The elements
 * of both matrices have scale factors. The results are f32 numbers.
 */
import { elementAt } from '../base/element-at.ts';
import { type Addend, chunkSum, product, readAccumulator, termOf } from './dot.ts';
import type { DotArithmetic } from './dot-arithmetic.ts';
import { ofZero, partOfLine, type TileLines, truncated } from './dot-tile.ts';
import { power } from './exact.ts';

export type ScaleFormat = 'ue8m0' | 'ue4m3';

/**
 * The scale factors of the lines of a matrix. Each line has `count` factors, each of which applies to the same number
 * of elements.
 */
export interface TileScales {
  readonly count: number;
  /** The significands of the factors; NaN for a factor that is a NaN. */
  readonly significands: Float64Array;
  readonly exponents: Int32Array;
}

const e4m3Term = termOf('e4m3');

/** Decodes scale factors. The sign bit of a ue4m3 code is ignored. */
export function tileScales(format: ScaleFormat, codes: Uint8Array, count: number): TileScales {
  const significands = new Float64Array(codes.length);
  const exponents = new Int32Array(codes.length);
  codes.forEach((code, i) => {
    if (format === 'ue8m0') {
      significands[i] = code === 0xff ? Number.NaN : 1;
      exponents[i] = code - 127;
      return;
    }
    const term = e4m3Term(code & 0x7f);
    significands[i] = typeof term === 'string' ? Number.NaN : term.significand * power(-term.fractionBits);
    exponents[i] = typeof term === 'string' ? 0 : term.exponent;
  });
  return { count, significands, exponents };
}

/** A matrix with scale factors. */
export interface ScaledLines {
  readonly lines: TileLines;
  readonly scales: TileScales;
}

type ElementOf = (row: number, column: number, accumulator: number) => number;

const nan = 0x7fff_ffff;

/**
 * Like `dotTile`, returns a function that computes one element of the product. Each line has a single scale factor,
 * which applies to each product separately (mxf8f6f4).
 */
export function productScaledTile(a: ScaledLines, b: ScaledLines, arithmetic: DotArithmetic): ElementOf {
  const { kept, zeroExponent } = arithmetic;
  const { length } = a.lines;
  return (row, column, accumulator) => {
    const sum = readAccumulator.f32(accumulator);
    if (Number.isNaN(a.scales.significands[row]) || Number.isNaN(b.scales.significands[column])) return nan;
    const shift = (a.scales.exponents[row] ?? 0) + (b.scales.exponents[column] ?? 0);
    const isSpecial = typeof sum === 'string' || a.lines.special.has(row) || b.lines.special.has(column);
    if (isSpecial) return chunkSum([...shifted(row, column, shift), sum], arithmetic);
    let greatest = sum.significand === 0 ? zeroExponent : sum.exponent;
    let hasZero = false;
    for (let k = 0; k < length; k++) {
      const exponent = (a.lines.exponents[row * length + k] ?? 0) + (b.lines.exponents[column * length + k] ?? 0);
      if (exponent < ofZero / 2) hasZero = true;
      else if (exponent + shift > greatest) greatest = exponent + shift;
    }
    if (hasZero) greatest = Math.max(greatest, zeroExponent);
    const unit = greatest - kept;
    const toUnit = power(shift - unit);
    let total = Math.trunc(sum.significand * power(sum.exponent - sum.fractionBits - unit));
    for (let k = 0; k < length; k++)
      total += Math.trunc(
        (a.lines.values[row * length + k] ?? 0) * (b.lines.values[column * length + k] ?? 0) * toUnit,
      );
    return truncated(total, unit);
  };

  function shifted(row: number, column: number, shift: number): readonly Addend[] {
    const ofB = partOfLine(b.lines, column, 0, length);
    return partOfLine(a.lines, row, 0, length).map((one, k) => {
      const term = product(one, elementAt(ofB, k));
      return typeof term === 'string' ? term : { ...term, exponent: term.exponent + shift };
    });
  }
}

/** The exponent of the largest scale factor for which all scaled elements remain far from the limits of f32. */
const greatestShift = 80;

/**
 * Multiplies elements by the scale factors that `productScaledTile` applies to their products. Also returns the lines
 * for which this does not work: lines that contain an infinity or a NaN, and lines whose factor is a NaN, very large or
 * very small.
 */
export function multipliedLines({ lines, scales }: ScaledLines): {
  readonly lines: Pick<TileLines, 'length' | 'values' | 'exponents'>;
  readonly others: ReadonlySet<number>;
} {
  const { length } = lines;
  const others = new Set(lines.special.keys());
  const values = lines.values.slice();
  const exponents = lines.exponents.slice();
  for (let line = 0; line < scales.exponents.length; line++) {
    const shift = scales.exponents[line] ?? 0;
    if (Number.isNaN(scales.significands[line]) || Math.abs(shift) > greatestShift) {
      others.add(line);
      continue;
    }
    const factor = power(shift);
    for (let at = line * length; at < (line + 1) * length; at++) {
      values[at] = (values[at] ?? 0) * factor;
      exponents[at] = (exponents[at] ?? 0) + shift;
    }
  }
  return { lines: { length, values, exponents }, others };
}

/** The lines with at least one scale factor that is a NaN. */
export function linesWithNan({ count, significands }: TileScales): ReadonlySet<number> {
  const found = new Set<number>();
  significands.forEach((one, i) => {
    if (Number.isNaN(one)) found.add(Math.floor(i / count));
  });
  return found;
}

/** The number of products whose exact sum is multiplied by scale factors. */
const group = 16;

/**
 * Returns a function that computes one element of the product, if the scale factors apply to sums of 16 products (mxf4,
 * mxf4nvf4). The elements are e2m1 numbers, so none of them is an infinity or a NaN.
 */
export function groupScaledTile(a: ScaledLines, b: ScaledLines, { kept, zeroExponent }: DotArithmetic): ElementOf {
  const { length } = a.lines;
  const groups = length / group;
  const sums = new Float64Array(groups);
  const exponents = new Int32Array(groups);
  return (row, column, accumulator) => {
    const sum = readAccumulator.f32(accumulator);
    let greatest = typeof sum === 'string' || sum.significand === 0 ? zeroExponent : sum.exponent;
    for (let at = 0; at < groups; at++) {
      const [scaleA, scaleB] = [scaleAt(a.scales, row, at), scaleAt(b.scales, column, at)];
      const factor = (a.scales.significands[scaleA] ?? 0) * (b.scales.significands[scaleB] ?? 0);
      if (Number.isNaN(factor)) return nan;
      const exponent = (a.scales.exponents[scaleA] ?? 0) + (b.scales.exponents[scaleB] ?? 0);
      const { total, counts } = groupSum(row, column, at);
      sums[at] = total * factor;
      exponents[at] = exponent;
      greatest = Math.max(greatest, counts && factor !== 0 ? exponent : zeroExponent);
    }
    if (typeof sum === 'string') return chunkSum([sum], { chunk: 1, kept, zeroExponent, end: 'f32', order: 'direct' });
    const unit = greatest - kept;
    let total = Math.trunc(sum.significand * power(sum.exponent - sum.fractionBits - unit));
    for (let at = 0; at < groups; at++) total += Math.trunc((sums[at] ?? 0) * power((exponents[at] ?? 0) - unit));
    return truncated(total, unit);
  };

  function scaleAt({ count }: TileScales, line: number, at: number): number {
    return line * count + Math.floor((at * count) / groups);
  }

  /** The sum of a group, and whether any of its products is nonzero. */
  function groupSum(row: number, column: number, at: number): { readonly total: number; readonly counts: boolean } {
    let total = 0;
    let counts = false;
    for (let k = at * group; k < (at + 1) * group; k++) {
      const one = (a.lines.values[row * length + k] ?? 0) * (b.lines.values[column * length + k] ?? 0);
      if (one !== 0) counts = true;
      total += one;
    }
    return { total, counts };
  }
}
