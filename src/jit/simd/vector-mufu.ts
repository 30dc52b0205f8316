/**
 * Implements the functions of the special function unit (numerics/mufu.ts) for four threads at once. Code that runs one
 * thread at a time calls functions that compute only the first word; the other words have arbitrary values. The sum of
 * a polynomial is less than 2^53 in all functions, so it is exact in f64.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { inverseTurn, type MufuFunction, tangentRows } from '../../numerics/mufu-tables.ts';
import type { Helpers } from '../helpers.ts';
import type { Lowering } from '../lowering.ts';
import { lowerByFour } from './first-of-four.ts';
import { f32, type FloatLayout, type MufuCount, type MufuLayout, MufuUnit, upperHalf } from './mufu-unit.ts';
import { pushDoubleWords, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { shift, single, splat } from './vector-words.ts';
import { evenWords, lowPairs, upperPair } from './word-shuffles.ts';

/** Lowers a step for one thread at a time. */
export function lowerMufu({ fn, to, from }: StepOf<'mufu'>, lowering: Lowering): void {
  lowerByFour(mufuFunction(lowering.helpers, fn, lowering.layout, 1), [from], to, lowering);
}

export function vectorMufu({ fn, to, from }: StepOf<'mufu'>, lowering: VectorLowering): Writer {
  return () => {
    const { code, vectors, scalar } = lowering;
    code.get(vectors.get(from, 'i32').locals[0]).call(mufuFunction(scalar.helpers, fn, scalar.layout, 4));
    setWord(to, lowering);
  };
}

/** Returns the index of the function that takes and returns four words. */
function mufuFunction(helpers: Helpers, fn: MufuFunction, layout: MufuLayout, count: MufuCount): number {
  const type = { parameters: ['v128'], results: ['v128'] } as const;
  return helpers.function(`mufu ${fn} ${count}`, type, (code) => writers[fn](new MufuUnit(code, layout, count)), true);
}

const writers: Readonly<Record<MufuFunction, (unit: MufuUnit) => void>> = {
  rcp: (unit) => writeReciprocal(unit, f32),
  rcp64h: (unit) => writeReciprocal(unit, upperHalf),
  rsqrt: (unit) => writeReciprocalRoot(unit, f32),
  rsqrt64h: (unit) => writeReciprocalRoot(unit, upperHalf),
  sqrt: writeSquareRoot,
  ex2: writePower,
  lg2: writeLogarithm,
  sin: (unit) => writeCircular(unit, 0),
  cos: (unit) => writeCircular(unit, 1),
  tanh: writeTangent,
};

const nan = 0x7fffffff;

/** Pushes the bits of `significand * 2^exponent`, or zero if the exponent is not that of a normal number. */
function pushJoined(unit: MufuUnit, exponent: number, significand: number, { fractionBits }: FloatLayout): void {
  const { code } = unit;
  splat(code.get(significand), 2 ** 23).vector('i32x4.sub');
  shift(code, 'i32x4.shr_s', 23 - fractionBits);
  shift(code.get(exponent), 'i32x4.shl', fractionBits).vector('i32x4.add');
  splat(code.get(exponent), 0).vector('i32x4.gt_s', 'v128.and');
}

function writeReciprocal(unit: MufuUnit, format: FloatLayout): void {
  const { code } = unit;
  const parts = unit.parts(format);
  const { sign, exponent, fraction } = parts;
  const greatest = 2 * format.bias + 1;
  const row = unit.made(() => shift(code.get(fraction), 'i32x4.shr_u', 16));
  const x = unit.made(() => shift(splat(code.get(fraction), 0xffff).vector('v128.and'), 'i32x4.shl', 1));
  // The reciprocal of a power of two is a power of two. The exponent of any other reciprocal is lower by one.
  const isPower = unit.made(() => unit.pushEquals(fraction, 0));
  const significand = unit.made(() => {
    unit.pushTruncated(unit.polynomial('rcp', row, x));
    unit.choose(2 ** 23, () => code.get(isPower));
  });
  const result = unit.made(() => {
    splat(code, greatest - 2)
      .get(exponent)
      .vector('i32x4.sub')
      .get(isPower)
      .vector('i32x4.sub');
  });
  pushJoined(unit, result, significand, format);
  unit.choose(greatest * 2 ** format.fractionBits, () => unit.pushEquals(exponent, 0));
  code.get(sign).vector('v128.or');
  unit.chooseOf(
    () => code.get(sign),
    () => unit.pushEquals(exponent, greatest),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, format));
}

/**
 * Returns two locals: `odd` is 1 if the unbiased exponent is odd and otherwise 0, and `half` is half of this exponent,
 * rounded down.
 */
function halved(unit: MufuUnit, exponent: number, bias: number): { readonly odd: number; readonly half: number } {
  const { code } = unit;
  const odd = unit.made(() => splat(splat(code.get(exponent), 1).vector('v128.and'), 1).vector('v128.xor'));
  const half = unit.made(() => {
    splat(code.get(exponent), bias).vector('i32x4.sub').get(odd).vector('i32x4.sub');
    shift(code, 'i32x4.shr_s', 1);
  });
  return { odd, half };
}

function rootSignificand(unit: MufuUnit, name: 'rsqrt' | 'sqrt', odd: number, fraction: number): number {
  const { code } = unit;
  const { row, x } = unit.divided(fraction);
  const place = unit.made(() => shift(code.get(odd), 'i32x4.shl', 6).get(row).vector('i32x4.add'));
  return unit.made(() => unit.pushTruncated(unit.polynomial(name, place, x)));
}

function writeReciprocalRoot(unit: MufuUnit, format: FloatLayout): void {
  const { code } = unit;
  const parts = unit.parts(format);
  const { sign, exponent, fraction } = parts;
  const { bias, fractionBits } = format;
  const { odd, half } = halved(unit, exponent, bias);
  const rounded = rootSignificand(unit, 'rsqrt', odd, fraction);
  const significand = unit.made(() => {
    code.get(rounded);
    // For powers of four, the table would yield the next lower significand.
    unit.choose(2 ** 24, () => splat(code.get(odd).get(fraction).vector('v128.or'), 0).vector('i32x4.eq'));
  });
  const result = unit.made(() =>
    splat(code, bias - 1)
      .get(half)
      .vector('i32x4.sub'),
  );
  pushJoined(unit, result, significand, format);
  unit.choose(0, () => unit.pushEquals(exponent, 2 * bias + 1));
  unit.choose(nan, () => unit.pushIsNegative(parts));
  unit.chooseOf(
    () => splat(code.get(sign), (2 * bias + 1) * 2 ** fractionBits).vector('v128.or'),
    () => unit.pushEquals(exponent, 0),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, format));
}

function writeSquareRoot(unit: MufuUnit): void {
  const { code } = unit;
  const parts = unit.parts(f32);
  const { sign, exponent, fraction } = parts;
  const { odd, half } = halved(unit, exponent, f32.bias);
  const significand = rootSignificand(unit, 'sqrt', odd, fraction);
  const result = unit.made(() => splat(code.get(half), f32.bias).vector('i32x4.add'));
  pushJoined(unit, result, significand, f32);
  unit.chooseOf(
    () => code.get(0),
    () => unit.pushEquals(exponent, 255),
  );
  unit.choose(nan, () => unit.pushIsNegative(parts));
  unit.chooseOf(
    () => code.get(sign),
    () => unit.pushEquals(exponent, 0),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, f32));
}

function writePower(unit: MufuUnit): void {
  const { code } = unit;
  const parts = unit.parts(f32);
  const { sign, exponent } = parts;
  const magnitude = unit.made(() => {
    splat(code.get(0).vector('f32x4.abs'), 0x4b000000).vector('f32x4.mul', 'i32x4.trunc_sat_f32x4_u');
  });
  const negative = unit.made(() => shift(code.get(sign), 'i32x4.shr_s', 31));
  // If the argument is negative, the bits of the magnitude are inverted; for a whole number, 1 is added.
  const argument = unit.made(() => {
    code.get(magnitude).get(negative).vector('v128.xor');
    splat(splat(code.get(magnitude), 0x7fffff).vector('v128.and'), 0).vector('i32x4.eq');
    code.get(negative).vector('v128.and', 'i32x4.sub');
  });
  const position = unit.made(() => splat(code.get(argument), 0x7fffff).vector('v128.and'));
  const { row, x } = unit.divided(position);
  const significand = unit.made(() => unit.pushTruncated(unit.polynomial('ex2', row, x)));
  const result = unit.made(() => splat(shift(code.get(argument), 'i32x4.shr_s', 23), 127).vector('i32x4.add'));
  pushJoined(unit, result, significand, f32);
  unit.choose(single.infinity, () => splat(code.get(result), 254).vector('i32x4.gt_s'));
  unit.chooseOf(
    () => splat(code, single.infinity).get(negative).vector('v128.andnot'),
    () => splat(code.get(exponent), 127 + 7).vector('i32x4.gt_s'),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, f32));
}

function writeLogarithm(unit: MufuUnit): void {
  const { code } = unit;
  const parts = unit.parts(f32);
  const { exponent, fraction } = parts;
  const { row, x } = unit.divided(fraction);
  const whole = unit.made(() => splat(code.get(exponent), 127).vector('i32x4.sub'));
  const sums = unit.polynomial('lg2', row, x).map((sum, half) =>
    unit.made(() => {
      code.get(whole).vector(half === 0 ? 'i64x2.extend_low_i32x4_s' : 'i64x2.extend_high_i32x4_s');
      code.i32(42).vector('i64x2.shl').get(sum).vector('i64x2.add').i32(6).vector('i64x2.shr_s');
    }),
  );
  const [first = 0, second = 0] = sums;
  const signs = [first, second].map((sum) => unit.made(() => code.get(sum).i32(63).vector('i64x2.shr_s')));
  const [firstSign = 0, secondSign = 0] = signs;
  const low = unit.made(() => code.get(first).get(firstSign).vector('v128.xor'));
  const high = unit.made(() => code.get(second).get(secondSign).vector('v128.xor'));
  unit.pushCut([low, high], -36);
  splat(code.get(firstSign).get(secondSign).shuffle(evenWords), single.sign).vector('v128.and', 'v128.or');
  unit.choose(0, () => unit.pushEquals(0, single.one));
  unit.chooseOf(
    () => code.get(0),
    () => unit.pushEquals(exponent, 255),
  );
  unit.choose(nan, () => unit.pushIsNegative(parts));
  unit.choose(0xff800000, () => unit.pushEquals(exponent, 0));
  unit.choose(nan, () => unit.pushIsNan(parts, f32));
}

function writeCircular(unit: MufuUnit, quarters: 0 | 1): void {
  const { code } = unit;
  const { sign, exponent } = unit.parts(f32);
  const angle = unit.made(() => code.get(0).vector('f32x4.abs'));
  // The product of two f32 numbers is exact in f64. It is truncated to 24 bits.
  const turns = unit.made(() => {
    for (const half of [0, 1]) {
      code.get(angle);
      if (half === 1) code.get(angle).shuffle(upperPair);
      code.vector('f64x2.promote_low_f32x4');
      pushDoubleWords(code, doubleOf(inverseTurn)).vector('f64x2.mul');
      pushDoubleWords(code, 0xffff_ffff_e000_0000n).vector('v128.and', 'f32x4.demote_f64x2_zero');
    }
    code.shuffle(lowPairs);
  });
  const position = unit.made(() => {
    code.get(turns).get(turns).vector('f32x4.floor', 'f32x4.sub');
    splat(code, 0x4c000000).vector('f32x4.mul', 'i32x4.trunc_sat_f32x4_u');
  });
  const quarter = unit.made(() => splat(shift(code.get(position), 'i32x4.shr_u', 23), quarters).vector('i32x4.add'));
  const within = unit.made(() => {
    shift(shift(code.get(quarter), 'i32x4.shl', 31), 'i32x4.shr_s', 31)
      .get(position)
      .vector('v128.xor');
    splat(code, 0x7fffff).vector('v128.and');
  });
  const { row, x } = unit.divided(within);
  unit.pushCut(unit.polynomial('sin', row, x), -42);
  splat(shift(code.get(quarter), 'i32x4.shl', 30), single.sign).vector('v128.and', 'v128.xor');
  if (quarters === 0) code.get(sign).vector('v128.xor');
  unit.choose(nan, () => unit.pushEquals(exponent, 255));
}

/** Converts the bits of an f32 to the bits of the f64 with the same value. */
function doubleOf(bits: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, bits);
  view.setFloat64(0, view.getFloat32(0));
  return view.getBigUint64(0);
}

function writeTangent(unit: MufuUnit): void {
  const { code } = unit;
  const parts = unit.parts(f32);
  const { sign, exponent, fraction } = parts;
  const place = unit.made(() => splat(code.get(exponent), 127 - 8).vector('i32x4.sub'));
  // Selects a byte for each lane. Bytes that are not in the table become 0, and so do the upper bytes of each lane.
  const lookUp = (table: readonly number[]): number =>
    unit.made(() => {
      const word = (i: number): number =>
        [0, 1, 2, 3].reduce((sum, at) => sum + (table[4 * i + at] ?? 0) * 2 ** (8 * at), 0);
      code.words(word(0), word(1), word(2), word(3));
      splat(splat(code.get(place), 15).vector('i32x4.min_u'), -0x100).vector('v128.or', 'i8x16.swizzle');
    });
  const factors = lookUp(tangentRows.factors);
  const first = lookUp(tangentRows.first);
  const position = unit.made(() => shift(code.get(fraction).get(factors).vector('i32x4.mul'), 'i32x4.shr_u', 6));
  const { row, x } = unit.divided(position);
  // For operands outside the pieces of the table, the polynomial is not used, but the row must still be in the table.
  const inTable = unit.made(() => splat(code.get(row).get(first).vector('i32x4.add'), 50).vector('i32x4.min_u'));
  const scale = unit.made(() => shift(code.get(exponent), 'i32x4.shl', 23));
  unit.pushCut(unit.polynomial('tanh', inTable, x), -41, (half) => {
    code.get(scale);
    if (half === 1) code.get(scale).shuffle(upperPair);
    code.vector('f64x2.promote_low_f32x4', 'f64x2.mul');
  });
  code.get(sign).vector('v128.or');
  unit.chooseOf(
    () => splat(code.get(sign), single.one).vector('v128.or'),
    () => splat(code.get(exponent), 127 + 2).vector('i32x4.gt_s'),
  );
  unit.chooseOf(
    () => code.get(0),
    () => splat(code.get(place), 0).vector('i32x4.lt_s'),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, f32));
}
