/**
 * Computes elementary functions in f64 with a relative error below 2^-46. The argument is first reduced to a small
 * interval. Truncating the Taylor series then causes an error below 2^-47, and a few roundings add at most 2^-53 each.
 */
import { elementAt, lastOf } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import { type Doubles, oneDouble } from './doubles.ts';
import { doubleBits, doubleLogarithmOfE, naturalLogarithmOf2, shortDoubleBits } from './constants.ts';
import type { Elementary } from './elementary-functions.ts';
import type { Helpers } from '../helpers.ts';
import { roundingShift, writeReduction } from './quarter-turns.ts';

const places = 160;
const unit = 1n << BigInt(places);

/**
 * Pushes the value of the function. The argument is in the f64 local `value` and must not be a NaN. For sin and cos, it
 * must be finite; for lg2, it must be positive and finite.
 */
export function writeSeries(code: Code, helpers: Helpers, fn: Elementary, value: number): void {
  switch (fn) {
    case 'sin':
      pushCircular(code, helpers, value, 0);
      return;
    case 'cos':
      pushCircular(code, helpers, value, 1);
      return;
    case 'lg2':
      pushLogarithm(code, value);
      return;
    case 'ex2':
      pushPower(oneDouble(code), value);
      return;
    case 'tanh':
      pushTangent(oneDouble(code), value);
  }
}

// --- polynomials ----------------------------------------------------------------------------------------------------

/** Returns the first coefficients of a series, as f64 bits. */
function series(count: number, coefficient: (n: number) => bigint): readonly bigint[] {
  return Array.from({ length: count }, (_, n) => doubleBits(coefficient(n), places));
}

function factorial(n: number): bigint {
  return n < 2 ? 1n : BigInt(n) * factorial(n - 1);
}

/**
 * Pushes c0 + c1 x + c2 x^2 + ... for a local x. The two halves of the polynomial are evaluated separately, so that
 * their terms do not depend on each other.
 */
export function pushPolynomial(doubles: Doubles, x: number, coefficients: readonly bigint[]): void {
  const { code } = doubles;
  const powers: number[] = [x];
  for (let degree = 2; degree < coefficients.length; degree *= 2) {
    const last = lastOf(powers);
    const next = doubles.local();
    code.get(last).get(last);
    doubles.op('mul').set(next);
    powers.push(next);
  }
  pushPart(doubles, powers, coefficients);
}

function pushPart(doubles: Doubles, powers: readonly number[], coefficients: readonly bigint[]): void {
  const [only = 0n] = coefficients;
  if (coefficients.length === 1) {
    doubles.constant(only);
    return;
  }
  let level = 0;
  while (2 ** (level + 1) < coefficients.length) level++;
  pushPart(doubles, powers, coefficients.slice(2 ** level));
  doubles.code.get(elementAt(powers, level));
  doubles.addProductTo(() => pushPart(doubles, powers, coefficients.slice(0, 2 ** level)));
}

/**
 * Rounds the value on the stack, which must be of moderate size, to an integer. Returns two locals: `whole` holds the
 * integer as a value, and the low bits of `bits` hold the integer modulo 2^51.
 */
export function takeWhole(doubles: Doubles): { readonly whole: number; readonly bits: number } {
  const { code } = doubles;
  const [whole, bits] = [doubles.local(), doubles.bits()];
  doubles.constant(roundingShift);
  doubles.op('add').tee(whole);
  doubles.toBits().set(bits);
  code.get(whole);
  doubles.constant(roundingShift);
  doubles.op('sub').set(whole);
  return { whole, bits };
}

// --- ex2, tanh, lg2 -------------------------------------------------------------------------------------------------

/** The coefficients of the series for 2^r, for |r| <= 1/2: ln2^n / n! */
const powerOf2 = series(
  12,
  (n) => (naturalLogarithmOf2(places) ** BigInt(n) * unit) / unit ** BigInt(n) / factorial(n),
);

/** Beyond this limit, 2^x overflows or underflows in every format. */
const mostPower = doubleBits(1000n, 0);

export function pushPower(doubles: Doubles, value: number): void {
  const { code } = doubles;
  const rest = doubles.local();
  code.get(value);
  doubles.constant(mostPower);
  doubles.op('min');
  doubles.constant(mostPower | (1n << 63n));
  doubles.op('max').tee(rest);
  const { whole, bits } = takeWhole(doubles);
  code.get(rest).get(whole);
  doubles.op('sub').set(rest);
  pushPolynomial(doubles, rest, powerOf2);
  doubles.powerOf2(bits);
  doubles.op('mul');
}

/** The coefficients of the series for (e^r - 1) / r, for |r| <= ln2 / 2: 1 / (n + 1)! */
const growth = series(13, (n) => unit / factorial(n + 1));
const ln2 = shortDoubleBits(naturalLogarithmOf2(places), places, 40);
const ln2Rest = doubleBits(ln2.rest, places);
const logarithmOfE = doubleBits(doubleLogarithmOfE(places), places + 1);

/** Beyond this limit, tanh rounds to 1 in every format. */
const mostTangent = doubleBits(20n, 0);

/** Computes (E - 1) / (E + 1) for E = e^(2|x|) = 2^n * e^r, with E - 1 = 2^n * (e^r - 1) + (2^n - 1). */
export function pushTangent(doubles: Doubles, value: number): void {
  const { code, op, constant } = doubles;
  const [rest, less, power] = [doubles.local(), doubles.local(), doubles.local()];
  code.get(value);
  op('abs');
  constant(mostTangent);
  op('min').tee(rest).get(rest);
  op('add').tee(rest);
  constant(logarithmOfE);
  op('mul');
  const { whole, bits } = takeWhole(doubles);
  code.get(rest).get(whole);
  constant(ln2.bits);
  op('mul', 'sub').get(whole);
  constant(ln2Rest);
  op('mul', 'sub').set(rest);
  doubles.powerOf2(bits).set(power);
  pushPolynomial(doubles, rest, growth);
  code.get(rest);
  op('mul').get(power);
  op('mul').get(power);
  constant(doubleBits(1n, 0));
  op('sub', 'add').tee(less).get(less);
  constant(doubleBits(2n, 0));
  op('add', 'div');
  doubles.withSignOf(value);
}

/** The coefficients of the series in s^2 for log2((1 + s) / (1 - s)) / s, for |s| <= 0.1716: 2 / (ln2 * (2n + 1)) */
const logarithm = series(9, (n) => doubleLogarithmOfE(places) / BigInt(2 * n + 1));
const rootOfHalf = 0x3fe6a09e667f3bcdn;

function pushLogarithm(code: Code, value: number): void {
  const [bits, exponent] = [code.local('i64'), code.local('i64')];
  const [mantissa, ratio, square] = [code.local('f64'), code.local('f64'), code.local('f64')];
  code
    .get(value)
    .op('i64.reinterpret_f64')
    .tee(bits)
    .i64(rootOfHalf)
    .op('i64.sub')
    .i64(52n)
    .op('i64.shr_s')
    .set(exponent);
  code.get(bits).get(exponent).i64(52n).op('i64.shl', 'i64.sub', 'f64.reinterpret_i64').set(mantissa);
  code.get(mantissa).f64(doubleBits(1n, 0)).op('f64.sub');
  code.get(mantissa).f64(doubleBits(1n, 0)).op('f64.add', 'f64.div').tee(ratio);
  code.get(ratio).op('f64.mul').set(square);
  pushPolynomial(oneDouble(code), square, logarithm);
  code.get(ratio).op('f64.mul').get(exponent).op('f64.convert_i64_s', 'f64.add');
}

// --- sin, cos -------------------------------------------------------------------------------------------------------

const alternately = (n: number, value: bigint): bigint => (n % 2 === 0 ? value : -value);
/** The coefficients of the series in r^2 for (sin r) / r and cos r, for |r| <= pi / 4. */
export const sine: readonly bigint[] = series(8, (n) => alternately(n, unit / factorial(2 * n + 1)));
export const cosine: readonly bigint[] = series(8, (n) => alternately(n, unit / factorial(2 * n)));

/**
 * Pushes the sine if `quarter` is 0, or the cosine if `quarter` is 1. A cosine is the sine of an angle that is a
 * quarter turn larger.
 */
function pushCircular(code: Code, helpers: Helpers, value: number, quarter: 0 | 1): void {
  const { turns, rest } = writeReduction(code, helpers, value);
  const [square, result] = [code.local('f64'), code.local('f64')];
  code.get(rest).get(rest).op('f64.mul').set(square);
  if (quarter === 1) code.get(turns).i32(1).op('i32.add').set(turns);
  code.get(turns).i32(1).op('i32.and');
  code.if(
    () => {
      pushPolynomial(oneDouble(code), square, cosine);
      code.set(result);
    },
    () => {
      pushPolynomial(oneDouble(code), square, sine);
      code.get(rest).op('f64.mul').set(result);
    },
  );
  code.get(result).op('i64.reinterpret_f64').get(turns).i32(2).op('i32.and', 'i64.extend_i32_u').i64(62n);
  code.op('i64.shl', 'i64.xor', 'f64.reinterpret_i64');
}
