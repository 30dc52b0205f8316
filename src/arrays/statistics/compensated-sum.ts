/**
 * A sum of doubles that keeps the rounding error of each addition (Neumaier's variant of Kahan's summation). Its error
 * is that of one rounding, plus n^2 * 2^-106 times the sum of magnitudes. Streams add a plain sum of at most
 * `blockSize` elements at a time, so that the total error is at most about 2^-43 times the sum of magnitudes, however
 * long the stream is.
 */
export class CompensatedSum {
  private sum = 0;
  private lost = 0;

  add(value: number): void {
    const next = this.sum + value;
    this.lost += Math.abs(this.sum) >= Math.abs(value) ? this.sum - next + value : value - next + this.sum;
    this.sum = next;
  }

  merge(other: CompensatedSum): void {
    this.add(other.sum);
    this.add(other.lost);
  }

  /** The sum; infinite or NaN if a partial sum exceeded the range of f64. */
  get value(): number {
    return Number.isFinite(this.sum) ? this.sum + this.lost : this.sum;
  }
}

/** Number of elements whose plain f64 sum is added to a compensated one. */
export const blockSize = 1024;
