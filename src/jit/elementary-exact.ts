/**
 * Elementary functions with 128 bits in integers, for the few arguments where f64 cannot tell which way to round. Each is
 * a function of the bits of an f64 that an f32 can hold, and gives an f64 rounded to odd: cut, its last bit set for what
 * is below, so that rounding it again is right.
 *
 * Errors stay below 2^-90 of the result. That decides every case: an f32 has 2^32 values, so the nearest that results come
 * to a boundary of 25 bits is about 2^-60 of them.
 */
import type { Code } from '../wasm/code.ts';
import { doubleBits, doubleLogarithmOfE, eighthTurn, naturalLogarithmOf2 } from './constants.ts';
import type { Elementary } from './elementary.ts';
import type { Helpers } from './helpers.ts';
import { turnsFunction } from './quarter-turns.ts';
import { type ExactLocals, exactLocals } from './rounding.ts';
import {
  addWide,
  highProduct,
  highWideProduct,
  negateWide,
  normaliseWide,
  pushRoundedToOdd,
  quotientBySmall,
  subtractWide,
  type WideLocals,
  wideLocals,
} from './wide.ts';

const type = { parameters: ['i64'], results: ['i64'] } as const;

/** Index of the function (bits of an f64) → bits of an f64. */
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

const argument = 0;

function pushWide(code: Code, value: bigint): Code {
  return code.i64(value >> 64n).i64(BigInt.asUintN(64, value));
}

function setWide(code: Code, { high, low }: WideLocals): void {
  code.set(low).set(high);
}

function getWide(code: Code, { high, low }: WideLocals): Code {
  return code.get(high).get(low);
}

/** Pushes an irrational value, `exact.exponent` being that of bit 127, as an f64 rounded to odd. */
function pushIrrational(code: Code, value: WideLocals, exact: ExactLocals): void {
  normaliseWide(code, value, exact);
  code.get(exact.significand).i64(1n).op('i64.or').set(exact.significand);
  pushRoundedToOdd(code, exact);
}

// --- ex2, tanh ------------------------------------------------------------------------------------------------------

const wideType = { parameters: ['i64', 'i64'], results: ['i64', 'i64'] } as const;

/** Index of the function t → e^t for t below 1 in units of 2^-128, the result in units of 2^-126. */
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
    // 1 + t * (1 + t/2 * (1 + t/3 * ...))
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

/** A fraction of an f32 has at most 52 places here: smaller ones leave 2^x so near to 1 that f64 decides. */
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

/** (e^t - 2^-n) / (e^t + 2^-n) for 2|x| = n * ln2 + t; beyond |x| = 20 tanh is nearer to 1 than any format tells. */
function writeTangent(code: Code, helpers: Helpers): void {
  const [value, n] = [code.local('f64'), code.local('i64')];
  const [rest, above, below, part] = [wideLocals(code), wideLocals(code), wideLocals(code), wideLocals(code)];
  const exact = exactLocals(code);
  code.get(argument).op('f64.reinterpret_i64', 'f64.abs').f64(doubleBits(20n, 0)).op('f64.min').set(value);
  writeRest(code, helpers, value, n, rest);
  getWide(code, rest).call(exponential(helpers));
  setWide(code, above);
  // In units of 2^-125, so that the remainder of the division can be doubled.
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

/** 2 * value = n * ln2 + rest, 0 <= rest < ln2 in units of 2^-128, n a whole number below 60. */
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
  // One more than it may be, so that the rest may turn out negative.
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

/** above / below, which is less than 1, in units of 2^-127, bit by bit; `above` is used up. */
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

// --- lg2 ------------------------------------------------------------------------------------------------------------

const rootOfHalf = 0x3fe6a09e667f3bcdn;

/** x = 2^e * m with m from sqrt(1/2) to sqrt(2): e + 2 / ln2 * artanh(s), s = (m - 1) / (m + 1). */
function writeLogarithm(code: Code, helpers: Helpers): void {
  const product = highWideProduct(helpers);
  const [exponent, bits] = [code.local('i64'), code.local('i64')];
  const [ratio, square] = [wideLocals(code), wideLocals(code)];
  const exact = exactLocals(code);
  const negative = code.local('i32');
  code.get(argument).i64(rootOfHalf).op('i64.sub').i64(52n).op('i64.shr_s').set(exponent);
  code.get(argument).get(exponent).i64(52n).op('i64.shl', 'i64.sub').set(bits);
  writeRatio(code, bits, ratio, negative);
  getWide(code, ratio);
  getWide(code, ratio).call(product);
  setWide(code, square);
  getWide(code, ratio);
  const sum = writeAreaTangent(code, helpers, square);
  getWide(code, sum).call(product);
  pushWide(code, doubleLogarithmOfE(126)).call(product);
  setWide(code, sum);
  // From units of 2^-125 to units of 2^-118, so that the exponent has room.
  code.get(sum.low).i64(7n).op('i64.shr_u').get(sum.high).i64(57n).op('i64.shl', 'i64.or').set(sum.low);
  code.get(sum.high).i64(7n).op('i64.shr_u').set(sum.high);
  code.get(negative).if(() => negateWide(code, sum));
  code
    .get(sum.high)
    .get(exponent)
    .i64(54n)
    .op('i64.shl', 'i64.add')
    .tee(sum.high)
    .i64(0n)
    .op('i64.lt_s')
    .tee(exact.sign);
  code.if(() => negateWide(code, sum));
  code.i32(9).set(exact.exponent);
  pushIrrational(code, sum, exact);
}

/** |m - 1| / (m + 1) in units of 2^-128, and whether m is below 1, of the bits of m as f64: 32 bits at a time. */
function writeRatio(code: Code, bits: number, ratio: WideLocals, negative: number): void {
  const [mantissa, one, rest, divisor] = [code.local('i64'), code.local('i64'), code.local('i64'), code.local('i64')];
  code
    .get(bits)
    .i64((1n << 52n) - 1n)
    .op('i64.and')
    .i64(1n << 52n)
    .op('i64.or')
    .i64(29n)
    .op('i64.shr_u')
    .set(mantissa);
  code
    .get(bits)
    .i64(1023n << 52n)
    .op('i64.lt_s')
    .set(negative);
  code
    .i64(1n << 23n)
    .get(negative)
    .op('i64.extend_i32_u', 'i64.shl')
    .set(one);
  code
    .get(mantissa)
    .get(one)
    .op('i64.sub')
    .tee(rest)
    .i64(0n)
    .get(rest)
    .op('i64.sub')
    .get(negative)
    .op('i32.eqz', 'select');
  code.set(rest);
  code.get(mantissa).get(one).op('i64.add').set(divisor);
  for (const half of [ratio.high, ratio.low]) {
    code.i64(0n).set(half);
    for (let digit = 0; digit < 2; digit++) {
      code.get(rest).i64(32n).op('i64.shl').set(rest);
      code.get(half).i64(32n).op('i64.shl').get(rest).get(divisor).op('i64.div_u', 'i64.or').set(half);
      code.get(rest).get(divisor).op('i64.rem_u').set(rest);
    }
  }
}

/** 1 + z/3 + z^2/5 + ... in units of 2^-127, for z below 1/32. */
function writeAreaTangent(code: Code, helpers: Helpers, z: WideLocals): WideLocals {
  const sum = wideLocals(code);
  const term = wideLocals(code);
  const n = code.local('i64');
  code.i64(53n).set(n);
  code.loop((again) => {
    getWide(code, z);
    getWide(code, sum).call(highWideProduct(helpers));
    setWide(code, sum);
    pushWide(code, 1n << 127n)
      .get(n)
      .call(quotientBySmall(helpers));
    setWide(code, term);
    addWide(code, sum, term);
    code.get(n).i64(2n).op('i64.sub').tee(n).i64(0n).op('i64.gt_s').brIf(again);
  });
  return sum;
}

// --- sin, cos -------------------------------------------------------------------------------------------------------

/** `quarter`: 0 for sin, 1 for cos, which runs a quarter turn ahead. */
function writeCircular(code: Code, helpers: Helpers, quarter: 0 | 1): void {
  const product = highWideProduct(helpers);
  const turns = code.local('i32');
  const [rest, square, result] = [wideLocals(code), wideLocals(code), wideLocals(code)];
  const exact = exactLocals(code);
  code.get(argument).call(turnsFunction(helpers)).set(turns);
  setWide(code, rest);
  if (quarter === 1) code.get(turns).i32(1).op('i32.add').set(turns);
  else code.get(argument).i64(63n).op('i64.shr_u', 'i32.wrap_i64').set(exact.sign);
  code.get(exact.sign).get(turns).i32(1).op('i32.shr_u').i32(1).op('i32.and', 'i32.xor').set(exact.sign);
  const isCosine = (): Code => code.get(turns).i32(1).op('i32.and');
  code.get(rest.high).i64(0n).op('i64.lt_s');
  code.if(() => {
    negateWide(code, rest);
    code.get(exact.sign);
    isCosine().op('i32.eqz', 'i32.xor').set(exact.sign);
  });
  // At most 1/2 of pi / 2: twice the product with pi / 4.
  code.get(rest.high).i64(1n).op('i64.shl').get(rest.low).i64(63n).op('i64.shr_u', 'i64.or');
  code.get(rest.low).i64(1n).op('i64.shl');
  pushWide(code, eighthTurn(128)).call(product);
  setWide(code, rest);
  getWide(code, rest);
  getWide(code, rest).call(product);
  setWide(code, square);
  writeAlternating(code, helpers, square, result, isCosine);
  isCosine().op('i32.eqz');
  code.if(() => {
    getWide(code, rest);
    getWide(code, result).call(product);
    setWide(code, result);
  });
  code.i32(-1).set(exact.exponent);
  pushIrrational(code, result, exact);
}

/** 1 - z/(2*3) * (1 - z/(4*5) * ...), or for the cosine 1 - z/(1*2) * (1 - z/(3*4) * ...), as a fraction of 2^128. */
function writeAlternating(code: Code, helpers: Helpers, z: WideLocals, sum: WideLocals, isCosine: () => Code): void {
  const n = code.local('i64');
  isCosine();
  code.if(
    () => code.i64(34n).set(n),
    () => code.i64(35n).set(n),
  );
  code.i64(-1n).set(sum.high).i64(-1n).set(sum.low);
  code.loop((again) => {
    getWide(code, z);
    getWide(code, sum).call(highWideProduct(helpers));
    code.get(n).get(n).i64(1n).op('i64.sub', 'i64.mul').call(quotientBySmall(helpers));
    setWide(code, sum);
    negateWide(code, sum);
    code.get(n).i64(2n).op('i64.sub').tee(n).i64(1n).op('i64.gt_s').brIf(again);
  });
}
