/**
 * Exact sums, products, quotients and roots of finite values; inputs must not have a tail, but results may have one.
 * The kernel `narrow` is for significands of at most 24 bits and uses only JavaScript numbers; the kernel `wide` is for
 * f64 and uses bigints. Signs, zeros, infinities and NaNs are handled in arithmetic.ts.
 */
import {
  belowHalf,
  aboveHalf,
  bitLength,
  classify,
  type Finite,
  finite,
  fromInteger,
  fromRatio,
  noTail,
  power,
  type Tail,
  widthOf,
} from './exact.ts';

export interface Kernel {
  /** a + b; null if the sum is zero. */
  readonly add: (a: Finite, b: Finite) => Finite | null;
  readonly multiply: (a: Finite, b: Finite) => Finite;
  /** a * b + c without rounding; null if the sum is zero. */
  readonly fma: (a: Finite, b: Finite, c: Finite) => Finite | null;
  readonly divide: (a: Finite, b: Finite) => Finite;
  /** The square root of a positive value. */
  readonly squareRoot: (a: Finite) => Finite;
  /** The reciprocal square root of a positive value. */
  readonly reciprocalRoot: (a: Finite) => Finite;
}

/**
 * The kernel for significands of at most 24 bits. `add` also accepts significands of up to 48 bits, because it is used
 * for the last step of an fma.
 */
export const narrow: Kernel = {
  add: addNarrow,
  multiply: multiplyNarrow,
  fma: (a, b, c) => addNarrow(multiplyNarrow(a, b), c),
  divide: divideNarrow,
  squareRoot: squareRootNarrow,
  reciprocalRoot: reciprocalRootWide,
};

/** The kernel for significands of at most 53 bits. */
export const wide: Kernel = {
  add: (a, b) => addWide(a, BigInt(a.significand), b),
  multiply: multiplyWide,
  fma: (a, b, c) =>
    addWide(multiplyWide(a, b), BigInt(a.significand) * BigInt(b.significand), c, a.exponent + b.exponent),
  divide: divideWide,
  squareRoot: squareRootWide,
  reciprocalRoot: reciprocalRootWide,
};

/**
 * Shifts the significand of the operand with the higher exponent to the left until the exponents are equal, or until
 * the significand has 52 bits. If the other operand still has bits below the last place of the shifted significand, it
 * is so much smaller that the sum or difference has at least 51 bits; the bits below the last place become the tail.
 */
function addNarrow(a: Finite, b: Finite): Finite | null {
  const high = a.exponent >= b.exponent ? a : b;
  const low = high === a ? b : a;
  const gap = high.exponent - low.exponent;
  const lift = Math.min(gap, 52 - bitLength(high.significand));
  const above = high.significand * power(lift);
  const exponent = high.exponent - lift;
  const cut = gap - lift;
  if (cut === 0) return combine(high, above, low, low.significand, exponent);
  if (cut > 53) return combineFar(high, above, low, 0, exponent, belowHalf);
  const unit = power(cut);
  const below = Math.floor(low.significand / unit);
  return combineFar(high, above, low, below, exponent, classify(low.significand - below * unit, unit, noTail));
}

/** Adds `above` with the sign of a and `below` with the sign of b. Both numbers are exact. */
function combine(a: Finite, above: number, b: Finite, below: number, exponent: number): Finite | null {
  if (a.sign === b.sign) return finite(a.sign, above + below, exponent, noTail);
  if (above === below) return null;
  return above > below
    ? finite(a.sign, above - below, exponent, noTail)
    : finite(b.sign, below - above, exponent, noTail);
}

/**
 * Adds `above` with the sign of a and `below` + `tail` with the sign of b, where `above` is much larger than `below`.
 */
function combineFar(a: Finite, above: number, b: Finite, below: number, exponent: number, tail: Tail): Finite {
  if (a.sign === b.sign) return finite(a.sign, above + below, exponent, tail);
  if (tail === noTail) return finite(a.sign, above - below, exponent, noTail);
  return finite(a.sign, above - below - 1, exponent, complement(tail));
}

/** If `tail` describes a fraction x that is not zero, returns the tail that describes 1 - x. */
function complement(tail: Tail): Tail {
  if (tail === belowHalf) return aboveHalf;
  return tail === aboveHalf ? belowHalf : tail;
}

function multiplyNarrow(a: Finite, b: Finite): Finite {
  return finite(a.sign === b.sign ? 0 : 1, a.significand * b.significand, a.exponent + b.exponent, noTail);
}

function divideNarrow(a: Finite, b: Finite): Finite {
  const lift = 53 - bitLength(a.significand);
  const numerator = a.significand * power(lift);
  // The quotient is computed from the remainder, which is exact for integral doubles. A direct division would be
  // rounded, so its result might not be the floor of the exact quotient.
  const rest = numerator % b.significand;
  const quotient = (numerator - rest) / b.significand;
  const tail = classify(rest, b.significand, noTail);
  return finite(a.sign === b.sign ? 0 : 1, quotient, a.exponent - lift - b.exponent, tail);
}

function squareRootNarrow(a: Finite): Finite {
  const room = 52 - bitLength(a.significand);
  const lift = (a.exponent - room) % 2 === 0 ? room : room + 1;
  const square = a.significand * power(lift);
  let root = Math.floor(Math.sqrt(square));
  // ECMAScript does not guarantee that square roots are correctly rounded.
  while (root * root > square) root--;
  while ((root + 1) * (root + 1) <= square) root++;
  const rest = square - root * root;
  const tail = rest === 0 ? noTail : rest > root ? aboveHalf : belowHalf;
  return finite(0, root, (a.exponent - lift) / 2, tail);
}

/**
 * Adds a and b. The magnitude of a is given separately, as `significand` * 2^`exponent`, because its significand may be
 * too wide for a JavaScript number.
 */
function addWide(a: Finite, significand: bigint, b: Finite, exponent: number = a.exponent): Finite | null {
  const gap = exponent - b.exponent;
  const mine = a.sign === 0 ? significand : -significand;
  const theirs = b.sign === 0 ? BigInt(b.significand) : -BigInt(b.significand);
  if (gap > reach) return nudge(mine, theirs, exponent);
  if (gap < -reach) return nudge(theirs, mine, b.exponent);
  const sum = gap >= 0 ? (mine << BigInt(gap)) + theirs : mine + (theirs << BigInt(-gap));
  if (sum === 0n) return null;
  const lowest = Math.min(exponent, b.exponent);
  return sum < 0n ? fromInteger(1, -sum, lowest) : fromInteger(0, sum, lowest);
}

/**
 * If the exponents of two values differ by more than this, the value with the lower exponent is less than 2^-60 times
 * the last place of the other value, even if the significand of the lower value has 106 bits.
 */
const reach = 170;

/** Adds to `large` a value that has the sign of `tiny` and is far smaller than the last place of `large`. */
function nudge(large: bigint, tiny: bigint, exponent: number): Finite {
  const sign = large < 0n ? 1 : 0;
  const magnitude = (sign === 1 ? -large : large) << 60n;
  const opposite = large < 0n !== tiny < 0n;
  return fromInteger(sign, opposite ? magnitude - 1n : magnitude, exponent - 60, true);
}

function multiplyWide(a: Finite, b: Finite): Finite {
  return fromInteger(a.sign === b.sign ? 0 : 1, BigInt(a.significand) * BigInt(b.significand), a.exponent + b.exponent);
}

function divideWide(a: Finite, b: Finite): Finite {
  const ratio = fromRatio(a.sign === b.sign ? 0 : 1, BigInt(a.significand), BigInt(b.significand));
  return finite(ratio.sign, ratio.significand, ratio.exponent + a.exponent - b.exponent, ratio.tail);
}

function squareRootWide(a: Finite): Finite {
  const lift = 60 + (a.exponent % 2 === 0 ? 0 : 1);
  const square = BigInt(a.significand) << BigInt(lift + 60);
  const root = integerRoot(square);
  return fromInteger(0, root, (a.exponent - lift - 60) / 2, root * root !== square);
}

/**
 * The reciprocal square root, computed as sqrt(2^k / significand), where k is large enough for the root to have at
 * least 60 bits.
 */
function reciprocalRootWide(a: Finite): Finite {
  const shift = 240 + (a.exponent % 2 === 0 ? 0 : 1);
  const significand = BigInt(a.significand);
  const square = 1n << BigInt(shift);
  const root = integerRoot(square / significand);
  return fromInteger(0, root, -(shift + a.exponent) / 2, root * root * significand !== square);
}

/** The floor of a square root, computed by Newton's method, starting from a value that is too large. */
function integerRoot(square: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(widthOf(square) / 2));
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
