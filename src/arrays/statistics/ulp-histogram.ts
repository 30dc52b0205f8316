/** Counts errors by size, in units of a format's spacing: 0, at most 1/2, at most 1, at most 2, at most 4, … */
import { doubleAt, wordAt } from '../../base/typed-reads.ts';

/**
 * The number of errors in an interval. `ulps` is the upper end of the interval (inclusive). The interval begins just
 * above the upper end of the previous one.
 */
export interface UlpCount {
  readonly ulps: number;
  readonly count: number;
}

/** The number of bins. The upper ends of the bins are 0, 1/2, 1, 2, 4, …, 2^31 and infinity. */
const bins = 35;

/** The bin of an error, which is given as a nonnegative multiple of the spacing. */
export function ulpBin(ulps: number): number {
  if (ulps <= 0.5) return ulps === 0 ? 0 : 1;
  if (ulps > 0x80000000) return bins - 1;
  return 34 - Math.clz32(Math.ceil(ulps) - 1);
}

export class UlpHistogram {
  /**
   * The counts of the current block for all bins except bin 0, indexed like `ulpBin`. These counts are 32-bit integers,
   * which a loop can increment faster than doubles.
   */
  readonly block: Uint32Array = new Uint32Array(bins);
  private readonly bins = new Float64Array(bins);

  /**
   * Ends a block: adds its counts to the totals, and adds `same` to the count of elements without an error. Returns the
   * number of elements that have an error.
   */
  endBlock(same: number): number {
    let different = 0;
    for (let i = 1; i < bins; i++) {
      const count = wordAt(this.block, i);
      different += count;
      this.bins[i] = doubleAt(this.bins, i) + count;
    }
    this.bins[0] = doubleAt(this.bins, 0) + same;
    this.block.fill(0);
    return different;
  }

  merge(other: UlpHistogram): void {
    for (let i = 0; i < bins; i++) this.bins[i] = doubleAt(this.bins, i) + doubleAt(other.bins, i);
  }

  /** All intervals from 0 to the last one that contains an error. The last possible interval ends at infinity. */
  counts(): readonly UlpCount[] {
    const last = this.bins.findLastIndex((count) => count > 0);
    return Array.from({ length: last + 1 }, (_, bin) => ({ ulps: upperEnd(bin), count: doubleAt(this.bins, bin) }));
  }
}

function upperEnd(bin: number): number {
  if (bin === 0) return 0;
  return bin === bins - 1 ? Number.POSITIVE_INFINITY : 2 ** (bin - 2);
}
