/**
 * A sum of doubles that keeps track of the rounding error of each addition (Neumaier's variant of Kahan's summation).
 * The error is at most that of rounding once, plus n^2 * 2^-106 times the sum of the magnitudes of all n numbers. For a
 * stream, up to `blockSize` elements at a time are added in plain f64, and only these partial sums are added here. The
 * total error is then at most about 2^-43 times the sum of magnitudes, no matter how long the stream is.
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

/** The number of elements whose sum is computed in plain f64 before it is added to a compensated sum. */
export const blockSize = 1024;
