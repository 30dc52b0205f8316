/**
 * Computes weighted means of texels as an H200 does. Weights are integers whose sum is 256 (see the section on textures
 * in docs/spec-questions.md).
 */

import { exponentOf, powerOfTwo } from './exponents.ts';

/** The sum of all weights. */
export const totalWeight = 256;

/** Multiplies a weight by `part / 256`. A half is rounded up. */
export function shareUp(weight: number, part: number): number {
  return (weight * part + totalWeight / 2) >> 8;
}

/** Multiplies a weight by `part / 256`. A half is rounded down. */
export function shareDown(weight: number, part: number): number {
  return (weight * part + totalWeight / 2 - 1) >> 8;
}

/** Adds up weighted texels, which are divided into planes of at most four texels. */
export interface TexelSum {
  clear(): void;
  /** Adds the values from index `from` up to, but not including, index `to`. No weight is zero. */
  add(values: Float64Array, weights: Float64Array, from: number, to: number): void;
  /** The weighted mean of the texels: an integer, or a float in the format of the texels. */
  mean(): number;
}

export class IntegerSum implements TexelSum {
  private readonly meanOf: (sum: number) => number;
  private sum = 0;

  constructor(meanOf: (sum: number) => number) {
    this.meanOf = meanOf;
  }

  clear(): void {
    this.sum = 0;
  }

  add(values: Float64Array, weights: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) this.sum += (values[i] ?? 0) * (weights[i] ?? 0);
  }

  mean(): number {
    return this.meanOf(this.sum);
  }
}

/** A floating-point format: the number of fraction bits, and the exponent of the smallest normal number. */
interface FloatFormat {
  readonly fractionBits: number;
  readonly leastExponent: number;
}

export const f32Format: FloatFormat = { fractionBits: 23, leastExponent: -126 };
export const f16Format: FloatFormat = { fractionBits: 10, leastExponent: -14 };

/** The number of bits that are kept below the last bit of the largest texel in a plane. */
export const guardBits = 4;

/** Rounds down to a multiple of a unit. */
const cutOff = (value: number, unit: number): number => Math.floor(value / unit) * unit;

/**
 * Adds up floats. All texels of a plane are cut off at the same bit, which depends on the largest texel, and the sums
 * of planes are cut off in a similar way. Finally, the mean is rounded to the nearest number, with ties away from zero.
 */
export class FloatSum implements TexelSum {
  private readonly format: FloatFormat;
  /** A multiple of the unit, unless it is infinite or NaN. */
  private sum = -0;
  private unit = 0;

  constructor(format: FloatFormat) {
    this.format = format;
  }

  clear(): void {
    this.sum = -0;
    this.unit = 0;
  }

  add(values: Float64Array, weights: Float64Array, from: number, to: number): void {
    let most = 0;
    let plain = -0;
    for (let i = from; i < to; i++) {
      const value = values[i] ?? 0;
      plain += value;
      most = Math.max(most, Math.abs(value));
    }
    if (most === 0 || !Number.isFinite(plain)) {
      // The sum of zeros, infinities and NaNs does not depend on their weights.
      this.sum += plain;
      return;
    }
    const unit = powerOfTwo(exponentOf(most) - this.format.fractionBits - guardBits);
    let sum = 0;
    for (let i = from; i < to; i++) sum += Math.trunc((values[i] ?? 0) / unit) * (weights[i] ?? 0);
    this.addPlane(sum * unit, unit);
  }

  /** @param unit the unit of the plane; the sum of several planes has one more bit */
  private addPlane(sum: number, unit: number): void {
    const shared = Math.max(this.unit, unit / 2);
    if (Number.isFinite(this.sum)) this.sum = cutOff(this.sum, shared);
    this.sum += cutOff(sum, shared);
    this.unit = shared;
  }

  mean(): number {
    const { sum, format } = this;
    if (sum === 0 || !Number.isFinite(sum)) return sum;
    const size = Math.abs(sum) / totalWeight;
    const step = powerOfTwo(Math.max(exponentOf(size), format.leastExponent) - format.fractionBits);
    return Math.sign(sum) * Math.floor(size / step + 0.5) * step;
  }
}
