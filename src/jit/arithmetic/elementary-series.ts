/**
 * Elementary functions in f64 with a relative error below 2^-46. The argument is reduced to a small interval, the
 * Taylor series is truncated once the remainder is below 2^-47, and a few roundings add 2^-53 each.
 */
import { elementAt, lastOf } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import { doubleBits, doubleLogarithmOfE, naturalLogarithmOf2, shortDoubleBits } from './constants.ts';
import type { Elementary } from './elementary-functions.ts';
import type { Helpers } from '../helpers.ts';
import { roundingShift, writeReduction } from './quarter-turns.ts';

const places = 160;
const unit = 1n << BigInt(places);

/**
 * Pushes the value of the function for the argument in an f64 local, which must not be a NaN. For sin and cos, the
 * local must be finite; for lg2, it must be positive and finite.
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
      pushPower(code, value);
      return;
    case 'tanh':
      pushTangent(code, value);
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
 * Pushes c0 + c1 x + c2 x^2 + ... for an f64 local x. The two halves of the polynomial are evaluated separately, so
 * that their terms do not depend on each other.
 */
function pushPolynomial(code: Code, x: number, coefficients: readonly bigint[]): void {
  const powers: number[] = [x];
  for (let degree = 2; degree < coefficients.length; degree *= 2) {
    const last = lastOf(powers);
    const next = code.local('f64');
    code.get(last).get(last).op('f64.mul').set(next);
    powers.push(next);
  }
  pushPart(code, powers, coefficients);
}

function pushPart(code: Code, powers: readonly number[], coefficients: readonly bigint[]): void {
  const [only = 0n] = coefficients;
  if (coefficients.length === 1) {
    code.f64(only);
    return;
  }
  let level = 0;
  while (2 ** (level + 1) < coefficients.length) level++;
  pushPart(code, powers, coefficients.slice(2 ** level));
  code.get(elementAt(powers, level)).op('f64.mul');
  pushPart(code, powers, coefficients.slice(0, 2 ** level));
  code.op('f64.add');
}

/**
 * Rounds the f64 on the stack, which must be of moderate size, to an integer. Returns two locals that hold this
 * integer: as an f64, and as an i64 modulo 2^51.
 */
function takeWhole(code: Code): { readonly whole: number; readonly bits: number } {
  const [whole, bits] = [code.local('f64'), code.local('i64')];
  code.f64(roundingShift).op('f64.add').tee(whole).op('i64.reinterpret_f64').set(bits);
  code.get(whole).f64(roundingShift).op('f64.sub').set(whole);
  return { whole, bits };
}

/** Pushes 2^n, where n is given by the low bits of an i64 local. */
function pushPowerOf2(code: Code, n: number): void {
  code.get(n).i64(1023n).op('i64.add').i64(52n).op('i64.shl', 'f64.reinterpret_i64');
}

// --- ex2, tanh, lg2 -------------------------------------------------------------------------------------------------

/** 2^r for |r| <= 1/2: ln2^n / n! */
const powerOf2 = series(
  12,
  (n) => (naturalLogarithmOf2(places) ** BigInt(n) * unit) / unit ** BigInt(n) / factorial(n),
);

/** Beyond this limit, 2^x overflows or underflows in every format. */
const mostPower = doubleBits(1000n, 0);

function pushPower(code: Code, value: number): void {
  const rest = code.local('f64');
  const negativeMost = mostPower | (1n << 63n);
  code.get(value).f64(mostPower).op('f64.min').f64(negativeMost).op('f64.max').tee(rest);
  const { whole, bits } = takeWhole(code);
  code.get(rest).get(whole).op('f64.sub').set(rest);
  pushPolynomial(code, rest, powerOf2);
  pushPowerOf2(code, bits);
  code.op('f64.mul');
}

/** (e^r - 1) / r for |r| <= ln2 / 2: 1 / (n + 1)! */
const growth = series(13, (n) => unit / factorial(n + 1));
const ln2 = shortDoubleBits(naturalLogarithmOf2(places), places, 40);
const ln2Rest = doubleBits(ln2.rest, places);
const logarithmOfE = doubleBits(doubleLogarithmOfE(places), places + 1);

/** Beyond this limit, tanh rounds to 1 in every format. */
const mostTangent = doubleBits(20n, 0);

/** (E - 1) / (E + 1) for E = e^(2|x|) = 2^n * e^r, with E - 1 = 2^n * (e^r - 1) + (2^n - 1). */
function pushTangent(code: Code, value: number): void {
  const [rest, less] = [code.local('f64'), code.local('f64')];
  const power = code.local('f64');
  code.get(value).op('f64.abs').f64(mostTangent).op('f64.min').tee(rest).get(rest).op('f64.add').tee(rest);
  code.f64(logarithmOfE).op('f64.mul');
  const { whole, bits } = takeWhole(code);
  code.get(rest).get(whole).f64(ln2.bits).op('f64.mul', 'f64.sub');
  code.get(whole).f64(ln2Rest).op('f64.mul', 'f64.sub').set(rest);
  pushPowerOf2(code, bits);
  code.set(power);
  pushPolynomial(code, rest, growth);
  code.get(rest).op('f64.mul').get(power).op('f64.mul');
  code.get(power).f64(doubleBits(1n, 0)).op('f64.sub', 'f64.add').tee(less);
  code.get(less).f64(doubleBits(2n, 0)).op('f64.add', 'f64.div');
  code.get(value).op('f64.copysign');
}

/** log2((1 + s) / (1 - s)) / s as a series in s^2, for |s| <= 0.1716: 2 / (ln2 * (2n + 1)) */
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
  pushPolynomial(code, square, logarithm);
  code.get(ratio).op('f64.mul').get(exponent).op('f64.convert_i64_s', 'f64.add');
}

// --- sin, cos -------------------------------------------------------------------------------------------------------

const alternately = (n: number, value: bigint): bigint => (n % 2 === 0 ? value : -value);
/** sin r / r and cos r as series in r^2, for |r| <= pi / 4. */
const sine = series(8, (n) => alternately(n, unit / factorial(2 * n + 1)));
const cosine = series(8, (n) => alternately(n, unit / factorial(2 * n)));

/**
 * Pushes the sine if `quarter` is 0, or the cosine if `quarter` is 1, because a cosine is the sine of an angle that is
 * a quarter turn larger.
 */
function pushCircular(code: Code, helpers: Helpers, value: number, quarter: 0 | 1): void {
  const { turns, rest } = writeReduction(code, helpers, value);
  const [square, result] = [code.local('f64'), code.local('f64')];
  code.get(rest).get(rest).op('f64.mul').set(square);
  if (quarter === 1) code.get(turns).i32(1).op('i32.add').set(turns);
  code.get(turns).i32(1).op('i32.and');
  code.if(
    () => {
      pushPolynomial(code, square, cosine);
      code.set(result);
    },
    () => {
      pushPolynomial(code, square, sine);
      code.get(rest).op('f64.mul').set(result);
    },
  );
  code.get(result).op('i64.reinterpret_f64').get(turns).i32(2).op('i32.and', 'i64.extend_i32_u').i64(62n);
  code.op('i64.shl', 'i64.xor', 'f64.reinterpret_i64');
}
