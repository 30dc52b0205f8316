/** Computes sin and cos with 128-bit integers, as described in elementary-exact.ts. */
import type { Code } from '../../wasm/code.ts';
import { eighthTurn } from './constants.ts';
import type { Helpers } from '../helpers.ts';
import { turnsFunction } from './quarter-turns.ts';
import { exactLocals } from './exact-locals.ts';
import {
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

/**
 * Writes code for the sine if `quarter` is 0, or for the cosine if `quarter` is 1. A cosine is the sine of an angle
 * that is a quarter turn larger.
 */
export function writeCircular(code: Code, helpers: Helpers, quarter: 0 | 1): void {
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
  // Converts the remainder from quarter turns to radians. The remainder is at most 1/2, so it can be doubled without
  // overflow and then multiplied by pi / 4.
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

/**
 * Computes 1 - z/(2*3) * (1 - z/(4*5) * ...), or for the cosine 1 - z/(1*2) * (1 - z/(3*4) * ...), in units of 2^-128.
 */
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
