/**
 * A WebAssembly module that multiplies rows for those tcgen05.mma instructions whose scale factors apply to sums of 16
 * products (tile-rows.ts). It computes what `groupScaledTile` (numerics/scaled-tile.ts) specifies, four columns at a
 * time.
 *
 * The elements are small integers, so the products of a group are added up as integers. The sum of a group, multiplied
 * by the scale factors, is exact in f32. Sums of several groups have too many bits for f32 and for 32-bit integers, so
 * groups are added in f64, which is exact as well.
 */
import type { DotArithmetic } from '../../numerics/dot-arithmetic.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, splat } from '../simd/vector-words.ts';
import { rowModule, rowParameters } from './row-module.ts';
import { advance } from './vector-factors.ts';

/** The number of columns that are computed together. */
export const columnsTogether = 4;

/** The number of elements in a group. */
export const groupElements = 16;

/** The number of words in a group. Each word contains two 16-bit elements. */
const groupWords = groupElements / 2;

/** Maximum numbers: rows of A in a block, columns of B, and groups in a row or column. */
const most = { rows: 128, columns: 256, groups: 6 } as const;

interface GroupFields {
  readonly words: number;
  readonly significand: number;
  readonly exponent: number;
  readonly mask: number;
}

/**
 * The offsets of the fields of a group, in bytes. The significand, which is an f32 number, and the exponent form the
 * scale factor. The mask selects the elements that are not zero.
 */
export const groupFields: GroupFields = { words: 0, significand: 32, exponent: 36, mask: 40 };

/**
 * The number of bytes that a group occupies. In B, the groups of four columns are interleaved: each field of the first
 * column is followed by the same field of the other three columns.
 */
export const groupBytes = 44;

interface GroupRooms {
  readonly sums: number;
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** The addresses of the sums and of the groups of A and B in the memory of the module. */
export const groupRooms: GroupRooms = (() => {
  const a = 4 * most.columns;
  const b = a + most.rows * most.groups * groupBytes;
  return { sums: 0, a, b, size: b + most.columns * most.groups * groupBytes };
})();

export interface GroupKernel {
  /** The number of elements in a row of A. */
  readonly length: number;
  readonly arithmetic: DotArithmetic;
}

/** Returns a module whose function `multiply` handles four columns at a time. */
export function groupKernel(kernel: GroupKernel): Uint8Array<ArrayBuffer> {
  return rowModule((code) => new GroupWriter(code, kernel).write());
}

/** The product of a group before it is expressed in units of the sum. */
interface GroupProduct {
  readonly value: number;
  readonly exponent: number;
}

class GroupWriter {
  private readonly code: Code;
  private readonly arithmetic: DotArithmetic;
  private readonly groups: number;
  /** Locals that hold the addresses of the sums, of the row of A, and of the columns of B. */
  private readonly sums: number;
  private readonly ofA: number;
  private readonly ofB: number;
  private readonly sum: number;
  private readonly greatest: number;
  private readonly bad: number;
  private readonly totals: readonly [low: number, high: number];

  constructor(code: Code, { length, arithmetic }: GroupKernel) {
    const local = (): number => code.local('v128');
    this.code = code;
    this.arithmetic = arithmetic;
    this.groups = length / groupElements;
    [this.sums, this.ofA, this.ofB] = [code.local('i32'), code.local('i32'), code.local('i32')];
    [this.sum, this.greatest, this.bad] = [local(), local(), local()];
    this.totals = [local(), local()];
  }

  write(): void {
    const { code, sums, ofA, ofB, groups, bad } = this;
    const { row, first, count } = rowParameters;
    const lineBytes = groups * groupBytes;
    code.get(row).i32(lineBytes).op('i32.mul').set(ofA);
    code
      .get(first)
      .i32(columnsTogether * lineBytes)
      .op('i32.mul')
      .set(ofB);
    code.loop((again) => {
      code.get(sums).vectorMemory('v128.load', groupRooms.sums).set(this.sum);
      this.begin();
      const products = Array.from({ length: groups }, (_, group) => this.multiplyGroup(group));
      for (const total of this.totals) code.words(0, 0, 0, 0).set(total);
      this.add({ value: this.sum, exponent: this.zero() });
      for (const product of products) this.add(product);
      code.get(sums);
      this.round();
      code.vectorMemory('v128.store', groupRooms.sums);
      advance(code, sums, 4 * columnsTogether);
      advance(code, ofB, columnsTogether * lineBytes);
      code.get(count).i32(1).op('i32.sub').tee(count).brIf(again);
    });
    code.get(bad).vector('v128.any_true');
  }

  private zero(): number {
    const zero = this.code.local('v128');
    this.code.words(0, 0, 0, 0).set(zero);
    return zero;
  }

  /**
   * Initializes the largest exponents with the exponents of the sums. A sum that is an infinity or a NaN is out of
   * range.
   */
  private begin(): void {
    const { code, sum, greatest, bad } = this;
    const [doubled, exponent] = [code.local('v128'), code.local('v128')];
    shift(code.get(sum), 'i32x4.shl', 1).set(doubled);
    shift(code.get(doubled), 'i32x4.shr_u', 24).set(exponent);
    splat(code.get(bad).get(exponent), 255).vector('i32x4.eq', 'v128.or').set(bad);
    splat(code, this.arithmetic.zeroExponent);
    splat(splat(code.get(exponent), 1).vector('i32x4.max_s'), -127).vector('i32x4.add');
    code.get(doubled).words(0, 0, 0, 0).vector('i32x4.eq', 'v128.bitselect').set(greatest);
  }

  /** Multiplies a group, and updates the largest exponent. */
  private multiplyGroup(group: number): GroupProduct {
    const { code, greatest } = this;
    const [total, factor, value, exponent] = [
      code.local('v128'),
      code.local('v128'),
      code.local('v128'),
      code.local('v128'),
    ];
    code.words(0, 0, 0, 0).set(total);
    for (let word = 0; word < groupWords; word++) {
      this.pushA(group, groupFields.words + 4 * word);
      this.pushB(group, groupFields.words + 4 * word);
      code.vector('i32x4.dot_i16x8_s').get(total).vector('i32x4.add').set(total);
    }
    this.pushA(group, groupFields.significand);
    this.pushB(group, groupFields.significand);
    code.vector('f32x4.mul').tee(factor).get(total).vector('f32x4.convert_i32x4_s', 'f32x4.mul').set(value);
    this.pushA(group, groupFields.exponent);
    this.pushB(group, groupFields.exponent);
    code.vector('i32x4.add').set(exponent);
    // The exponent of a group is taken into account if any product is not zero, even if the products add up to zero.
    code.get(exponent);
    splat(code, this.arithmetic.zeroExponent);
    this.pushA(group, groupFields.mask);
    this.pushB(group, groupFields.mask);
    code.vector('v128.and').words(0, 0, 0, 0).vector('i32x4.ne');
    code.get(factor).words(0, 0, 0, 0).vector('f32x4.ne', 'v128.and', 'v128.bitselect');
    code.get(greatest).vector('i32x4.max_s').set(greatest);
    return { value, exponent };
  }

  private pushA(group: number, field: number): void {
    this.code.get(this.ofA).vectorMemory('v128.load32_splat', groupRooms.a + group * groupBytes + field);
  }

  private pushB(group: number, field: number): void {
    const offset = columnsTogether * (group * groupBytes + field);
    this.code.get(this.ofB).vectorMemory('v128.load', groupRooms.b + offset);
  }

  /** Adds `value` * 2^`exponent`, truncated to a multiple of 2^(greatest - kept). */
  private add({ value, exponent }: GroupProduct): void {
    const { code, totals, greatest, arithmetic } = this;
    const power = code.local('v128');
    splat(code.get(exponent).get(greatest).vector('i32x4.sub'), arithmetic.kept + doubleBias)
      .vector('i32x4.add')
      .set(power);
    totals.forEach((total, half) => {
      this.pushHalf(value, half).vector('f64x2.promote_low_f32x4');
      this.pushPower(power, half).vector('f64x2.mul', 'f64x2.trunc');
      code.get(total).vector('f64x2.add').set(total);
    });
  }

  /** Pushes the totals as f32 numbers, truncated. The results must be normal numbers or zeros. */
  private round(): void {
    const { code, totals, greatest, arithmetic, bad } = this;
    const power = code.local('v128');
    splat(code.get(greatest), doubleBias - arithmetic.kept)
      .vector('i32x4.add')
      .set(power);
    const results = totals.map((total, half) => {
      const [exact, magnitude] = [code.local('v128'), code.local('v128')];
      code.get(total);
      this.pushPower(power, half).vector('f64x2.mul').tee(exact).vector('f64x2.abs').set(magnitude);
      pushDoubles(code.get(magnitude), (doubleBias - 126) << 20).vector('f64x2.lt');
      code.get(magnitude).words(0, 0, 0, 0).vector('f64x2.ne', 'v128.and');
      pushDoubles(code.get(magnitude), (doubleBias + 128) << 20).vector('f64x2.ge', 'v128.or');
      code.get(bad).vector('v128.or').set(bad);
      return exact;
    });
    for (const exact of results) {
      // The lowest 29 bits of a fraction do not fit in f32.
      code
        .get(exact)
        .words(-(2 ** 29), -1, -(2 ** 29), -1)
        .vector('v128.and', 'f32x4.demote_f64x2_zero');
    }
    code.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
  }

  /** Pushes a vector whose low half contains two of four numbers. */
  private pushHalf(numbers: number, half: number): Code {
    const { code } = this;
    code.get(numbers);
    return half === 0 ? code : code.get(numbers).shuffle([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
  }

  /** Pushes powers of two as f64 numbers, given their biased exponents. */
  private pushPower(exponents: number, half: number): Code {
    return this.pushHalf(exponents, half).vector('i64x2.extend_low_i32x4_s').i32(52).vector('i64x2.shl');
  }
}

/** The bias of f64. */
const doubleBias = 1023;

/** Pushes a vector with two copies of an f64 number, given the upper word of its bits. */
function pushDoubles(code: Code, upper: number): Code {
  return code.words(0, upper, 0, upper);
}
