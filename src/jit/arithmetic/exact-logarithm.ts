/** Computes lg2 with 128-bit integers, as described in elementary-exact.ts. */
import type { Code } from '../../wasm/code.ts';
import { doubleLogarithmOfE } from './constants.ts';
import type { Helpers } from '../helpers.ts';
import { exactLocals } from './exact-locals.ts';
import {
  addWide,
  getWide,
  highWideProduct,
  negateWide,
  pushIrrational,
  pushWide,
  quotientBySmall,
  setWide,
  type WideLocals,
  wideLocals,
} from './wide.ts';

/** The only parameter, which holds the bits of an f64. */
const argument = 0;

const rootOfHalf = 0x3fe6a09e667f3bcdn;

/** For x = 2^e * m with m from sqrt(1/2) to sqrt(2), computes e + 2 / ln2 * artanh(s), where s = (m - 1) / (m + 1). */
export function writeLogarithm(code: Code, helpers: Helpers): void {
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
  // Converts units of 2^-125 to units of 2^-118, to make room for the exponent.
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

/**
 * Computes |m - 1| / (m + 1) in units of 2^-128, 32 bits at a time, and determines whether m is below 1. `bits` holds m
 * as f64.
 */
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

/** Computes 1 + z/3 + z^2/5 + ... in units of 2^-127, for z below 1/32. */
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
