/** How far one stream of elements is from another, the first being the one that is meant. */
import { blockSize, CompensatedSum } from './compensated-sum.ts';
import { inverseSpacings, type SpacingUnit } from './spacing.ts';
import { ulpBin, type UlpCount, UlpHistogram } from './ulp-histogram.ts';
import { type WorstElement, WorstElements } from './worst-elements.ts';

export interface Comparison {
  readonly count: number;
  /** Elements of other values; a NaN is like any NaN, -0 like 0. */
  readonly different: number;
  /** Zeros of different signs, which are not different values. */
  readonly zeroSigns: number;
  /** Exactly one of the two is NaN. */
  readonly nanMismatches: number;
  /** Neither is NaN, and one of them is an infinity that the other is not. */
  readonly infinityMismatches: number;
  /** Of the pairs of finite elements, as are all that follow: the largest |a - b|. */
  readonly maxAbs: number;
  /** The largest |a - b| / |a|; infinite where an a is 0 and its b is not. */
  readonly maxRel: number;
  readonly meanSquaredError: number;
  /** 10 log10 of the sum of a^2 over that of (a - b)^2; infinite where nothing differs. */
  readonly sqnr: number;
  /** a·b / (|a| |b|); 1 where both are zero throughout, 0 where one of them is. */
  readonly cosine: number;
  /** Errors in spacings of a format at a. */
  readonly ulps: readonly UlpCount[];
  /** Mismatches of NaN and infinity first. */
  readonly worst: readonly WorstElement[];
}

export interface ComparerOptions {
  /** What errors are counted in. */
  readonly unit: SpacingUnit;
  /** How many of the worst elements are kept. */
  readonly worst: number;
  /** The index of the first element, for a part of a stream; else 0. */
  readonly firstIndex?: number;
}

/** Elements in any number of chunks; memory does not depend on how many there are. */
export class Comparer {
  private readonly inverse: Float64Array;
  private readonly ulps = new UlpHistogram();
  private readonly worst: WorstElements;
  private readonly squaredError = new CompensatedSum();
  private readonly squaredA = new CompensatedSum();
  private readonly squaredB = new CompensatedSum();
  private readonly product = new CompensatedSum();
  private readonly a = new Float64Array(blockSize);
  private readonly b = new Float64Array(blockSize);
  private readonly aWords = new Uint32Array(this.a.buffer);
  private index: number;
  private count = 0;
  private different = 0;
  private zeroSigns = 0;
  private nanMismatches = 0;
  private infinityMismatches = 0;
  /** Pairs of which at least one is NaN or infinite. */
  private notFinite = 0;
  private maxAbs = 0;
  private maxRel = 0;

  constructor({ unit, worst, firstIndex = 0 }: ComparerOptions) {
    this.inverse = inverseSpacings(unit);
    this.worst = new WorstElements(worst);
    this.index = firstIndex;
  }

  /** The next elements of both, equally many. */
  add(a: Float32Array | Float64Array, b: Float32Array | Float64Array): void {
    for (let at = 0; at < a.length; at += blockSize) {
      const size = Math.min(blockSize, a.length - at);
      this.a.set(a.subarray(at, at + size));
      this.b.set(b.subarray(at, at + size));
      this.addBlock(size);
      this.index += size;
      this.count += size;
    }
  }

  /** What was found in a later part of the same stream. */
  merge(later: Comparer): void {
    this.count += later.count;
    this.different += later.different;
    this.zeroSigns += later.zeroSigns;
    this.nanMismatches += later.nanMismatches;
    this.infinityMismatches += later.infinityMismatches;
    this.notFinite += later.notFinite;
    this.maxAbs = Math.max(this.maxAbs, later.maxAbs);
    this.maxRel = Math.max(this.maxRel, later.maxRel);
    this.squaredError.merge(later.squaredError);
    this.squaredA.merge(later.squaredA);
    this.squaredB.merge(later.squaredB);
    this.product.merge(later.product);
    this.ulps.merge(later.ulps);
    this.worst.merge(later.worst);
  }

  result(): Comparison {
    const { count, different, zeroSigns, nanMismatches, infinityMismatches, maxAbs, maxRel } = this;
    const pairs = count - this.notFinite;
    return {
      count,
      different,
      zeroSigns,
      nanMismatches,
      infinityMismatches,
      maxAbs,
      maxRel,
      meanSquaredError: pairs === 0 ? 0 : this.squaredError.value / pairs,
      sqnr: decibels(this.squaredA.value, this.squaredError.value),
      cosine: this.squaredError.value === 0 ? 1 : cosine(this.product.value, this.squaredA.value, this.squaredB.value),
      ulps: this.ulps.counts(),
      worst: this.worst.list(),
    };
  }

  private addBlock(size: number): void {
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
      const x = a[i] as number;
      const y = b[i] as number;
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
      // Divides only where the quotient may be the largest so far.
      if (error > maxRel * magnitude) maxRel = Math.max(maxRel, error / magnitude);
      const bin = ulpBin(error * (inverse[((aWords[2 * i + 1] as number) >>> 20) & 0x7ff] as number));
      bins[bin] = (bins[bin] as number) + 1;
      if (error > threshold) {
        this.worst.add({ index: this.index + i, a: x, b: y, error });
        threshold = this.worst.threshold;
      }
    }
    this.maxAbs = maxAbs;
    this.maxRel = maxRel;
    this.different += this.ulps.endBlock(same);
    this.squaredError.add(squaredError);
    this.squaredA.add(squaredA);
    this.squaredB.add(squaredB);
    this.product.add(product);
  }

  /** A pair with a NaN or an infinity; false where both are finite and only their difference is not. */
  private addSpecial(a: number, b: number, at: number): boolean {
    if (Number.isFinite(a) && Number.isFinite(b)) return false;
    this.notFinite += 1;
    if (Object.is(a, b)) return true;
    this.different += 1;
    if (Number.isNaN(a) || Number.isNaN(b)) this.nanMismatches += 1;
    else this.infinityMismatches += 1;
    this.worst.add({ index: this.index + at, a, b, error: Number.POSITIVE_INFINITY });
    return true;
  }
}

function decibels(signal: number, noise: number): number {
  if (noise === 0) return Number.POSITIVE_INFINITY;
  return 10 * Math.log10(signal / noise);
}

function cosine(product: number, squaredA: number, squaredB: number): number {
  if (squaredA === 0 || squaredB === 0) return 0;
  return Math.max(-1, Math.min(1, product / (Math.sqrt(squaredA) * Math.sqrt(squaredB))));
}
