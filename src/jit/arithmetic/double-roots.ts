/**
 * Computes f64 quotients and roots in the rounding modes that WebAssembly lacks. The code starts from WebAssembly's
 * result, which is rounded to nearest and therefore differs from the exact result by less than one unit in the last
 * place. The sign of the remainder shows whether that result is too low or too high. Computing the remainder modulo
 * 2^64 or 2^128 does not change its sign, because the remainder is small enough.
 */
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { decode } from './decoding.ts';
import type { Helpers } from '../helpers.ts';
import { type ExactLocals, exactLocals } from './exact-locals.ts';
import { highProduct, pushRoundedToOdd } from './wide.ts';

const fractionMask = (1n << 52n) - 1n;
const implicit = 1n << 52n;
const bias = 1023;

/**
 * Pushes 2^exponent * (significand / 2^63), a value of at least 1, as f64. `pushExponent` pushes the exponent, an i64
 * that is 0 or 1.
 */
function pushScaled(code: Code, significand: number, pushExponent: () => void): void {
  code.get(significand).i64(11n).op('i64.shr_u').i64(fractionMask).op('i64.and');
  pushExponent();
  code.i64(BigInt(bias)).op('i64.add').i64(52n).op('i64.shl', 'i64.or', 'f64.reinterpret_i64');
}

/**
 * Splits the f64 on the stack into its 53-bit significand and its exponent, and returns the i64 locals that hold them.
 */
function takeApart(code: Code): { readonly significand: number; readonly exponent: number } {
  const significand = code.local('i64');
  const exponent = code.local('i64');
  code
    .op('i64.reinterpret_f64')
    .tee(significand)
    .i64(52n)
    .op('i64.shr_u')
    .i64(BigInt(bias))
    .op('i64.sub')
    .set(exponent);
  code.get(significand).i64(fractionMask).op('i64.and').i64(implicit).op('i64.or').set(significand);
  return { significand, exponent };
}

/**
 * Extends a 53-bit significand to 64 bits, and then adds the i64 local `missing`, which holds the sign of the remainder
 * (1, 0 or -1).
 */
function nudged(code: Code, significand: number, missing: number, result: number): void {
  code.get(significand).i64(11n).op('i64.shl');
  code.get(missing).i64(0n).op('i64.gt_s', 'i64.extend_i32_u', 'i64.add');
  code.get(missing).i64(63n).op('i64.shr_s', 'i64.add').set(result);
}

export function writeQuotient(code: Code, x: ExactLocals, y: ExactLocals): ExactLocals {
  const exact = exactLocals(code);
  const missing = code.local('i64');
  pushScaled(code, x.significand, () => code.i64(0n));
  pushScaled(code, y.significand, () => code.i64(0n));
  code.op('f64.div');
  const quotient = takeApart(code);
  // Computes x - quotient * y, in units of 2^(exponent - 104).
  code.get(x.significand).i64(11n).op('i64.shr_u').i64(52n).get(quotient.exponent).op('i64.sub', 'i64.shl');
  code.get(y.significand).i64(11n).op('i64.shr_u').get(quotient.significand).op('i64.mul', 'i64.sub').set(missing);
  nudged(code, quotient.significand, missing, exact.significand);
  code.get(x.sign).get(y.sign).op('i32.xor').set(exact.sign);
  code.get(x.exponent).get(y.exponent).op('i32.sub').get(quotient.exponent).op('i32.wrap_i64', 'i32.add');
  code.set(exact.exponent);
  return exact;
}

/**
 * Returns an i64 local that is 1 if the exponent is odd. In that case, a factor of 2 must be moved to the significand,
 * so that the root has an integer exponent.
 */
function oddness(code: Code, { exponent }: ExactLocals): number {
  const odd = code.local('i64');
  code.get(exponent).i32(1).op('i32.and', 'i64.extend_i32_u').set(odd);
  return odd;
}

/** Computes the square root of a positive value. */
export function writeRoot(code: Code, x: ExactLocals): ExactLocals {
  const exact = exactLocals(code);
  const missing = code.local('i64');
  const odd = oddness(code, x);
  pushScaled(code, x.significand, () => code.get(odd));
  code.op('f64.sqrt');
  const root = takeApart(code);
  code.get(x.significand).i64(11n).op('i64.shr_u').i64(52n).get(odd).op('i64.add', 'i64.shl');
  code.get(root.significand).get(root.significand).op('i64.mul', 'i64.sub').set(missing);
  nudged(code, root.significand, missing, exact.significand);
  code.get(x.exponent).i32(1).op('i32.shr_s').set(exact.exponent);
  return exact;
}

/** Number of binary places to which a reciprocal square root is computed. */
const places = 55n;
/** Upper bound on the error of 1 / sqrt(x) in units of the last place, after two roundings to 53 bits. */
const slack = 8n;

/**
 * Computes 1 / sqrt(x) for a positive x: the largest number r with 55 binary places for which r^2 * x <= 1. The code
 * compares r^2 * x with 1 in units of 2^-162. The difference between r^2 * x and 1 is less than 2^-48, so the low 128
 * bits of the difference are enough to determine its sign.
 */
export function writeReciprocalRoot(code: Code, helpers: Helpers, x: ExactLocals): ExactLocals {
  const exact = exactLocals(code);
  const [root, value] = [code.local('i64'), code.local('i64')];
  const [square, above, below] = [code.local('i64'), code.local('i64'), code.local('i64')];
  const odd = oddness(code, x);
  code.i64(BigInt(bias) << 52n).op('f64.reinterpret_i64');
  pushScaled(code, x.significand, () => code.get(odd));
  code.op('f64.sqrt', 'f64.div');
  const start = takeApart(code);
  code.get(x.significand).i64(11n).op('i64.shr_u').get(odd).op('i64.shl').set(value);
  code
    .get(start.significand)
    .i64(places - 52n)
    .get(start.exponent)
    .op('i64.add', 'i64.shl')
    .i64(slack)
    .op('i64.add');
  code.set(root);
  code.loop((again) => {
    code.get(root).get(root).op('i64.mul').tee(square).get(value).op('i64.mul').set(below);
    code.get(root).get(root).call(highProduct(helpers)).get(value).op('i64.mul');
    code.get(square).get(value).call(highProduct(helpers)).op('i64.add').set(above);
    // If r^2 * x - 1 is positive, r is too large.
    code.get(above).i64(0n).op('i64.gt_s').get(above).op('i64.eqz').get(below).op('i64.eqz', 'i32.eqz', 'i32.and');
    code.op('i32.or').if(() => code.get(root).i64(1n).op('i64.sub').set(root).br(again));
  });
  const zeros = code.local('i64');
  code.get(root).op('i64.clz').set(zeros);
  code.get(root).get(zeros).op('i64.shl');
  code.get(above).get(below).op('i64.or', 'i64.eqz', 'i32.eqz', 'i64.extend_i32_u', 'i64.or').set(exact.significand);
  code
    .i32(63 - Number(places))
    .get(zeros)
    .op('i32.wrap_i64', 'i32.sub');
  code.get(x.exponent).i32(1).op('i32.shr_s', 'i32.sub').set(exact.exponent);
  return exact;
}

/**
 * Returns the index of a function that takes the bits of a positive, finite f64 and returns the bits of its reciprocal
 * square root, as an f64 rounded to odd.
 */
export function reciprocalRootToOdd(helpers: Helpers): number {
  return helpers.function('odd rsqrt', { parameters: ['i64'], results: ['i64'] }, (code) => {
    const never = (): void => undefined;
    const x = decode(code, formats.f64, 0, { nan: never, infinity: never, zero: never, flush: false });
    pushRoundedToOdd(code, writeReciprocalRoot(code, helpers, x));
  });
}
