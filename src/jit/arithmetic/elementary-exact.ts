/**
 * Computes elementary functions with 128-bit integers, for the few arguments for which f64 is not precise enough to
 * round correctly. Each function takes the bits of an f64 whose value f32 can represent exactly. The result is an f64
 * that is rounded to odd: truncated, with the last bit set if anything was lost. Rounding this f64 to a narrower format
 * gives the same value as rounding the exact result.
 *
 * The relative error stays below 2^-90. This precision is always enough: for each of the 2^32 possible arguments, the
 * relative distance between the result and the nearest 25-bit rounding boundary is at least about 2^-60.
 */
import type { Code } from '../../wasm/code.ts';
import { doubleBits, doubleLogarithmOfE, naturalLogarithmOf2 } from './constants.ts';
import type { Elementary } from './elementary-functions.ts';
import { writeCircular } from './exact-circular.ts';
import { writeLogarithm } from './exact-logarithm.ts';
import type { Helpers } from '../helpers.ts';
import { exactLocals } from './exact-locals.ts';
import {
  addWide,
  getWide,
  highProduct,
  highWideProduct,
  pushIrrational,
  pushWide,
  quotientBySmall,
  setWide,
  subtractWide,
  type WideLocals,
  wideLocals,
} from './wide.ts';

const type = { parameters: ['i64'], results: ['i64'] } as const;

/**
 * Returns the index of a function that takes the bits of an f64 and returns the bits of the result, which is also an
 * f64.
 */
export function exactFunction(helpers: Helpers, fn: Elementary): number {
  return helpers.function(`exact ${fn}`, type, (code) => {
    switch (fn) {
      case 'sin':
        writeCircular(code, helpers, 0);
        return;
      case 'cos':
        writeCircular(code, helpers, 1);
        return;
      case 'lg2':
        writeLogarithm(code, helpers);
        return;
      case 'ex2':
        writePower(code, helpers);
        return;
      case 'tanh':
        writeTangent(code, helpers);
    }
  });
}

/** Index of the only parameter of each function. */
const argument = 0;

// --- ex2, tanh ------------------------------------------------------------------------------------------------------

const wideType = { parameters: ['i64', 'i64'], results: ['i64', 'i64'] } as const;

/**
 * Returns the index of a function that computes e^t for t below 1. The argument is in units of 2^-128, and the result
 * is in units of 2^-126.
 */
function exponential(helpers: Helpers): number {
  const [product, quotient] = [highWideProduct(helpers), quotientBySmall(helpers)];
  return helpers.function('wide exponential', wideType, (code) => {
    const t = { high: 0, low: 1 };
    const sum = wideLocals(code);
    const n = code.local('i64');
    code
      .i64(36n)
      .set(n)
      .i64(1n << 62n)
      .set(sum.high);
    // Evaluates the series 1 + t * (1 + t/2 * (1 + t/3 * ...)).
    code.loop((again) => {
      getWide(code, t);
      getWide(code, sum).call(product).get(n).call(quotient);
      setWide(code, sum);
      code
        .get(sum.high)
        .i64(1n << 62n)
        .op('i64.add')
        .set(sum.high);
      code.get(n).i64(1n).op('i64.sub').tee(n).op('i64.eqz', 'i32.eqz').brIf(again);
    });
    getWide(code, sum);
  });
}

/**
 * Writes code for ex2. It is enough to use 52 binary places of the argument's fraction. An argument that needs more
 * places is so small that 2^x is very close to 1, and the f64 method is precise enough for such results.
 */
function writePower(code: Code, helpers: Helpers): void {
  const [value, whole] = [code.local('f64'), code.local('f64')];
  const power = wideLocals(code);
  const exact = exactLocals(code);
  const most = doubleBits(1000n, 0);
  code
    .get(argument)
    .op('f64.reinterpret_i64')
    .f64(most)
    .op('f64.min')
    .f64(most | (1n << 63n))
    .op('f64.max')
    .set(value);
  code.get(value).op('f64.floor').set(whole);
  code.get(whole).op('i64.trunc_f64_s', 'i32.wrap_i64').set(exact.exponent);
  code.get(value).get(whole).op('f64.eq');
  code.if(() => {
    code.get(exact.exponent).i32(1023).op('i32.add', 'i64.extend_i32_u').i64(52n).op('i64.shl', 'return');
  });
  code
    .get(value)
    .get(whole)
    .op('f64.sub')
    .f64(doubleBits(1n << 52n, 0))
    .op('f64.mul', 'i64.trunc_f64_s');
  code.i64(12n).op('i64.shl').i64(0n);
  pushWide(code, naturalLogarithmOf2(128)).call(highWideProduct(helpers)).call(exponential(helpers));
  setWide(code, power);
  code.get(exact.exponent).i32(1).op('i32.add').set(exact.exponent);
  pushIrrational(code, power, exact);
}

/**
 * Writes code that computes tanh as (e^t - 2^-n) / (e^t + 2^-n), where 2|x| = n * ln2 + t. If |x| is greater than 20,
 * it is replaced with 20, because tanh is then so close to 1 that no format can represent the difference.
 */
function writeTangent(code: Code, helpers: Helpers): void {
  const [value, n] = [code.local('f64'), code.local('i64')];
  const [rest, above, below, part] = [wideLocals(code), wideLocals(code), wideLocals(code), wideLocals(code)];
  const exact = exactLocals(code);
  code.get(argument).op('f64.reinterpret_i64', 'f64.abs').f64(doubleBits(20n, 0)).op('f64.min').set(value);
  writeRest(code, helpers, value, n, rest);
  getWide(code, rest).call(exponential(helpers));
  setWide(code, above);
  // Converts to units of 2^-125, so that the remainder of the division can be doubled without overflow.
  code.get(above.low).i64(1n).op('i64.shr_u').get(above.high).i64(63n).op('i64.shl', 'i64.or').set(above.low);
  code.get(above.high).i64(1n).op('i64.shr_u').set(above.high);
  getWide(code, above);
  setWide(code, below);
  code
    .i64(1n << 61n)
    .get(n)
    .op('i64.shr_u')
    .i64(0n);
  setWide(code, part);
  subtractWide(code, above, part);
  addWide(code, below, part);
  const quotient = writeQuotientBits(code, above, below);
  code.get(argument).i64(63n).op('i64.shr_u', 'i32.wrap_i64').set(exact.sign);
  pushIrrational(code, quotient, exact);
}

/**
 * Finds n and the remainder in 2 * value = n * ln2 + remainder, where n is an integer below 60 and 0 <= remainder <
 * ln2. The remainder is in units of 2^-128.
 */
function writeRest(code: Code, helpers: Helpers, value: number, n: number, rest: WideLocals): void {
  const unit = naturalLogarithmOf2(120);
  const part = wideLocals(code);
  code
    .get(value)
    .f64(doubleBits(1n << 41n, 0))
    .op('f64.mul', 'i64.trunc_f64_s')
    .i64(16n)
    .op('i64.shl')
    .set(rest.high);
  // This estimate of `n` may be one too large. In that case, the remainder is negative, and the loop below corrects
  // both `n` and the remainder.
  code
    .get(value)
    .f64(doubleBits(doubleLogarithmOfE(160), 160))
    .op('f64.mul', 'i64.trunc_f64_s')
    .i64(1n)
    .op('i64.add')
    .set(n);
  code
    .get(n)
    .i64(unit >> 64n)
    .op('i64.mul')
    .get(n)
    .i64(BigInt.asUintN(64, unit))
    .call(highProduct(helpers))
    .op('i64.add');
  code.get(n).i64(BigInt.asUintN(64, unit)).op('i64.mul');
  setWide(code, part);
  subtractWide(code, rest, part);
  code.loop((again) => {
    code.get(rest.high).i64(0n).op('i64.lt_s');
    code.if(() => {
      pushWide(code, unit);
      setWide(code, part);
      addWide(code, rest, part);
      code.get(n).i64(1n).op('i64.sub').set(n).br(again);
    });
  });
  code.get(rest.high).i64(8n).op('i64.shl').get(rest.low).i64(56n).op('i64.shr_u', 'i64.or').set(rest.high);
  code.get(rest.low).i64(8n).op('i64.shl').set(rest.low);
}

/**
 * Divides `above` by `below`, which must be the larger number. Computes one bit of the quotient at a time. The quotient
 * is in units of 2^-127. Overwrites `above`.
 */
function writeQuotientBits(code: Code, above: WideLocals, below: WideLocals): WideLocals {
  const quotient = wideLocals(code);
  const count = code.local('i32');
  const double = ({ high, low }: WideLocals): void => {
    code.get(high).i64(1n).op('i64.shl').get(low).i64(63n).op('i64.shr_u', 'i64.or').set(high);
    code.get(low).i64(1n).op('i64.shl').set(low);
  };
  code.i32(127).set(count);
  code.loop((again) => {
    double(above);
    double(quotient);
    code.get(above.high).get(below.high).op('i64.gt_u');
    code.get(above.high).get(below.high).op('i64.eq').get(above.low).get(below.low).op('i64.ge_u', 'i32.and', 'i32.or');
    code.if(() => {
      subtractWide(code, above, below);
      code.get(quotient.low).i64(1n).op('i64.or').set(quotient.low);
    });
    code.get(count).i32(1).op('i32.sub').tee(count).brIf(again);
  });
  return quotient;
}
