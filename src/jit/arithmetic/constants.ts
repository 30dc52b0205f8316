/**
 * Computes ln 2 and pi, which the elementary functions need, to any number of binary places. The constants are computed
 * from ln 2 = 2 artanh(1/3) and from Machin's formula, pi / 4 = 4 arctan(1/5) - arctan(1/239). A value v is stored as
 * an integer that approximates v * 2^places, with an error of a few units at most.
 */

/**
 * Number of additional places that are computed for each constant. The result is then truncated to the requested number
 * of places.
 */
const spare = 32;

/** Returns 1/n + sign/(3 n^3) + 1/(5 n^5) + ..., which is artanh(1/n) if the sign is 1, and arctan(1/n) if it is -1. */
function inverseTangent(n: bigint, sign: bigint, places: number): bigint {
  let power = (1n << BigInt(places)) / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power = (sign * power) / (n * n);
    sum += power / k;
  }
  return sum;
}

const known = new Map<string, bigint>();

/** Returns a constant, cached by its name and number of places. */
function precisely(name: string, places: number, compute: (places: number) => bigint): bigint {
  const key = `${name} ${places}`;
  const found = known.get(key) ?? compute(places + spare) >> BigInt(spare);
  known.set(key, found);
  return found;
}

/** ln 2 */
export function naturalLogarithmOf2(places: number): bigint {
  return precisely('ln 2', places, (more) => 2n * inverseTangent(3n, 1n, more));
}

/** pi / 4 */
export function eighthTurn(places: number): bigint {
  return precisely('pi / 4', places, (more) => 4n * inverseTangent(5n, -1n, more) - inverseTangent(239n, -1n, more));
}

/** 2 / pi */
export function inverseQuarterTurn(places: number): bigint {
  return precisely('2 / pi', places, (more) => (1n << BigInt(2 * more - 1)) / eighthTurn(more));
}

/** 2 / ln 2 */
export function doubleLogarithmOfE(places: number): bigint {
  return precisely('2 / ln 2', places, (more) => (1n << BigInt(2 * more + 1)) / naturalLogarithmOf2(more));
}

/** Returns the bits of the f64 nearest to value * 2^-places, which must be a normal number. */
export function doubleBits(value: bigint, places: number): bigint {
  if (value < 0n) return (1n << 63n) | doubleBits(-value, places);
  const width = value.toString(2).length;
  const cut = BigInt(Math.max(0, width - 54));
  // `leading` holds the first 54 bits of the value, one more than the 53 bits of the result. The extra bit decides
  // whether to round up. Ties do not have to be handled, because none of the constants is halfway between two f64
  // values.
  const leading = (value >> cut) << BigInt(Math.max(0, 54 - width));
  const exponent = width - 1 - places;
  return (BigInt(exponent + 1023) << 52n) + ((leading + 1n) >> 1n) - (1n << 52n);
}

/**
 * Splits value * 2^-places into two parts. The first is an f64 with only the leading `bits` bits of the value, so that
 * its product with a small integer is exact. The second part, `rest`, consists of the remaining bits.
 */
export function shortDoubleBits(
  value: bigint,
  places: number,
  bits: number,
): { readonly bits: bigint; readonly rest: bigint } {
  const cut = BigInt(value.toString(2).length - bits);
  const kept = (value >> cut) << cut;
  return { bits: doubleBits(kept, places), rest: value - kept };
}
