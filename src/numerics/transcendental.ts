/**
 * Computes sin, cos, lg2, ex2 and tanh of finite values. The results are exact values with a significand and a tail,
 * which are rounded only once, so the rounded results are correct in every format.
 *
 * Apart from a few exact cases, the results of these functions for rational arguments are irrational (by the theorem of
 * Lindemann and Weierstrass or, for ex2, that of Gelfond and Schneider). Hence, outside of the exact cases, no result
 * is equal to a value of a format or halfway between two such values. An upper and a lower bound of the result are
 * computed with more and more places, until both have the same significand and tail.
 */
import { finite, type Exact, type Finite, fromInteger, noTail, power, type Sign, widthOf, zero } from './exact.ts';
import { constants, cosine, exponential, logarithm, sine, slackBits } from './fixed-point.ts';

export type Transcendental = 'sin' | 'cos' | 'lg2' | 'ex2' | 'tanh';

/**
 * Applies the function to a value, which must not be zero, infinite or a NaN; for lg2, it must not be negative either.
 */
export function transcendental(fn: Transcendental, a: Finite): Exact {
  switch (fn) {
    case 'sin':
      return circular(a, 0n);
    case 'cos':
      return circular(a, 1n);
    case 'lg2':
      return binaryLogarithm(a);
    case 'ex2':
      return binaryExponential(a);
    case 'tanh':
      return hyperbolicTangent(a);
  }
}

/** An approximate result. Its magnitude is `value` * 2^exponent, and the error is less than 2^slack * 2^exponent. */
interface Approximation {
  readonly sign: Sign;
  readonly value: bigint;
  readonly slack: bigint;
  readonly exponent: number;
}

const fewestPlaces = 128n;

/**
 * Computes a value with more and more places, until its upper and lower bounds agree in the 53 bits of the significand
 * and in the tail.
 */
function settle(compute: (places: bigint) => Approximation): Finite {
  for (let places = fewestPlaces; ; places *= 2n) {
    const { sign, value, slack, exponent } = compute(places);
    const error = 1n << slack;
    if (value <= error) continue;
    const low = fromInteger(sign, value - error, exponent, true);
    const high = fromInteger(sign, value + error - 1n, exponent, true);
    const same = low.significand === high.significand && low.exponent === high.exponent && low.tail === high.tail;
    if (same) return low;
  }
}

/** The magnitude times 2^places, rounded down. */
function fixed({ significand, exponent }: Finite, places: bigint): bigint {
  const shift = BigInt(exponent) + places;
  return shift >= 0n ? BigInt(significand) << shift : BigInt(significand) >> -shift;
}

/** The exponent of the highest bit of a value. */
function topExponent({ significand, exponent }: Finite): number {
  return exponent + widthOf(BigInt(significand)) - 1;
}

// --- ex2, lg2 -------------------------------------------------------------------------------------------------------

function binaryExponential(a: Finite): Exact {
  const top = topExponent(a);
  // The result is too large or too small for every format. Its exact value does not matter, because all such results
  // are rounded in the same way.
  if (top >= 12) return finite(0, 1, a.sign === 0 ? 5000 : -5000, noTail);
  const exact = a.significand * power(a.exponent);
  if (Number.isInteger(exact)) return finite(0, 1, a.sign === 0 ? exact : -exact, noTail);
  return settle((wanted) => {
    const places = wanted + BigInt(-Math.min(top, 0));
    const magnitude = fixed(a, places);
    const x = a.sign === 0 ? magnitude : -magnitude;
    const whole = x >> places;
    const fraction = x - (whole << places);
    const { ln2 } = constants(places);
    const value = exponential((fraction * ln2) >> places, places);
    return { sign: 0, value, slack: slackBits, exponent: Number(whole - places) };
  });
}

function binaryLogarithm(a: Finite): Exact {
  const top = topExponent(a);
  if (BigInt(a.significand) === 1n << BigInt(top - a.exponent)) {
    return top === 0 ? zero(0) : finite(top < 0 ? 1 : 0, Math.abs(top), 0, noTail);
  }
  return settle((places) => {
    const mantissa = fixed({ ...a, exponent: a.exponent - top }, places);
    const { ln2 } = constants(places);
    const value = (BigInt(top) << places) + (logarithm(mantissa, places) << places) / ln2;
    const sign: Sign = value < 0n ? 1 : 0;
    return { sign, value: sign === 1 ? -value : value, slack: slackBits + 1n, exponent: -Number(places) };
  });
}

// --- sin, cos, tanh -------------------------------------------------------------------------------------------------

/** Computes sin or cos. `quarter`, the number of quarter turns to add to the angle, is 0 for sin and 1 for cos. */
function circular(a: Finite, quarter: bigint): Exact {
  const top = topExponent(a);
  return settle((wanted) => {
    const places = wanted + BigInt(3 * Math.abs(Math.min(top, 0)));
    const angle = reduce(a, top, places);
    const turn = (angle.quarters + quarter) & 3n;
    const value = (turn & 1n) === 0n ? sine(angle.rest, places) : cosine(angle.rest, places);
    const negative = turn >= 2n !== (a.sign === 1 && quarter === 0n);
    return { sign: negative ? 1 : 0, value, slack: slackBits, exponent: -Number(places) };
  });
}

/**
 * Splits the angle |a| into whole quarter turns and a remainder. Pi is computed to more places than the remainder. The
 * number of additional places is at least the number of integer bits of |a|.
 */
function reduce(a: Finite, top: number, places: bigint): { readonly quarters: bigint; readonly rest: bigint } {
  const extra = BigInt(Math.max(0, top + 2));
  const magnitude = fixed(a, places + extra);
  const { quarterTurn } = constants(places + extra);
  const quarters = magnitude / quarterTurn;
  return { quarters, rest: (magnitude - quarters * quarterTurn) >> extra };
}

/** (E - 1) / (E + 1) for E = e^(2|a|). */
function hyperbolicTangent(a: Finite): Exact {
  const top = topExponent(a);
  // The result is so close to 1 that no format can represent the difference.
  if (top >= 7) return fromInteger(a.sign, (1n << 180n) - 1n, -180, true);
  return settle((wanted) => {
    const places = wanted + BigInt(3 * Math.abs(Math.min(top, 0)));
    const one = 1n << places;
    const twice = fixed(a, places + 1n);
    const { ln2 } = constants(places);
    const whole = twice / ln2;
    // E is e^rest * 2^whole. Numerator and denominator are both divided by 2^whole, which gives (e^rest - 2^-whole) /
    // (e^rest + 2^-whole).
    const growth = exponential(twice - whole * ln2, places);
    const unit = one >> whole;
    const value = ((growth - unit) << places) / (growth + unit);
    return { sign: a.sign, value, slack: slackBits + 9n, exponent: -Number(places) };
  });
}
