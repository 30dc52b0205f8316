/** How many elements have each binary exponent, by sign: an element x has exponent e where 2^e <= |x| < 2^(e+1). */

/** One exponent that occurs. */
export interface ExponentCount {
  readonly exponent: number;
  readonly negative: number;
  readonly positive: number;
}

/** Exponents of f64, subnormal ones included. */
const lowest = -1074;
const highest = 1023;
const binsPerSign = highest - lowest + 1;

const words = new Uint32Array(2);
const double = new Float64Array(words.buffer);

/** The exponent of a finite number other than zero. */
export function exponentOf(value: number): number {
  double[0] = value;
  const field = ((words[1] as number) >>> 20) & 0x7ff;
  if (field !== 0) return field - 1023;
  const high = (words[1] as number) & 0xfffff;
  return high === 0 ? -1043 - Math.clz32(words[0] as number) : -1011 - Math.clz32(high);
}

/** Counts over the whole range of f64, in bounded memory. */
export class ExponentHistogram {
  private readonly bins: Float64Array = new Float64Array(2 * binsPerSign);

  /** `count` elements of one sign (1 is negative) and exponent. */
  add(sign: number, exponent: number, count: number): void {
    const bin = sign * binsPerSign + exponent - lowest;
    this.bins[bin] = (this.bins[bin] as number) + count;
  }

  merge(other: ExponentHistogram): void {
    for (let i = 0; i < this.bins.length; i++) this.bins[i] = (this.bins[i] as number) + (other.bins[i] as number);
  }

  /** The exponents that occur, ascending. */
  counts(): readonly ExponentCount[] {
    const found: ExponentCount[] = [];
    for (let exponent = lowest; exponent <= highest; exponent++) {
      const positive = this.bins[exponent - lowest] as number;
      const negative = this.bins[binsPerSign + exponent - lowest] as number;
      if (positive + negative > 0) found.push({ exponent, negative, positive });
    }
    return found;
  }
}
