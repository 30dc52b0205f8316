/** Implements integer division for four threads at once. */
import { roundingShift } from '../arithmetic/quarter-turns.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import { pushDoubleWords } from './vector-lowering.ts';
import { splat } from './vector-words.ts';
import { evenWords, upperPair } from './word-shuffles.ts';

/**
 * Returns the index of a function that takes the dividends and the divisors, as words of four threads, and returns the
 * quotients (`div`) or remainders (`rem`). All bits of a result are set if the divisor is zero.
 */
export function vectorDivision(helpers: Helpers, fn: 'div' | 'rem', signed: boolean): number {
  const type = { parameters: ['v128', 'v128'], results: ['v128'] } as const;
  return helpers.function(`four ${fn} ${signed}`, type, (code) => writeDivision(code, fn, signed));
}

const [dividends, divisors] = [0, 1];

function writeDivision(code: Code, fn: 'div' | 'rem', signed: boolean): void {
  if (fn === 'rem') code.get(dividends);
  pushQuotients(code, signed);
  if (fn === 'rem') code.get(divisors).vector('i32x4.mul', 'i32x4.sub');
  splat(code.get(divisors), 0).vector('i32x4.eq', 'v128.or');
}

/**
 * Pushes quotients that are computed in f64 and then truncated. The truncated quotients are exact, because a quotient
 * of 32-bit integers is either an integer or farther from the nearest integer than the rounding error. The most
 * negative integer divided by -1 wraps around.
 */
function pushQuotients(code: Code, signed: boolean): void {
  for (const half of [0, 1] as const) {
    for (const local of [dividends, divisors]) {
      code.get(local);
      if (half === 1) code.get(local).shuffle(upperPair);
      code.vector(signed ? 'f64x2.convert_low_i32x4_s' : 'f64x2.convert_low_i32x4_u');
    }
    code.vector('f64x2.div', 'f64x2.trunc');
    // After this addition, the low bits of the sum contain the integer.
    pushDoubleWords(code, roundingShift).vector('f64x2.add');
  }
  code.shuffle(evenWords);
}
