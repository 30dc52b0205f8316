/**
 * Computes elementary functions in fixed-point arithmetic, in which an integer n stands for n * 2^-places. With up to
 * 2^12 places, each result differs from the true value by less than 2^`slackBits` units in the last place. This follows
 * from three facts: a series has at most as many terms as there are places, each term has an error of less than three
 * units, and there are at most eight squarings, each of which doubles the error.
 */

/** In each result, this number of trailing bits may be wrong. */
export const slackBits = 26n;

/** e^x for 0 <= x < 1. */
export function exponential(x: bigint, places: bigint): bigint {
  const one = 1n << places;
  const halvings = 8n;
  const small = x >> halvings;
  let sum = one;
  let term = one;
  for (let n = 1n; term > 0n; n++) {
    term = ((term * small) >> places) / n;
    sum += term;
  }
  for (let i = 0n; i < halvings; i++) sum = (sum * sum) >> places;
  return sum;
}

/** ln x for 1/2 <= x <= 2. */
export function logarithm(x: bigint, places: bigint): bigint {
  const one = 1n << places;
  return 2n * inverseTangent(((x - one) << places) / (x + one), places, 1n);
}

/** sin x for 0 <= x < 2. */
export function sine(x: bigint, places: bigint): bigint {
  return alternating(x, x, 1n, places);
}

/** cos x for 0 <= x < 2. */
export function cosine(x: bigint, places: bigint): bigint {
  return alternating(x, 1n << places, 0n, places);
}

/** The alternating series first - first * x^2 / ((n+1)(n+2)) + ..., used for sin and cos. */
function alternating(x: bigint, first: bigint, n: bigint, places: bigint): bigint {
  const square = (x * x) >> places;
  let sum = first;
  let term = first;
  for (let k = n; term > 0n; k += 2n) {
    term = ((term * square) >> places) / ((k + 1n) * (k + 2n));
    sum += (k - n) % 4n === 0n ? -term : term;
  }
  return sum;
}

/**
 * The series x ± x^3/3 + x^5/5 ± ..., for |x| of at most 1/2. Its sum is artanh x if `sign` is 1, and arctan x if
 * `sign` is -1.
 */
function inverseTangent(x: bigint, places: bigint, sign: bigint): bigint {
  const square = (x * x) >> places;
  let sum = x;
  let power = x;
  for (let n = 3n; power > 1n || power < -1n; n += 2n) {
    power = (sign * power * square) >> places;
    sum += power / n;
  }
  return sum;
}

interface Constants {
  readonly ln2: bigint;
  /** pi / 2. */
  readonly quarterTurn: bigint;
}

const known = new Map<bigint, Constants>();

/**
 * Returns ln 2, computed as 2 artanh 1/3, and pi / 2, computed by Machin's formula. The results are cached for each
 * number of places.
 */
export function constants(places: bigint): Constants {
  const found = known.get(places);
  if (found !== undefined) return found;
  const one = 1n << places;
  const made = {
    ln2: 2n * inverseTangent(one / 3n, places, 1n),
    quarterTurn: 8n * inverseTangent(one / 5n, places, -1n) - 2n * inverseTangent(one / 239n, places, -1n),
  };
  known.set(places, made);
  return made;
}
