/**
 * The functions of the special function unit (numerics/mufu.ts), for four threads at once. Code that runs one thread at
 * a time calls functions that compute only the first word; the others have arbitrary values. The sum of a polynomial is
 * less than 2^53 in all functions, so it is exact in f64.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { mufuAddresses } from '../../machine/mufu-memory.ts';
import type { MufuTableName } from '../../numerics/mufu-tables.ts';
import { inverseTurn, type MufuFunction, tangentRows } from '../../numerics/mufu.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import type { LaunchLayout } from '../layout.ts';
import type { Lowering } from '../lowering.ts';
import { pushDoubleWords, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { shift, single, splat } from './vector-words.ts';
import { evenWords, lowPairs, upperPair, wordsAt } from './word-shuffles.ts';

type Layout = Pick<LaunchLayout, 'origin'>;

/** Lowers a step for one thread at a time. */
export function lowerMufu({ fn, to, from }: StepOf<'mufu'>, { code, values, helpers, layout }: Lowering): void {
  values.get(from, 'i32');
  code
    .vector('i32x4.splat')
    .call(mufuFunction(helpers, fn, layout, 1))
    .lane('i32x4.extract_lane', 0);
  values.set(to, 'i32');
}

export function vectorMufu({ fn, to, from }: StepOf<'mufu'>, lowering: VectorLowering): Writer {
  return () => {
    const { code, vectors, scalar } = lowering;
    code.get(vectors.get(from, 'i32').locals[0]).call(mufuFunction(scalar.helpers, fn, scalar.layout, 4));
    setWord(to, lowering);
  };
}

/** Number of words that are computed. */
type Count = 1 | 4;

/** Returns the index of the function that takes and returns four words. */
function mufuFunction(helpers: Helpers, fn: MufuFunction, layout: Layout, count: Count): number {
  const type = { parameters: ['v128'], results: ['v128'] } as const;
  return helpers.function(`mufu ${fn} ${count}`, type, (code) => writers[fn](new Unit(code, layout, count)), true);
}

const writers: Readonly<Record<MufuFunction, (unit: Unit) => void>> = {
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

/** The parts of the numbers in the words. */
interface Format {
  readonly fractionBits: number;
  readonly bias: number;
}

const f32: Format = { fractionBits: 23, bias: 127 };
const upperHalf: Format = { fractionBits: 20, bias: 1023 };

const nan = 0x7fffffff;
const lowBits = 0x1ffff;

/** Locals that hold parts of the operand, in the format. Fractions have 23 bits. */
interface Parts {
  readonly sign: number;
  readonly exponent: number;
  readonly fraction: number;
}

/** The sums of a polynomial: two in each local. */
type Sums = readonly [low: number, high: number];

/** Writes the code that the functions share. The operand is the first local of the function. */
class Unit {
  readonly code: Code;
  private readonly layout: Layout;
  private readonly count: Count;

  constructor(code: Code, layout: Layout, count: Count) {
    this.code = code;
    this.layout = layout;
    this.count = count;
  }

  /** A new local with the vector that `push` pushes. */
  made(push: () => void): number {
    const local = this.code.local('v128');
    push();
    this.code.set(local);
    return local;
  }

  parts({ fractionBits, bias }: Format): Parts {
    const { code } = this;
    const sign = this.made(() => splat(code.get(0), single.sign).vector('v128.and'));
    const exponent = this.made(() => {
      splat(shift(code.get(0), 'i32x4.shr_u', fractionBits), 2 * bias + 1).vector('v128.and');
    });
    const fraction = this.made(() => {
      splat(code.get(0), 2 ** fractionBits - 1).vector('v128.and');
      shift(code, 'i32x4.shl', 23 - fractionBits);
    });
    return { sign, exponent, fraction };
  }

  /** The upper bits of a number of 23 bits, which select a row, and the 17 bits below them. */
  divided(position: number): { readonly row: number; readonly x: number } {
    const { code } = this;
    return {
      row: this.made(() => shift(code.get(position), 'i32x4.shr_u', 17)),
      x: this.made(() => splat(code.get(position), lowBits).vector('v128.and')),
    };
  }

  /** The polynomials of the rows at x, in units of 2^-18 of the last place. */
  polynomial(name: MufuTableName, row: number, x: number): Sums {
    const { code } = this;
    const places = this.made(() => shift(code.get(row), 'i32x4.shl', 4));
    const first = this.rowAt(name, places, 0);
    const rows =
      this.count === 1 ? [first, first] : [first, ...[1, 2, 3].map((lane) => this.rowAt(name, places, lane))];
    // The coefficients c1 and c2 of two rows each.
    const pairs = rows.flatMap((one, i) =>
      i % 2 === 0 ? [this.joined(one, elementAt(rows, i + 1), wordsAt(2, 6, 3, 7))] : [],
    );
    const [low = 0, high = low] = pairs;
    const c1 = this.joined(low, high, lowPairs);
    const c2 = this.joined(low, high, wordsAt(2, 3, 6, 7));
    const square = this.square(x);
    const sum = (half: 'low' | 'high', from: number): number =>
      this.made(() => {
        code
          .get(elementAt(rows, from))
          .get(elementAt(rows, from + 1))
          .shuffle(lowPairs);
        code.get(c1).get(x).vector(`i64x2.extmul_${half}_i32x4_s`, 'i64x2.add');
        code.get(c2).get(square).vector(`i64x2.extmul_${half}_i32x4_s`, 'i64x2.add');
      });
    const sums = sum('low', 0);
    return [sums, this.count === 1 ? sums : sum('high', 2)];
  }

  private joined(first: number, second: number, bytes: readonly number[]): number {
    return this.made(() => this.code.get(first).get(second).shuffle(bytes));
  }

  /** The row of one lane. */
  private rowAt(name: MufuTableName, places: number, lane: number): number {
    const { code } = this;
    return this.made(() => {
      code.get(places).lane('i32x4.extract_lane', lane);
      code.vectorMemory('v128.load', this.layout.origin + mufuAddresses[name]);
    });
  }

  /** The truncated square of a number of 17 bits. */
  private square(x: number): number {
    const { code } = this;
    return this.made(() => {
      for (let bit = 10; bit < 17; bit++) {
        // The bit, moved to the sign, makes a mask for its products with lower bits and for its square.
        splat(shift(code.get(x), 'i32x4.shr_u', 18 - bit), 2 ** (2 * bit - 18) - 1).vector('v128.and');
        splat(code, 2 ** (2 * bit - 19)).vector('i32x4.add');
        shift(shift(code.get(x), 'i32x4.shl', 31 - bit), 'i32x4.shr_s', 31).vector('v128.and');
        if (bit > 10) code.vector('i32x4.add');
      }
    });
  }

  /** Pushes the sums, truncated to whole units of the last place. */
  pushTruncated([low, high]: Sums): void {
    const { code } = this;
    for (const sums of [low, high]) code.get(sums).i32(18).vector('i64x2.shr_s');
    code.shuffle(evenWords);
  }

  /**
   * Pushes the f32 values sum * 2^unit, of which only the upper 24 bits are kept. The sums must not be negative, and the
   * results must not be subnormal. `scale` may push two more factors for each half.
   */
  pushCut(sums: Sums, unit: number, scale: ((half: 0 | 1) => void) | null = null): void {
    const { code } = this;
    for (const half of this.count === 1 ? ([0] as const) : ([0, 1] as const)) {
      // An integer below 2^52 becomes an f64 as the fraction of a number between 2^52 and 2^53.
      pushDoubleWords(code.get(sums[half]), 0x4330_0000_0000_0000n).vector('v128.or');
      pushDoubleWords(code, 0x4330_0000_0000_0000n).vector('f64x2.sub');
      pushDoubleWords(code, 0xffff_ffff_e000_0000n).vector('v128.and');
      pushDoubleWords(code, BigInt(unit + 1023) << 52n).vector('f64x2.mul');
      scale?.(half);
      code.vector('f32x4.demote_f64x2_zero');
    }
    if (this.count === 4) code.shuffle(lowPairs);
  }

  /** Replaces the vector on the stack by a constant in the lanes of the mask that `pushMask` pushes. */
  choose(word: number, pushMask: () => void): void {
    this.chooseOf(() => splat(this.code, word), pushMask);
  }

  /** Replaces the vector on the stack by the one that `push` pushes, in the lanes of the mask. */
  chooseOf(push: () => void, pushMask: () => void): void {
    const { code } = this;
    const usual = code.local('v128');
    code.set(usual);
    push();
    code.get(usual);
    pushMask();
    code.vector('v128.bitselect');
  }

  pushEquals(local: number, word: number): void {
    splat(this.code.get(local), word).vector('i32x4.eq');
  }

  /** Pushes a mask of the operands that are NaNs. */
  pushIsNan({ exponent, fraction }: Parts, { bias }: Format): void {
    this.pushEquals(exponent, 2 * bias + 1);
    splat(this.code.get(fraction), 0).vector('i32x4.ne', 'v128.and');
  }

  pushIsNegative({ sign }: Parts): void {
    splat(this.code.get(sign), 0).vector('i32x4.ne');
  }
}

/** Pushes the bits of significand * 2^exponent, or zero if the exponent is not that of a normal number. */
function pushJoined(unit: Unit, exponent: number, significand: number, { fractionBits }: Format): void {
  const { code } = unit;
  splat(code.get(significand), 2 ** 23).vector('i32x4.sub');
  shift(code, 'i32x4.shr_s', 23 - fractionBits);
  shift(code.get(exponent), 'i32x4.shl', fractionBits).vector('i32x4.add');
  splat(code.get(exponent), 0).vector('i32x4.gt_s', 'v128.and');
}

function writeReciprocal(unit: Unit, format: Format): void {
  const { code } = unit;
  const parts = unit.parts(format);
  const { sign, exponent, fraction } = parts;
  const greatest = 2 * format.bias + 1;
  const row = unit.made(() => shift(code.get(fraction), 'i32x4.shr_u', 16));
  const x = unit.made(() => shift(splat(code.get(fraction), 0xffff).vector('v128.and'), 'i32x4.shl', 1));
  const significand = unit.made(() => unit.pushTruncated(unit.polynomial('rcp', row, x)));
  const result = unit.made(() =>
    splat(code, greatest - 2)
      .get(exponent)
      .vector('i32x4.sub'),
  );
  pushJoined(unit, result, significand, format);
  unit.choose(greatest * 2 ** format.fractionBits, () => unit.pushEquals(exponent, 0));
  code.get(sign).vector('v128.or');
  unit.chooseOf(
    () => code.get(sign),
    () => unit.pushEquals(exponent, greatest),
  );
  unit.choose(nan, () => unit.pushIsNan(parts, format));
}

/** Locals that hold whether the exponent is odd (1 or 0), and half of the exponent below it. */
function halved(unit: Unit, exponent: number, bias: number): { readonly odd: number; readonly half: number } {
  const { code } = unit;
  const odd = unit.made(() => splat(splat(code.get(exponent), 1).vector('v128.and'), 1).vector('v128.xor'));
  const half = unit.made(() => {
    splat(code.get(exponent), bias).vector('i32x4.sub').get(odd).vector('i32x4.sub');
    shift(code, 'i32x4.shr_s', 1);
  });
  return { odd, half };
}

function rootSignificand(unit: Unit, name: 'rsqrt' | 'sqrt', odd: number, fraction: number): number {
  const { code } = unit;
  const { row, x } = unit.divided(fraction);
  const place = unit.made(() => shift(code.get(odd), 'i32x4.shl', 6).get(row).vector('i32x4.add'));
  return unit.made(() => unit.pushTruncated(unit.polynomial(name, place, x)));
}

function writeReciprocalRoot(unit: Unit, format: Format): void {
  const { code } = unit;
  const parts = unit.parts(format);
  const { sign, exponent, fraction } = parts;
  const { bias, fractionBits } = format;
  const { odd, half } = halved(unit, exponent, bias);
  const rounded = rootSignificand(unit, 'rsqrt', odd, fraction);
  const significand = unit.made(() => {
    code.get(rounded);
    // The table would give the number below for powers of four.
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

function writeSquareRoot(unit: Unit): void {
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

function writePower(unit: Unit): void {
  const { code } = unit;
  const parts = unit.parts(f32);
  const { sign, exponent } = parts;
  const magnitude = unit.made(() => {
    splat(code.get(0).vector('f32x4.abs'), 0x4b000000).vector('f32x4.mul', 'i32x4.trunc_sat_f32x4_u');
  });
  const negative = unit.made(() => shift(code.get(sign), 'i32x4.shr_s', 31));
  // Negative numbers are complemented, unless they are whole.
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

function writeLogarithm(unit: Unit): void {
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

function writeCircular(unit: Unit, quarters: 0 | 1): void {
  const { code } = unit;
  const { sign, exponent } = unit.parts(f32);
  const angle = unit.made(() => code.get(0).vector('f32x4.abs'));
  // The product of two f32 is exact in f64; it is truncated to 24 bits.
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

/** The f64 with the value of an f32. */
function doubleOf(bits: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, bits);
  view.setFloat64(0, view.getFloat32(0));
  return view.getBigUint64(0);
}

function writeTangent(unit: Unit): void {
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
  // Rows of operands without a piece are not used, but must be in the table.
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
