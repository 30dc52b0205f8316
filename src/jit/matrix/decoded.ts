/** Floats that have been decoded to integers: each is a double word that contains a significand and an exponent. */
import { type FloatName, formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { Helpers } from '../helpers.ts';

/**
 * Exponents with a special meaning in decoded values: `infinite` stands for an infinity, and `undefinedValue` for a
 * NaN.
 */
const infinite = 1024;
export const undefinedValue = 4096;
/**
 * Limits for the sum of the exponents of two factors. If the sum is at least `notFinite`, the product is an infinity or
 * a NaN; if it is at least `notNumber`, the product is a NaN.
 */
export const notFinite = 512;
export const notNumber = 3000;

/**
 * Returns the index of a function that takes the code of a number and returns the decoded value. If `least` is given,
 * the significands of subnormal numbers are shifted to the left and their exponents decrease accordingly, but not below
 * `least`.
 */
export function decodeFunction(helpers: Helpers, format: FloatName, least: number | null = null): number {
  const type: FunctionType = { parameters: ['i32'], results: ['i64'] };
  return helpers.function(`decode ${format}${least === null ? '' : ` down to ${least}`}`, type, (code) => {
    const { exponentBits, fractionBits, padding, bias, signed } = formats[format];
    const [field, significand, exponent] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const top = 2 ** exponentBits - 1;
    const one = 2 ** fractionBits;
    code
      .get(0)
      .i32(padding)
      .op('i32.shr_u')
      .i32(one - 1)
      .op('i32.and')
      .set(significand);
    code
      .get(0)
      .i32(padding + fractionBits)
      .op('i32.shr_u')
      .i32(top)
      .op('i32.and')
      .tee(field)
      .i32(bias)
      .op('i32.sub');
    code.set(exponent);
    markSpecial(code, format, { field, significand, exponent });
    code.get(field).if(
      () => code.get(significand).i32(one).op('i32.or').set(significand),
      () => {
        code.get(exponent).i32(1).op('i32.add').set(exponent);
        if (least !== null) normalize(code, { significand, exponent }, fractionBits, least);
      },
    );
    if (signed) {
      code
        .get(0)
        .i32(padding + fractionBits + exponentBits)
        .op('i32.shr_u')
        .i32(1)
        .op('i32.and');
      code.if(() => code.i32(0).get(significand).op('i32.sub').set(significand));
    }
    code.get(exponent).op('i64.extend_i32_u').i64(32n).op('i64.shl').get(significand).op('i64.extend_i32_u', 'i64.or');
  });
}

/** Shifts a significand so that it has `fractionBits` fraction bits, unless the exponent would fall below `least`. */
function normalize(
  code: Code,
  { significand, exponent }: Readonly<Record<'significand' | 'exponent', number>>,
  fractionBits: number,
  least: number,
): void {
  const [distance, room] = [code.local('i32'), code.local('i32')];
  code
    .get(significand)
    .op('i32.clz')
    .i32(31 - fractionBits)
    .op('i32.sub')
    .set(distance);
  code.get(exponent).i32(least).op('i32.sub').set(room);
  code.get(distance).get(room).get(distance).get(room).op('i32.lt_s', 'select').set(distance);
  code.get(significand).get(distance).op('i32.shl').set(significand);
  code.get(exponent).get(distance).op('i32.sub').set(exponent);
}

/** If a number is an infinity or a NaN, sets its exponent to the special exponent for this value. */
function markSpecial(
  code: Code,
  format: FloatName,
  { field, significand, exponent }: Readonly<Record<'field' | 'significand' | 'exponent', number>>,
): void {
  const { exponentBits, fractionBits, nan } = formats[format];
  const top = 2 ** exponentBits - 1;
  if (nan === 'ieee') {
    code
      .get(field)
      .i32(top)
      .op('i32.eq')
      .if(() => {
        code.i32(undefinedValue).i32(infinite).get(significand).op('select').set(exponent);
        code.i32(0).set(significand);
      });
  }
  if (nan === 'all-ones') {
    code
      .get(field)
      .i32(top)
      .op('i32.eq')
      .get(significand)
      .i32(2 ** fractionBits - 1)
      .op('i32.eq', 'i32.and');
    code.if(() => code.i32(undefinedValue).set(exponent));
  }
}
