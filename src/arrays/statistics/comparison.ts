/** Measures how much one stream of elements differs from another; the first stream is the reference. */
import { keysOf } from '../../base/records.ts';
import { doubleAt, wordAt } from '../../base/typed-reads.ts';
import { isOrdinary, ProductSums } from '../quantized/block-products.ts';
import { blockSize } from './compensated-sum.ts';
import { scaled, type ScaledNumber } from './scaled-sum.ts';
import { inverseSpacings, type SpacingUnit } from './spacing.ts';
import { ulpBin, type UlpCount, UlpHistogram } from './ulp-histogram.ts';
import { type WorstElement, WorstElements } from './worst-elements.ts';

export interface Comparison {
  readonly count: number;
  /**
   * The number of pairs whose elements have different values. All NaNs are considered equal to each other, and so are
   * the two zeros, +0 and -0.
   */
  readonly different: number;
  /** Number of pairs of zeros with different signs. These pairs are not counted in `different`. */
  readonly zeroSigns: number;
  /** Number of pairs in which exactly one element is NaN. */
  readonly nanMismatches: number;
  /** The number of pairs that contain an infinity but no NaN, except for pairs of equal infinities. */
  readonly infinityMismatches: number;
  /**
   * The largest |a - b|. Like all statistics below except `worst`, it is computed only from pairs in which both
   * elements are finite.
   */
  readonly maxAbs: number;
  /** The largest |a - b| / |a|; infinite if there is a pair in which `a` is 0 and `b` is not. */
  readonly maxRel: number;
  readonly meanSquaredError: number;
  /** The signal-to-noise ratio in dB: 10 log10 of (sum of a^2 / sum of (a - b)^2); infinite if all pairs are equal. */
  readonly sqnr: number;
  /**
   * The cosine of the angle between the streams as vectors, a·b / (|a| |b|). It is 1 if both streams contain only
   * zeros, and 0 if one stream contains only zeros and the other does not.
   */
  readonly cosine: number;
  /** A histogram of |a - b|. The unit is the spacing of a format's values near `a`. */
  readonly ulps: readonly UlpCount[];
  /** The worst elements; mismatches that involve NaN or infinity come first. */
  readonly worst: readonly WorstElement[];
}

/**
 * The number of NaNs and infinities in each stream, whether or not the other stream has the same value at that
 * position.
 */
export interface Specials {
  readonly nansInA: number;
  readonly nansInB: number;
  readonly infinitiesInA: number;
  readonly infinitiesInB: number;
}

export interface ComparerOptions {
  /** The unit in which errors are measured. */
  readonly unit: SpacingUnit;
  /** Number of worst elements to keep. */
  readonly worst: number;
  /**
   * The index of the first compared element in the stream. This index is 0 unless only a part of the stream is
   * compared.
   */
  readonly firstIndex?: number;
}

/**
 * Compares two streams whose elements arrive in any number of chunks. Memory use does not grow with the number of
 * elements.
 */
export class Comparer {
  private readonly inverse: Float64Array;
  private readonly ulps = new UlpHistogram();
  private readonly worst: WorstElements;
  private readonly sums = new ProductSums();
  private readonly a = new Float64Array(blockSize);
  private readonly b = new Float64Array(blockSize);
  private readonly aWords = new Uint32Array(this.a.buffer);
  private index: number;
  private count = 0;
  private different = 0;
  private zeroSigns = 0;
  private nanMismatches = 0;
  private infinityMismatches = 0;
  /** Number of pairs in which at least one element is NaN or infinite. */
  private notFinite = 0;
  private readonly special = { nansInA: 0, nansInB: 0, infinitiesInA: 0, infinitiesInB: 0 };
  private maxAbs = 0;
  private maxRel = 0;

  constructor({ unit, worst, firstIndex = 0 }: ComparerOptions) {
    this.inverse = inverseSpacings(unit);
    this.worst = new WorstElements(worst);
    this.index = firstIndex;
  }

  /**
   * Adds the next elements of both streams; `a` and `b` must have the same length. If the elements had to be rounded to
   * f64, `rest` holds a correction for each pair, which is added to the difference of the rounded elements to get the
   * exact a - b.
   */
  add(a: Float32Array | Float64Array, b: Float32Array | Float64Array, rest: Float64Array | null = null): void {
    const isWide = a instanceof Float64Array || b instanceof Float64Array;
    for (let at = 0; at < a.length; at += blockSize) {
      const size = Math.min(blockSize, a.length - at);
      this.a.set(a.subarray(at, at + size));
      this.b.set(b.subarray(at, at + size));
      if (rest === null) this.addBlock(size, isWide);
      else this.addLongBlock(rest.subarray(at, at + size));
      this.index += size;
      this.count += size;
    }
  }

  /** Adds the results of a later part of the same stream. */
  merge(later: Comparer): void {
    this.count += later.count;
    this.different += later.different;
    this.zeroSigns += later.zeroSigns;
    this.nanMismatches += later.nanMismatches;
    this.infinityMismatches += later.infinityMismatches;
    this.notFinite += later.notFinite;
    for (const key of keysOf(this.special)) this.special[key] += later.special[key];
    this.maxAbs = Math.max(this.maxAbs, later.maxAbs);
    this.maxRel = Math.max(this.maxRel, later.maxRel);
    this.sums.merge(later.sums);
    this.ulps.merge(later.ulps);
    this.worst.merge(later.worst);
  }

  result(): Comparison {
    const { count, different, zeroSigns, nanMismatches, infinityMismatches, maxAbs, maxRel } = this;
    const pairs = count - this.notFinite;
    const squaredError = this.sums.squaredError.value;
    const squaredA = this.sums.squaredA.value;
    return {
      count,
      different,
      zeroSigns,
      nanMismatches,
      infinityMismatches,
      maxAbs,
      maxRel,
      meanSquaredError: pairs === 0 ? 0 : scaled(squaredError.significand / pairs, squaredError.exponent),
      sqnr: decibels(squaredA, squaredError),
      cosine: squaredError.significand === 0 ? 1 : cosine(this.sums.product.value, squaredA, this.sums.squaredB.value),
      ulps: this.ulps.counts(),
      worst: this.worst.list(),
    };
  }

  /** The comparison of all elements added so far. */
  specials(): Specials {
    return { ...this.special };
  }

  private addBlock(size: number, isWide: boolean): void {
    const { a, b, aWords, inverse } = this;
    const bins = this.ulps.block;
    let { maxAbs, maxRel } = this;
    let threshold = this.worst.threshold;
    let squaredError = 0;
    let squaredA = 0;
    let squaredB = 0;
    let product = 0;
    let same = 0;
    for (let i = 0; i < size; i++) {
      const x = doubleAt(a, i);
      const y = doubleAt(b, i);
      const signed = x - y;
      if (signed - signed !== 0 && this.addSpecial(x, y, i)) {
        threshold = this.worst.threshold;
        continue;
      }
      squaredA += x * x;
      squaredB += y * y;
      product += x * y;
      if (signed === 0) {
        if (x === 0 && !Object.is(x, y)) this.zeroSigns += 1;
        same += 1;
        continue;
      }
      squaredError += signed * signed;
      const error = Math.abs(signed);
      const magnitude = Math.abs(x);
      if (error > maxAbs) maxAbs = error;
      // To save time, the quotient is computed only if it might be the largest one so far.
      if (error > maxRel * magnitude) maxRel = Math.max(maxRel, error / magnitude);
      const bin = ulpBin(error * doubleAt(inverse, (wordAt(aWords, 2 * i + 1) >>> 20) & 0x7ff));
      bins[bin] = wordAt(bins, bin) + 1;
      if (error > threshold) {
        this.worst.add({ index: this.index + i, a: x, b: y, error });
        threshold = this.worst.threshold;
      }
    }
    this.maxAbs = maxAbs;
    this.maxRel = maxRel;
    this.different += this.ulps.endBlock(same);
    if (isWide && !this.isInRange(squaredA, squaredB, squaredError, size)) this.sums.addScaled(a, b, size);
    else this.sums.add(squaredA, squaredB, product, squaredError);
  }

  /** Like `addBlock`, but for blocks with elements that f64 cannot represent exactly. Such blocks are rare. */
  private addLongBlock(rest: Float64Array): void {
    let same = 0;
    for (let i = 0; i < rest.length; i++) {
      const [x, y] = [doubleAt(this.a, i), doubleAt(this.b, i)];
      const signed = x - y + doubleAt(rest, i);
      if (!Number.isFinite(signed) && this.addSpecial(x, y, i)) continue;
      if (signed !== 0) {
        this.addError(x, y, Math.abs(signed), i);
        continue;
      }
      if (x === 0 && !Object.is(x, y)) this.zeroSigns += 1;
      same += 1;
    }
    this.different += this.ulps.endBlock(same);
    this.sums.addScaled(this.a, this.b, rest.length, rest);
  }

  private addError(a: number, b: number, error: number, at: number): void {
    this.maxAbs = Math.max(this.maxAbs, error);
    this.maxRel = Math.max(this.maxRel, error / Math.abs(a));
    const bin = ulpBin(error * doubleAt(this.inverse, (wordAt(this.aWords, 2 * at + 1) >>> 20) & 0x7ff));
    this.ulps.block[bin] = wordAt(this.ulps.block, bin) + 1;
    this.worst.add({ index: this.index + at, a, b, error });
  }

  /**
   * Whether all sums of squares of the current block are accurate. This requires that they are neither too large nor
   * too small for f64.
   */
  private isInRange(squaredA: number, squaredB: number, squaredError: number, size: number): boolean {
    const { a, b } = this;
    return (
      (isOrdinary(squaredError) || (squaredError === 0 && isSame(a, b, size))) &&
      (isOrdinary(squaredA) || (squaredA === 0 && isZero(a, size))) &&
      (isOrdinary(squaredB) || (squaredB === 0 && isZero(b, size)))
    );
  }

  /**
   * Counts a pair that contains a NaN or an infinity. Returns false, without counting the pair, if both elements are
   * finite and only their difference overflows.
   */
  private addSpecial(a: number, b: number, at: number): boolean {
    if (Number.isFinite(a) && Number.isFinite(b)) return false;
    this.notFinite += 1;
    if (Number.isNaN(a)) this.special.nansInA += 1;
    else if (!Number.isFinite(a)) this.special.infinitiesInA += 1;
    if (Number.isNaN(b)) this.special.nansInB += 1;
    else if (!Number.isFinite(b)) this.special.infinitiesInB += 1;
    if (Object.is(a, b)) return true;
    this.different += 1;
    if (Number.isNaN(a) || Number.isNaN(b)) this.nanMismatches += 1;
    else this.infinityMismatches += 1;
    this.worst.add({ index: this.index + at, a, b, error: Number.POSITIVE_INFINITY });
    return true;
  }
}

function isSame(a: Float64Array, b: Float64Array, size: number): boolean {
  for (let i = 0; i < size; i++) if (a[i] !== b[i] && Number.isFinite(a[i]) && Number.isFinite(b[i])) return false;
  return true;
}

function isZero(values: Float64Array, size: number): boolean {
  for (let i = 0; i < size; i++) {
    if (values[i] !== 0 && Number.isFinite(values[i])) return false;
  }
  return true;
}

function decibels(signal: ScaledNumber, noise: ScaledNumber): number {
  if (noise.significand === 0) return Number.POSITIVE_INFINITY;
  const ratio = signal.significand / noise.significand;
  if (signal.exponent === noise.exponent && (signal.significand === 0 || isUsual(ratio))) return 10 * Math.log10(ratio);
  const significands = Math.log10(signal.significand) - Math.log10(noise.significand);
  return 10 * (significands + (signal.exponent - noise.exponent) * Math.log10(2));
}

/** Whether a quotient neither overflowed nor underflowed. */
function isUsual(quotient: number): boolean {
  return quotient > 0 && Number.isFinite(quotient);
}

function cosine(product: ScaledNumber, squaredA: ScaledNumber, squaredB: ScaledNumber): number {
  if (squaredA.significand === 0 || squaredB.significand === 0) return 0;
  const exponent = product.exponent - (squaredA.exponent + squaredB.exponent) / 2;
  const norms = Math.sqrt(squaredA.significand) * Math.sqrt(squaredB.significand);
  return Math.max(-1, Math.min(1, scaled(product.significand, exponent) / norms));
}
