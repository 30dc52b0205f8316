/**
 * Lowers float steps on formats with at most 24 significant bits, in any rounding mode. The result is computed in f64
 * and then rounded to the narrow format. Products are exact in f64. Quotients and roots can safely be rounded twice:
 * unless the exact result lies on a rounding boundary of the narrow format, it is so far from every boundary that
 * rounding it to f64 cannot move it onto one. Sums are rounded to odd in f64, so that the second rounding gives the
 * correct result.
 */
import { elementAt } from '../../base/element-at.ts';
import { plainConversion } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import type { FloatArithmeticFormat, FloatFunction, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { converter } from './convert.ts';
import { decode } from './decoding.ts';
import { reciprocalRootToOdd } from './double-roots.ts';
import { returnElementary } from './elementary.ts';
import { isElementary } from './elementary-functions.ts';
import { flushLocal, masksOf } from './float-bits.ts';
import type { Helpers } from '../helpers.ts';
import { returnInfinity, returnNan, returnRounded, returnZero } from './rounding.ts';
import { arithmeticTarget } from './target.ts';

const one64 = 0x3ff0000000000000n;

/**
 * Returns the index of a function that takes the bits of the operands and returns the bits of the result. The format
 * must have at most 24 significant bits; every rounding mode is supported.
 */
export function narrowFunction(
  helpers: Helpers,
  fn: FloatFunction,
  format: FloatArithmeticFormat,
  mode: FloatMode,
  count: number,
): number {
  const parameters = Array.from({ length: count }, () => 'i32' as const);
  const key = `float ${fn} ${format} ${JSON.stringify(mode)}`;
  return helpers.function(key, { parameters, results: ['i32'] }, (code) => {
    // sin treats subnormal operands as zeros even without .ftz.
    const flush = mode.flush || fn === 'sin';
    const operands = parameters.map((_, i) => widened(code, helpers, i, format, flush));
    if (isElementary(fn)) {
      const narrow = { format, mode, rounder: rounder(helpers, format, mode) };
      returnElementary(code, helpers, fn, elementAt(operands, 0), narrow);
    } else {
      const bits = code.local('i64');
      code
        .get(exactResult(code, helpers, fn, mode, operands))
        .op('i64.reinterpret_f64')
        .set(bits);
      if (mode.rounding === 'rm') signZeroSum(code, fn, operands, bits);
      returnNarrowed(code, format, mode, bits);
    }
    code.op('unreachable');
  });
}

/**
 * Returns the index of a function that takes the bits of an f64, rounds it to the format, and returns the bits of the
 * result.
 */
function rounder(helpers: Helpers, format: FloatArithmeticFormat, mode: FloatMode): number {
  const key = `round ${format} ${JSON.stringify(mode)}`;
  return helpers.function(key, { parameters: ['i64'], results: ['i32'] }, (code) => {
    returnNarrowed(code, format, mode, 0);
    code.op('unreachable');
  });
}

/**
 * Writes code that rounds the f64 whose bits are in an i64 local to a narrower format, and returns the bits of the
 * result.
 */
function returnNarrowed(code: Code, format: FloatArithmeticFormat, mode: FloatMode, bits: number): void {
  const target = arithmeticTarget(format, mode);
  const exact = decode(code, formats.f64, bits, {
    nan: () => returnNan(code, target),
    infinity: (sign) => returnInfinity(code, target, sign),
    zero: (sign) => returnZero(code, target, sign),
    flush: false,
  });
  returnRounded(code, target, exact, 0);
}

/** Converts the parameter `bits` to f64, and returns the local that holds the converted value. */
function widened(code: Code, helpers: Helpers, bits: number, format: FloatArithmeticFormat, flush: boolean): number {
  const value = code.local('f64');
  if (flush) flushLocal(code, bits, masksOf(format));
  code.get(bits);
  if (format === 'f16') code.i32(0).i32(0).call(converter(helpers, widening)).op('f64.reinterpret_i64');
  else {
    if (format === 'bf16') code.i32(16).op('i32.shl');
    code.op('f32.reinterpret_i32', 'f64.promote_f32');
  }
  code.set(value);
  return value;
}

const widening = plainConversion('f16', 'f64');

/**
 * Returns an f64 local that holds the result. The f64 may be rounded, but rounding it to the narrow format gives the
 * same value as rounding the exact result.
 */
function exactResult(
  code: Code,
  helpers: Helpers,
  fn: FloatFunction,
  mode: FloatMode,
  operands: readonly number[],
): number {
  const [a = 0, b = a, c = a] = operands;
  const result = code.local('f64');
  switch (fn) {
    case 'add':
      return oddSum(code, a, b);
    case 'sub':
      negate(code, b);
      return oddSum(code, a, b);
    case 'fma':
      code.get(a).get(b).op('f64.mul').set(result);
      return oddSum(code, result, c);
    case 'mul':
      code.get(a).get(b).op('f64.mul').set(result);
      return result;
    case 'div':
    case 'div.full':
      if (fn === 'div' && mode.approximate) shrinkDividend(code, a, b);
      code.get(a).get(b).op('f64.div').set(result);
      return result;
    case 'rcp':
      code.f64(one64).get(a).op('f64.div').set(result);
      return result;
    case 'sqrt':
      code.get(a).op('f64.sqrt').set(result);
      return result;
    case 'rsqrt':
      reciprocalRoot(code, helpers, a, result);
      return result;
    default:
      throw new Error(`${fn} does not round through f64`);
  }
}

/**
 * Computes 1 / sqrt(a). The result of two f64 operations is precise enough unless it is close to a midpoint between two
 * f32 values.
 */
function reciprocalRoot(code: Code, helpers: Helpers, a: number, result: number): void {
  code.f64(one64).get(a).op('f64.sqrt', 'f64.div').tee(result);
  code.op('i64.reinterpret_f64', 'i32.wrap_i64').i32(0x0ffffff8).op('i32.sub').i32(0x1fffffff).op('i32.and');
  code.i32(16).op('i32.le_u');
  code.unlikely().if(() => {
    const exact = reciprocalRootToOdd(helpers);
    code.get(a).op('i64.reinterpret_f64').call(exact).op('f64.reinterpret_i64').set(result);
  });
}

function negate(code: Code, local: number): void {
  code
    .get(local)
    .op('i64.reinterpret_f64')
    .i64(1n << 63n)
    .op('i64.xor', 'f64.reinterpret_i64')
    .set(local);
}

/**
 * For a finite divisor above 2^126, div.approx.f32 returns zero, or NaN if the dividend is infinite (PTX ISA 9.1,
 * section 9.7.3.8).
 */
function shrinkDividend(code: Code, a: number, b: number): void {
  const magnitude = code.local('i64');
  code
    .get(b)
    .op('i64.reinterpret_f64')
    .i64((1n << 63n) - 1n)
    .op('i64.and')
    .set(magnitude);
  code.get(magnitude).i64(0x47d0000000000000n).op('i64.gt_u');
  code.get(magnitude).i64(0x7ff0000000000000n).op('i64.lt_u', 'i32.and');
  code.if(() => code.get(a).i64(0n).op('f64.reinterpret_i64', 'f64.mul').set(a));
}

/**
 * Computes a + b rounded to odd: an inexact sum is replaced with the neighboring value whose last bit is one. Rounding
 * this value to a narrower format gives the same result as rounding the exact sum.
 */
function oddSum(code: Code, a: number, b: number): number {
  const [sum, part, rest] = [code.local('f64'), code.local('f64'), code.local('f64')];
  const bits = code.local('i64');
  const zero = (): Code => code.i64(0n).op('f64.reinterpret_i64');
  code.get(a).get(b).op('f64.add').tee(sum).get(a).op('f64.sub').set(part);
  code.get(a).get(sum).get(part).op('f64.sub', 'f64.sub').get(b).get(part).op('f64.sub', 'f64.add').set(rest);
  code.get(sum).op('i64.reinterpret_f64').set(bits);
  code.get(rest);
  zero().op('f64.lt').get(rest);
  zero().op('f64.gt', 'i32.or').get(bits).op('i32.wrap_i64').i32(1).op('i32.and', 'i32.eqz', 'i32.and');
  code.if(() => {
    code.get(bits).i64(1n).i64(-1n).get(rest);
    zero().op('f64.gt').get(sum);
    zero().op('f64.gt', 'i32.eq', 'select', 'i64.add').tee(bits).op('f64.reinterpret_i64').set(sum);
  });
  return sum;
}

/** Under rm, a zero sum is -0 unless both terms are +0 (IEEE 754 section 6.3). */
function signZeroSum(code: Code, fn: FloatFunction, operands: readonly number[], bits: number): void {
  if (fn !== 'add' && fn !== 'sub' && fn !== 'fma') return;
  const [a = 0, b = 0, c = 0] = operands;
  const positive = 0n;
  code
    .get(bits)
    .i64(positive)
    .op('i64.eq')
    .if(() => {
      code.get(a);
      if (fn === 'fma') code.get(b).op('f64.mul');
      code
        .op('i64.reinterpret_f64')
        .get(fn === 'fma' ? c : b)
        .op('i64.reinterpret_f64', 'i64.or', 'i64.eqz', 'i32.eqz');
      code.if(() => code.i64(1n << 63n).set(bits));
    });
}
