/**
 * The code that all functions of the special function unit share: it splits the operand, evaluates the polynomial, and
 * selects special results.
 */
import { elementAt } from '../../base/element-at.ts';
import { mufuAddresses } from '../../machine/mufu-memory.ts';
import type { MufuTableName } from '../../numerics/mufu-tables.ts';
import type { Code } from '../../wasm/code.ts';
import type { LaunchLayout } from '../layout.ts';
import { pushDoubleWords } from './vector-lowering.ts';
import { shift, single, splat } from './vector-words.ts';
import { evenWords, lowPairs, wordsAt } from './word-shuffles.ts';

export type MufuLayout = Pick<LaunchLayout, 'origin'>;

/** Number of words to compute. */
export type MufuCount = 1 | 4;

/** The format of the numbers in the words. */
export interface FloatLayout {
  readonly fractionBits: number;
  readonly bias: number;
}

export const f32: FloatLayout = { fractionBits: 23, bias: 127 };
export const upperHalf: FloatLayout = { fractionBits: 20, bias: 1023 };

const lowBits = 0x1ffff;

/** Locals that hold the sign, the exponent and the fraction of the operand. The fraction always has 23 bits. */
export interface Parts {
  readonly sign: number;
  readonly exponent: number;
  readonly fraction: number;
}

/** Locals that hold the sums of a polynomial, two in each local. */
export type Sums = readonly [low: number, high: number];

/** Writes the code that the functions share. The operand is the first local of the function. */
export class MufuUnit {
  readonly code: Code;
  private readonly layout: MufuLayout;
  private readonly count: MufuCount;

  constructor(code: Code, layout: MufuLayout, count: MufuCount) {
    this.code = code;
    this.layout = layout;
    this.count = count;
  }

  /** Returns a new local that holds the vector that `push` pushes. */
  made(push: () => void): number {
    const local = this.code.local('v128');
    push();
    this.code.set(local);
    return local;
  }

  parts({ fractionBits, bias }: FloatLayout): Parts {
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

  /** Splits a 23-bit number into its upper bits, which select a row of a table, and its lower 17 bits. */
  divided(position: number): { readonly row: number; readonly x: number } {
    const { code } = this;
    return {
      row: this.made(() => shift(code.get(position), 'i32x4.shr_u', 17)),
      x: this.made(() => splat(code.get(position), lowBits).vector('v128.and')),
    };
  }

  /** Evaluates the polynomials of the given rows at x. The sums are in units of 2^-18 of the last place. */
  polynomial(name: MufuTableName, row: number, x: number): Sums {
    const { code } = this;
    const places = this.made(() => shift(code.get(row), 'i32x4.shl', 4));
    const first = this.rowAt(name, places, 0);
    const rows =
      this.count === 1 ? [first, first] : [first, ...[1, 2, 3].map((lane) => this.rowAt(name, places, lane))];
    // Each vector holds the coefficients c1 and c2 of two rows.
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

  /** Loads the row of the table that one lane selects. */
  private rowAt(name: MufuTableName, places: number, lane: number): number {
    const { code } = this;
    return this.made(() => {
      code.get(places).lane('i32x4.extract_lane', lane);
      code.vectorMemory('v128.load', this.layout.origin + mufuAddresses[name]);
    });
  }

  /** Computes the truncated square of a 17-bit number. */
  private square(x: number): number {
    const { code } = this;
    return this.made(() => {
      for (let bit = 10; bit < 17; bit++) {
        // The bit is copied to all positions of a mask. If the bit is 1, the mask keeps the bit's square and its
        // products with the lower bits.
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
   * Pushes the values `sum * 2^unit`, truncated to f32. The sums must not be negative, and the results must not be
   * subnormal. `scale` may multiply the values of each half by additional factors.
   */
  pushCut(sums: Sums, unit: number, scale: ((half: 0 | 1) => void) | null = null): void {
    const { code } = this;
    for (const half of this.count === 1 ? ([0] as const) : ([0, 1] as const)) {
      // An integer below 2^52 is converted to f64 by making it the fraction of a number between 2^52 and 2^53.
      pushDoubleWords(code.get(sums[half]), 0x4330_0000_0000_0000n).vector('v128.or');
      pushDoubleWords(code, 0x4330_0000_0000_0000n).vector('f64x2.sub');
      pushDoubleWords(code, 0xffff_ffff_e000_0000n).vector('v128.and');
      pushDoubleWords(code, BigInt(unit + 1023) << 52n).vector('f64x2.mul');
      scale?.(half);
      code.vector('f32x4.demote_f64x2_zero');
    }
    if (this.count === 4) code.shuffle(lowPairs);
  }

  /** In the lanes that the mask from `pushMask` selects, replaces the vector on the stack with a constant. */
  choose(word: number, pushMask: () => void): void {
    this.chooseOf(() => splat(this.code, word), pushMask);
  }

  /** In the lanes that the mask selects, replaces the vector on the stack with the vector that `push` pushes. */
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
  pushIsNan({ exponent, fraction }: Parts, { bias }: FloatLayout): void {
    this.pushEquals(exponent, 2 * bias + 1);
    splat(this.code.get(fraction), 0).vector('i32x4.ne', 'v128.and');
  }

  pushIsNegative({ sign }: Parts): void {
    splat(this.code.get(sign), 0).vector('i32x4.ne');
  }
}
