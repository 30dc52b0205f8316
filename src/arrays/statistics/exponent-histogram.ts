import { doubleAt, wordAt } from '../../base/typed-reads.ts';

/** Counts elements by binary exponent and sign: an element x has exponent e if 2^e <= |x| < 2^(e+1). */

/** One exponent that occurs. */
export interface ExponentCount {
  readonly exponent: number;
  readonly negative: number;
  readonly positive: number;
}

/** The exponents of f64, including those of subnormals. */
const lowest = -1074;
const highest = 1023;
const binsPerSign = highest - lowest + 1;

const words = new Uint32Array(2);
const double = new Float64Array(words.buffer);

/** The exponent of a finite number other than zero. */
export function exponentOf(value: number): number {
  double[0] = value;
  const field = (wordAt(words, 1) >>> 20) & 0x7ff;
  if (field !== 0) return field - 1023;
  const high = wordAt(words, 1) & 0xfffff;
  return high === 0 ? -1043 - Math.clz32(wordAt(words, 0)) : -1011 - Math.clz32(high);
}

/** Counts exponents over the whole range of f64, in bounded memory. */
export class ExponentHistogram {
  private readonly bins: Float64Array = new Float64Array(2 * binsPerSign);

  /** Adds `count` elements with the given sign (1 means negative) and exponent. */
  add(sign: number, exponent: number, count: number): void {
    const bin = sign * binsPerSign + exponent - lowest;
    this.bins[bin] = doubleAt(this.bins, bin) + count;
  }

  merge(other: ExponentHistogram): void {
    for (let i = 0; i < this.bins.length; i++) this.bins[i] = doubleAt(this.bins, i) + doubleAt(other.bins, i);
  }

  /** The counts for the exponents that occur, in ascending order. */
  counts(): readonly ExponentCount[] {
    const found: ExponentCount[] = [];
    for (let exponent = lowest; exponent <= highest; exponent++) {
      const positive = doubleAt(this.bins, exponent - lowest);
      const negative = doubleAt(this.bins, binsPerSign + exponent - lowest);
      if (positive + negative > 0) found.push({ exponent, negative, positive });
    }
    return found;
  }
}
