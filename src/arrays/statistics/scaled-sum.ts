/** A compensated sum of numbers that may be outside the range of f64, such as products of two f64 values. */
import { CompensatedSum } from './compensated-sum.ts';

/** The number significand * 2^exponent. The significand can be any f64. */
export interface ScaledNumber {
  readonly significand: number;
  readonly exponent: number;
}

/**
 * The exponents of added numbers are multiples of this step. Twice this step is more than the magnitude of any f64
 * exponent.
 */
export const scaleStep = 600;

/**
 * The sum of the numbers that are added without scaling always exists. If all numbers are of ordinary size, no other
 * sum is needed. A sum for another scale (one of Blue's accumulators) is created when the first number with that scale
 * is added.
 */
export class ScaledSum {
  private readonly plain = new CompensatedSum();
  private readonly others = new Map<number, CompensatedSum>();

  /** Adds value * 2^exponent; the exponent is a multiple of `scaleStep`. */
  add(value: number, exponent = 0): void {
    this.at(exponent).add(value);
  }

  merge(other: ScaledSum): void {
    this.plain.merge(other.plain);
    for (const [exponent, sum] of other.others) this.at(exponent).merge(sum);
  }

  /** The sum of all parts. Its exponent is the largest exponent of all nonzero parts. */
  get value(): ScaledNumber {
    if (this.others.size === 0) return { significand: this.plain.value, exponent: 0 };
    const parts = [[0, this.plain] as const, ...this.others]
      .map(([exponent, { value }]) => ({ significand: value, exponent }))
      .filter(({ significand }) => significand !== 0)
      .sort((x, y) => y.exponent - x.exponent);
    const exponent = parts[0]?.exponent ?? 0;
    const all = new CompensatedSum();
    for (const part of parts) all.add(scaled(part.significand, part.exponent - exponent));
    return { significand: all.value, exponent };
  }

  private at(exponent: number): CompensatedSum {
    if (exponent === 0) return this.plain;
    const known = this.others.get(exponent);
    if (known !== undefined) return known;
    const made = new CompensatedSum();
    this.others.set(exponent, made);
    return made;
  }
}

/**
 * Computes value * 2^exponent with a single rounding. Results outside the range of f64 become infinity or zero. The
 * exponent must be a multiple of `scaleStep`.
 */
export function scaled(value: number, exponent: number): number {
  const factor = 2 ** (Math.sign(exponent) * scaleStep);
  let result = value;
  for (let left = Math.abs(exponent); left > 0; left -= scaleStep) result *= factor;
  return result;
}
