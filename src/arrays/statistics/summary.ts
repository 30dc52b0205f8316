/** A summary of a stream of elements: its range, mean, special values, and the distribution of its magnitudes. */
import { doubleAt, singleAt, wordAt } from '../../base/typed-reads.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { blockSize } from './compensated-sum.ts';
import { type ExponentCount, ExponentHistogram, exponentOf } from './exponent-histogram.ts';
import { scaled, ScaledSum, scaleStep } from './scaled-sum.ts';

export interface Summary {
  readonly count: number;
  /** The smallest and the largest finite element; null if all elements are NaN or infinite. */
  readonly min: number | null;
  readonly max: number | null;
  /** The largest magnitude. */
  readonly amax: number | null;
  readonly mean: number | null;
  /** Number of zeros, of either sign. */
  readonly zeros: number;
  /**
   * The number of elements that are subnormal in their own format, not in the f32 or f64 format to which they are
   * decoded.
   */
  readonly subnormals: number;
  readonly nans: number;
  readonly infinities: number;
  /** Finite elements other than zero, by exponent. */
  readonly exponents: readonly ExponentCount[];
}

/**
 * Summarizes a stream whose elements arrive in any number of chunks. Memory use does not grow with the number of
 * elements.
 */
export class Summarizer {
  private readonly histogram = new ExponentHistogram();
  private readonly sum = new ScaledSum();
  private readonly leastNormal: number;
  /** The value of `leastNormal`, as the bits of an f32. */
  private readonly leastNormalBits: number;
  /** Number of elements in the current f32 chunk for each combination of sign and exponent field. */
  private readonly fields = new Uint32Array(512);
  /** Number of elements in the current f64 chunk for each combination of sign and exponent field. */
  private readonly wideFields = new Uint32Array(4096);
  private count = 0;
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;
  private zeros = 0;
  private subnormals = 0;
  private nans = 0;
  private infinities = 0;

  /** `format` is the format whose subnormals are counted. */
  constructor(format: FormatName) {
    this.leastNormal = leastNormalOf(format);
    this.leastNormalBits = wordAt(new Uint32Array(Float32Array.of(this.leastNormal).buffer), 0);
  }

  add(values: Float32Array | Float64Array): void {
    this.count += values.length;
    if (values instanceof Float64Array) {
      const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
      for (let at = 0; at < values.length; at += blockSize) this.addDoubles(values, words, at);
      this.takeFields(this.wideFields, 11);
      return;
    }
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (let at = 0; at < values.length; at += blockSize) this.addSingles(values, bits, at);
    this.takeFields(this.fields, 8);
  }

  /** Adds `times` occurrences of a value. */
  addRepeated(value: number, times: number): void {
    this.count += times;
    this.sum.add(this.addAny(value, times) * times);
  }

  merge(other: Summarizer): void {
    this.count += other.count;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    this.zeros += other.zeros;
    this.subnormals += other.subnormals;
    this.nans += other.nans;
    this.infinities += other.infinities;
    this.sum.merge(other.sum);
    this.histogram.merge(other.histogram);
  }

  result(): Summary {
    const finite = this.count - this.nans - this.infinities;
    // Turns -0 into 0, so that min and max do not depend on the order in which zeros with different signs were added.
    const [min, max] = [this.min + 0, this.max + 0];
    const { count, zeros, subnormals, nans, infinities } = this;
    return {
      count,
      min: finite === 0 ? null : min,
      max: finite === 0 ? null : max,
      amax: finite === 0 ? null : Math.max(-min, max),
      mean: finite === 0 ? null : meanOf(this.sum, finite),
      zeros,
      subnormals,
      nans,
      infinities,
      exponents: this.histogram.counts(),
    };
  }

  /**
   * Adds the block of f32 values that starts at `from`. Most values are counted by their exponent field. Zeros, and
   * values that are subnormal only in the element's own format, are counted without a branch, because up to half of a
   * tensor may be zeros. Infinities, NaNs and f32 subnormals are rare and are handled individually. The exponent field
   * of an f32 subnormal does not determine its exponent.
   */
  private addSingles(values: Float32Array, bits: Uint32Array, from: number): void {
    const end = Math.min(from + blockSize, values.length);
    const { fields, leastNormalBits } = this;
    let { min, max, zeros } = this;
    let [sum, below] = [0, 0];
    for (let i = from; i < end; i++) {
      const pattern = wordAt(bits, i);
      const magnitude = pattern & 0x7fffffff;
      const value = singleAt(values, i);
      if (magnitude >= 0x7f800000 || (magnitude - 1) >>> 0 < 0x7fffff) {
        sum += this.addAny(value, 1);
        continue;
      }
      const field = pattern >>> 23;
      fields[field] = wordAt(fields, field) + 1;
      zeros += (magnitude - 1) >>> 31;
      below += (magnitude - leastNormalBits) >>> 31;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.sum.add(sum);
    this.min = Math.min(min, this.min);
    this.max = Math.max(max, this.max);
    if (leastNormalBits > 0) this.subnormals += below - (zeros - this.zeros);
    this.zeros = zeros;
  }

  /**
   * Adds a block of doubles; `words` contains their low and high halves. Unlike in `addSingles`, zeros are handled
   * individually as well, because they are less common in f64 data.
   */
  private addDoubles(values: Float64Array, words: Uint32Array, from: number): void {
    const end = Math.min(from + blockSize, values.length);
    const { wideFields: fields, leastNormal } = this;
    let { min, max } = this;
    let [sum, subnormals] = [0, 0];
    for (let i = from; i < end; i++) {
      const field = wordAt(words, 2 * i + 1) >>> 20;
      const value = doubleAt(values, i);
      if (((field + 1) & 0x7ff) <= 1) {
        sum += this.addAny(value, 1);
        continue;
      }
      fields[field] = wordAt(fields, field) + 1;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
      if (Math.abs(value) < leastNormal) subnormals += 1;
    }
    this.addSum(sum, values, from, end);
    this.min = Math.min(min, this.min);
    this.max = Math.max(max, this.max);
    this.subnormals += subnormals;
  }

  /**
   * Adds the sum of a block. If the sum is close to the largest f64 or has overflowed, it is computed again from
   * scaled-down values.
   */
  private addSum(sum: number, values: Float64Array, from: number, end: number): void {
    if (Math.abs(sum) < largestSum) {
      this.sum.add(sum);
      return;
    }
    const scale = 2 ** -scaleStep;
    let small = 0;
    for (let i = from; i < end; i++) if (Number.isFinite(values[i])) small += doubleAt(values, i) * scale;
    this.sum.add(small, scaleStep);
  }

  /**
   * Updates all statistics except the count and the sum. Returns the amount that one occurrence of the value
   * contributes to the sum.
   */
  private addAny(value: number, times: number): number {
    if (value - value !== 0) {
      if (Number.isNaN(value)) this.nans += times;
      else this.infinities += times;
      return 0;
    }
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (value === 0) {
      this.zeros += times;
      return 0;
    }
    if (Math.abs(value) < this.leastNormal) this.subnormals += times;
    this.histogram.add(value < 0 ? 1 : 0, exponentOf(value), times);
    return value;
  }

  /**
   * Adds the counts in `fields` to the histogram. The table has one entry for each combination of sign and exponent
   * field; `bits` is the width of the exponent field. Entries for exponent field 0 are skipped, because they count only
   * zeros.
   */
  private takeFields(fields: Uint32Array, bits: number): void {
    const top = 2 ** bits - 1;
    for (let field = 0; field < fields.length; field++) {
      const count = wordAt(fields, field);
      if (count > 0 && (field & top) !== 0) this.histogram.add(field >>> bits, (field & top) - (top >>> 1), count);
    }
    fields.fill(0);
  }
}

/**
 * A limit for the sum of a block. If the sums of all blocks are below this limit, the total is below the largest f64
 * for any number of blocks that can occur.
 */
const largestSum = 2 ** 960;

function meanOf(sum: ScaledSum, count: number): number {
  const { significand, exponent } = sum.value;
  return scaled(significand / count, exponent);
}

/** The smallest normal number of a format; 0 if the format has no subnormals. */
function leastNormalOf(name: FormatName): number {
  const format = formats[name];
  return format.kind === 'float' && format.subnormals ? 2 ** (1 - format.bias) : 0;
}
