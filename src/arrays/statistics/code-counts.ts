/**
 * Counts how often each encoding of a format of at most 16 bits occurs. A summary can be computed from these counts
 * alone, and counting is faster than examining each value.
 */
import { codeAt, doubleAt, singleAt, wordAt } from '../../base/typed-reads.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { valueTable } from '../elements/element-values.ts';
import type { Summarizer } from './summary.ts';

/**
 * The maximum number of elements that are counted before the counts are added to the totals. With more elements, a
 * 32-bit count might overflow.
 */
const mostUncollected = 2 ** 31;

export class CodeCounts {
  private readonly format: FormatName;
  private readonly totals: Float64Array;
  /**
   * Elements are counted alternately in two tables. Adjacent elements are often equal, and a processor stalls when it
   * has to increment a count that it has only just written.
   */
  private readonly even: Uint32Array;
  private readonly odd: Uint32Array;
  private uncollected = 0;

  constructor(format: FormatName) {
    this.format = format;
    // Even if elements are narrower than a byte, whole bytes are counted, including their unused upper bits. At the
    // end, the counts of bytes that differ only in these bits are added together.
    const patterns = formats[format].width > 8 ? 65536 : 256;
    this.totals = new Float64Array(patterns);
    this.even = new Uint32Array(patterns);
    this.odd = new Uint32Array(patterns);
  }

  /** Adds elements, each of which is stored in the low bits of an 8-bit or 16-bit word. */
  add(codes: Uint8Array | Uint16Array): void {
    const { even, odd } = this;
    const last = codes.length - 1;
    for (let i = 0; i < last; i += 2) {
      const first = codeAt(codes, i);
      const second = codeAt(codes, i + 1);
      even[first] = wordAt(even, first) + 1;
      odd[second] = wordAt(odd, second) + 1;
    }
    if (codes.length % 2 === 1) {
      const only = codeAt(codes, last);
      even[only] = wordAt(even, only) + 1;
    }
    this.uncollected += codes.length;
    if (this.uncollected >= mostUncollected) this.collect();
  }

  /** Passes all counts on to a summarizer, as if the elements had been added to it one by one. */
  addTo(summarizer: Summarizer): void {
    this.collect();
    const values = valueTable(this.format);
    for (let pattern = 0; pattern < this.totals.length; pattern++) {
      const count = doubleAt(this.totals, pattern);
      if (count > 0) summarizer.addRepeated(singleAt(values, pattern & (values.length - 1)), count);
    }
  }

  private collect(): void {
    for (let i = 0; i < this.totals.length; i++)
      this.totals[i] = doubleAt(this.totals, i) + wordAt(this.even, i) + wordAt(this.odd, i);
    this.even.fill(0);
    this.odd.fill(0);
    this.uncollected = 0;
  }
}
