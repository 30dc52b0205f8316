/** Aligns the terms of a chunk to a common unit, and rounds their sum at the end of the chunk. */
import type { ChunkEnd } from '../../numerics/dot-arithmetic.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';

/**
 * Returns the index of a function that takes a significand and a shift, and returns the shifted significand. A positive
 * shift moves the bits to the left; a negative shift moves them to the right and truncates toward zero.
 */
export function alignFunction(helpers: Helpers): number {
  return helpers.function('align a term', { parameters: ['i64', 'i32'], results: ['i64'] }, (code) => {
    const [significand, shift] = [0, 1];
    const sign = code.local('i64');
    code
      .get(shift)
      .i32(0)
      .op('i32.ge_s')
      .if(() => {
        code.get(significand).get(shift).op('i64.extend_i32_u', 'i64.shl').op('return');
      });
    code.get(significand).i64(63n).op('i64.shr_s').set(sign);
    code.get(significand).get(sign).op('i64.xor').get(sign).op('i64.sub');
    code.i32(63).i32(0).get(shift).op('i32.sub').i32(0).get(shift).op('i32.sub').i32(63).op('i32.gt_s', 'select');
    code.op('i64.extend_i32_u', 'i64.shr_u').get(sign).op('i64.xor').get(sign).op('i64.sub');
  });
}

/**
 * How the sum of a chunk is rounded. `precision` is the number of significant bits that are kept. `lowest` is the
 * exponent of the lowest bit that the format can represent, and `most` is the largest exponent of the format.
 */
interface Ending {
  readonly precision: number;
  readonly lowest: number;
  readonly most: number;
  /** The number of fraction bits and the bit pattern of infinity in the format of the result. */
  readonly fractionBits: number;
  readonly infinity: number;
  readonly sign: number;
}

const wide = { most: 127, fractionBits: 23, infinity: 0x7f800000, sign: 0x80000000 } as const;

const endings: Readonly<Record<ChunkEnd, Ending>> = {
  f32: { ...wide, precision: 24, lowest: -149 },
  e8m13: { ...wide, precision: 14, lowest: -139 },
  f16: { precision: 11, lowest: -24, most: 15, fractionBits: 10, infinity: 0x7c00, sign: 0x8000 },
};

/**
 * Returns the index of a function that takes an integer `sum` and an exponent `unit`. It rounds `sum` * 2^`unit` as the
 * hardware does at the end of a chunk, and returns the bits of the result.
 */
export function endFunction(helpers: Helpers, end: ChunkEnd): number {
  return helpers.function(`end ${end}`, { parameters: ['i64', 'i32'], results: ['i32'] }, (code) => {
    const { precision, lowest, most, fractionBits, infinity, sign: signBit } = endings[end];
    const [sum, unit] = [0, 1];
    const [sign, exponent, last, shift] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
    const returnZero = (): Code =>
      code
        .get(sum)
        .op('i64.eqz')
        .if(() => code.i32(0).op('return'));
    returnZero();
    code.get(sum).i64(0n).op('i64.lt_s');
    code.if(() => code.i32(signBit).set(sign).i64(0n).get(sum).op('i64.sub').set(sum));
    code.i32(63).get(sum).op('i64.clz', 'i32.wrap_i64', 'i32.sub').get(unit).op('i32.add').tee(exponent).i32(most);
    code.op('i32.gt_s').if(() => code.get(sign).i32(infinity).op('i32.or', 'return'));
    code
      .get(exponent)
      .i32(precision - 1)
      .op('i32.sub')
      .set(last);
    code
      .get(last)
      .i32(lowest)
      .get(last)
      .i32(lowest)
      .op('i32.gt_s', 'select')
      .tee(last)
      .get(unit)
      .op('i32.sub')
      .set(shift);
    if (end === 'f16') roundToHalf(code, sum, shift);
    shiftSum(code, sum, shift);
    returnZero();
    // The leading 1 bit of a normal number overlaps the exponent field and increases it by 1 when the two are added.
    // The field is therefore computed for an exponent that is 1 lower.
    code
      .get(sum)
      .op('i32.wrap_i64')
      .i32(fractionBits + 1 - precision)
      .op('i32.shl')
      .get(last)
      .i32(lowest);
    code.op('i32.sub').i32(fractionBits).op('i32.shl', 'i32.add').get(sign).op('i32.or');
  });
}

/** Shifts the sum to the right by `shift`, or to the left if `shift` is negative. */
function shiftSum(code: Code, sum: number, shift: number): void {
  code
    .get(shift)
    .i32(0)
    .op('i32.gt_s')
    .if(
      () => {
        code
          .get(shift)
          .i32(63)
          .op('i32.gt_s')
          .if(() => code.i32(0).op('return'));
        code.get(sum).get(shift).op('i64.extend_i32_u', 'i64.shr_u').set(sum);
      },
      () => code.get(sum).i32(0).get(shift).op('i32.sub', 'i64.extend_i32_u', 'i64.shl').set(sum),
    );
}

/**
 * Adds an increment to the sum, so that shifting out the low `shift` bits afterwards has the effect of rounding to
 * nearest even.
 */
function roundToHalf(code: Code, sum: number, shift: number): void {
  code.get(shift).i32(0).op('i32.gt_s').get(shift).i32(62).op('i32.lt_s', 'i32.and');
  code.if(() => {
    const amount = (): Code => code.get(shift).op('i64.extend_i32_u');
    code.get(sum).i64(1n);
    amount().i64(1n).op('i64.sub', 'i64.shl').i64(1n).op('i64.sub', 'i64.add');
    code.get(sum);
    amount().op('i64.shr_u').i64(1n).op('i64.and', 'i64.add').set(sum);
  });
}
