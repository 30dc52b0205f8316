/**
 * Computes sin, cos, lg2, ex2 and tanh of f32, f16 and bf16, correctly rounded. For almost all arguments, it is enough
 * to compute an f64 with a relative error below 2^-44, because both ends of the error interval round to the same value.
 * The remaining arguments are handled by elementary-exact.ts.
 */
import { type Elementary } from './elementary-functions.ts';
import type { FloatArithmeticFormat, FloatMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { doubleBits } from './constants.ts';
import { exactFunction } from './elementary-exact.ts';
import { writeSeries } from './elementary-series.ts';
import type { Helpers } from '../helpers.ts';
import { returnInfinity, returnNan } from './rounding.ts';
import { arithmeticTarget, type RoundingTarget } from './target.ts';

/**
 * The format of the argument and the result of an elementary function, with the data that is needed to round to this
 * format.
 */
export interface Narrow {
  readonly format: FloatArithmeticFormat;
  readonly mode: FloatMode;
  /**
   * Index of a function that takes the bits of an f64, rounds it to the format according to the mode, and returns the
   * bits of the result.
   */
  readonly rounder: number;
}

/**
 * Multiplying the result by each of these factors gives the two ends of the error interval. Adding and subtracting the
 * error instead could change the sign of a zero.
 */
export const ends: readonly [bigint, bigint] = [doubleBits((1n << 44n) - 1n, 44), doubleBits((1n << 44n) + 1n, 44)];

/**
 * Writes the last part of a function's body: code that computes the result for the argument in an f64 local, and
 * returns it.
 */
export function returnElementary(code: Code, helpers: Helpers, fn: Elementary, value: number, narrow: Narrow): void {
  const target = arithmeticTarget(narrow.format, narrow.mode);
  returnSpecial(code, fn, value, target);
  const result = code.local('f64');
  writeSeries(code, helpers, fn, value);
  code.set(result);
  returnIfSettled(code, narrow, result);
  code.get(value).op('i64.reinterpret_f64').call(exactFunction(helpers, fn)).call(narrow.rounder).op('return');
}

/**
 * Writes code that returns the result for arguments that the series cannot handle: NaNs and, for some functions, zeros
 * and infinities. For ex2 and tanh, the series clamps its argument, so an infinity is treated as a large number.
 */
function returnSpecial(code: Code, fn: Elementary, value: number, target: RoundingTarget): void {
  const returnsNan = (): void => returnNan(code, target);
  if (fn === 'ex2' || fn === 'tanh') {
    code.get(value).get(value).op('f64.ne').if(returnsNan);
    return;
  }
  if (fn === 'lg2') {
    const sign = code.local('i32');
    code.get(value).f64(0n).op('f64.eq');
    code.if(() => {
      code.i32(1).set(sign);
      returnInfinity(code, target, sign);
    });
    code.get(value).f64(0n).op('f64.gt', 'i32.eqz').if(returnsNan);
    code.get(value).f64(infinite).op('f64.eq');
    code.if(() => returnInfinity(code, target, sign));
    return;
  }
  code.get(value).op('f64.abs').f64(infinite).op('f64.lt', 'i32.eqz').if(returnsNan);
}

const infinite = 0x7ff0000000000000n;

/**
 * Writes code that rounds both ends of the error interval around the f64 local `result`, and returns the rounded value
 * if it is the same for both.
 */
function returnIfSettled(code: Code, { format, mode, rounder }: Narrow, result: number): void {
  const bits = code.local('i32');
  const end = (which: 0 | 1): Code => code.get(result).f64(ends[which]).op('f64.mul');
  if (format !== 'f32') {
    end(0).op('i64.reinterpret_f64').call(rounder).tee(bits);
    end(1).op('i64.reinterpret_f64').call(rounder).op('i32.eq');
    code.if(() => code.get(bits).op('return'));
    return;
  }
  const low = code.local('f32');
  end(0).op('f32.demote_f64').tee(low);
  end(1).op('f32.demote_f64', 'f32.eq');
  code.if(() => {
    code.get(low).op('i32.reinterpret_f32').set(bits);
    // Subnormals can be flushed after rounding. This would be wrong only for an exact result between the largest
    // subnormal f32 and 2^-126, because rounding could turn it into a normal number. These functions have no such
    // results.
    if (mode.flush) flushBits(code, bits);
    code.get(bits).op('return');
  });
}

function flushBits(code: Code, bits: number): void {
  code.get(bits).get(bits).i32(0x80000000).op('i32.and').get(bits).i32(0x7f800000).op('i32.and', 'select').set(bits);
}
