/** Loads the codes of packed blocks as a vector of bytes, sixteen elements at a time. */
import { assertNever } from '../../base/assert-never.ts';
import { elementAt } from '../../base/element-at.ts';
import {
  type DigitCodes,
  type GridCodes,
  type PackedBlock,
  type Places,
  type Segment,
  segmentsOf,
  type Shared,
  widthOf,
} from '../../numerics/packed-blocks.ts';
import type { Code } from '../../wasm/code.ts';
import { splat } from '../simd/vector-words.ts';
import { type Column, columnsAt, lanes } from './packed-columns.ts';

/**
 * The value that a code of 1 represents. In grids with a shift, this value is 1/8, because the coordinates are shifted
 * by 1/8 but codes have to be integers. In all other blocks, the value is 1.
 */
export function unitOf({ codes }: PackedBlock): number {
  return codes.kind === 'grid' && codes.shift !== null ? 1 / 8 : 1;
}

/**
 * The addresses of the tables. A table row has 8 bytes, except that a row of a grid table has 4 bytes if the points of
 * the grid have four coordinates.
 */
interface TablePlaces {
  readonly signs: number;
  readonly shifts: number;
  readonly grid: number;
}

/**
 * A row of the sign table contains one byte for each of eight elements. Bit i of the row number is the sign of element
 * i: if it is 1, byte i of the row is 0xff, otherwise 0. The table of shifts contains two rows: one for positive
 * shifts, and one for negative shifts.
 */
const placesOf = (start: number): TablePlaces => ({ signs: start, shifts: start + 8 * 256, grid: start + 8 * 258 });

/** Maximum size in bytes of a block's tables. A grid has at most 2048 points. */
export const mostTableBytes: number = placesOf(8 * 2048).grid;

/** Returns the tables that the code for a block reads; empty if the code reads no tables. */
export function tablesOf({ codes }: PackedBlock): Uint8Array {
  if (codes.kind !== 'grid') return new Uint8Array(0);
  const grid = codes.grid();
  const { shifts, grid: gridAt } = placesOf(0);
  const bytes = new Uint8Array(gridAt + grid.length);
  for (let i = 0; i < 8 * 256; i++) bytes[i] = (signsOf(codes, i >> 3) >> (i % 8)) & 1 ? 0xff : 0;
  bytes.fill(1, shifts, shifts + 8).fill(-1, shifts + 8, gridAt);
  bytes.set(codes.shift === null ? grid : grid.map((coordinate) => 8 * coordinate), gridAt);
  return bytes;
}

/**
 * Returns eight sign bits. If only seven are stored, the eighth is the parity bit that makes the number of ones even.
 */
function signsOf({ signs }: GridCodes, stored: number): number {
  if (signs === null || widthOf(signs.places(0)) === 8) return stored;
  const ones = Array.from({ length: 7 }, (_, bit) => (stored >> bit) & 1).filter((bit) => bit === 1);
  return stored | ((ones.length % 2) << 7);
}

export class CodeLoader {
  private readonly code: Code;
  private readonly block: PackedBlock;
  private readonly tables: TablePlaces;
  /** The local that points to the block. */
  private readonly from: number;
  private readonly parts: readonly [number, number];
  private readonly masks: number;

  constructor(code: Code, block: PackedBlock, from: number, tables: number) {
    this.code = code;
    this.block = block;
    this.tables = placesOf(tables);
    this.from = from;
    this.parts = [code.local('v128'), code.local('v128')];
    this.masks = code.local('v128');
  }

  /**
   * Pushes the codes of the elements, starting with element `first`, as signed bytes. If the codes select values from a
   * list, the codes themselves are pushed, not the selected values.
   */
  push(first: number): void {
    const { codes } = this.block;
    switch (codes.kind) {
      case 'linear':
        this.pushStored(codes.places, first);
        // If the numbers are unsigned, they have at most seven bits, so they are not mistaken for negative signed
        // bytes.
        if (codes.plus !== 0) everyByte(this.code, codes.plus).vector('i8x16.add');
        return;
      case 'listed':
        return this.pushStored(codes.places, first);
      case 'digits':
        return this.pushDigits(codes, first);
      case 'grid':
        return this.pushPoints(codes, first);
      default:
        return assertNever(codes);
    }
  }

  /** Pushes a number of up to 31 bits as an i32. */
  pushNumber(segments: readonly Segment[]): Code {
    const { code, from } = this;
    segments.forEach(({ byte, down, mask, up }, i) => {
      code.get(from).memory('i32.load8_u', byte);
      if (down > 0) code.i32(down).op('i32.shr_u');
      if (mask << down < 0x80) code.i32(mask).op('i32.and');
      if (up > 0) code.i32(up).op('i32.shl');
      if (i > 0) code.op('i32.or');
    });
    return code;
  }

  private pushStored(places: Places, first: number): void {
    columnsAt(places, first).forEach((column, i) => {
      this.pushColumn(column);
      if (i > 0) this.code.vector('v128.or');
    });
  }

  /** Pushes the segments of a column as sixteen bytes. Each segment belongs to a different number. */
  private pushColumn(column: Column): void {
    const { code, from, parts } = this;
    switch (column.kind) {
      case 'run':
        code.get(from).vectorMemory('v128.load', column.byte);
        this.shift(column);
        return;
      case 'halves':
        for (const [i, half] of column.halves.entries()) {
          code.get(from).vectorMemory('v128.load64_splat', half.byte);
          this.shift(half);
          code.set(elementAt(parts, i));
        }
        code.get(parts[0]).get(parts[1]);
        code.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
        return;
      case 'bits':
        code.get(from).vectorMemory('v128.load16_splat', column.byte);
        // Copies bytes 0 and 1 eight times each, and masks each copy to a different bit, so that each of the sixteen
        // bits is in a byte of its own.
        code.words(0, 0, 0x01010101, 0x01010101).vector('i8x16.swizzle');
        code.words(0x08040201, 0x80402010, 0x08040201, 0x80402010).vector('v128.and');
        everyByte(code, 0).vector('i8x16.ne');
        everyByte(code, 1 << column.up).vector('v128.and');
        return;
      default:
        assertNever(column);
    }
  }

  /**
   * Shifts the segment in each byte to its position in the number. The shift works on 16-bit lanes, so bits that come
   * from the neighboring byte are masked out.
   */
  private shift({ down, mask, up }: Segment): void {
    const { code } = this;
    if (down > up) code.i32(down - up).vector('i16x8.shr_u');
    if (up > down) code.i32(up - down).vector('i16x8.shl');
    if (mask !== 0xff) everyByte(code, mask << up).vector('v128.and');
  }

  private pushDigits({ byteOf, digitOf }: DigitCodes, first: number): void {
    const { code, from, parts } = this;
    const at = Array.from({ length: lanes }, (_, i) => byteOf(first + i));
    const byte = elementAt(at, 0);
    const isRun = at.every((other, i) => other === byte + i);
    if (!isRun && at.some((other, i) => other !== byte + (i % 4)))
      throw new Error(`the digits at byte ${byte} cannot be loaded as a vector`);
    code
      .get(from)
      .vectorMemory(isRun ? 'v128.load' : 'v128.load32_splat', byte)
      .set(parts[0]);
    for (const [i, side] of (['low', 'high'] as const).entries()) {
      code.get(parts[0]).vector(`i16x8.extend_${side}_i8x16_u`);
      halfWords(code, (lane) => 3 ** digitOf(first + 8 * i + lane)).vector('i16x8.mul');
      halfWords(code, () => 0xff).vector('v128.and');
      halfWords(code, () => 3).vector('i16x8.mul');
      code.i32(8).vector('i16x8.shr_u');
    }
    code.vector('i8x16.narrow_i16x8_u');
    everyByte(code, -1).vector('i8x16.add');
  }

  private pushPoints({ share, places, signs, shift }: GridCodes, first: number): void {
    const { code, tables, masks } = this;
    this.pushRows({ share, places }, first, tables.grid);
    if (signs !== null) {
      // Negates the bytes whose mask m is all ones: (x xor m) - m is -x if m is all ones, and x if m is 0.
      this.pushRows(signs, first, tables.signs);
      code.tee(masks).vector('v128.xor').get(masks).vector('i8x16.sub');
    }
    if (shift !== null) {
      this.pushRows({ share: 8, places: (i) => shift.places(Math.floor((8 * i) / shift.share)) }, first, tables.shifts);
      code.vector('i8x16.add');
    }
  }

  /**
   * Looks up sixteen elements in a table and pushes the bytes. Each group of `share` elements has one stored number,
   * which selects a table row. The row contains one byte for each element of the group.
   */
  private pushRows({ share, places }: Shared, first: number, table: number): void {
    const { code, parts } = this;
    const [size, wide] = [Math.log2(share), share === 8];
    for (let i = 0; i < lanes / share; i++) {
      if (i > 0) code.set(parts[0]);
      this.pushNumber(segmentsOf(places(first / share + i)))
        .i32(size)
        .op('i32.shl');
      if (i === 0) code.vectorMemory(wide ? 'v128.load64_zero' : 'v128.load32_zero', table);
      else code.get(parts[0]).laneMemory(wide ? 'v128.load64_lane' : 'v128.load32_lane', table, i);
    }
  }
}

/** Pushes a vector that contains a byte in every lane. */
function everyByte(code: Code, byte: number): Code {
  return splat(code, (byte & 0xff) * 0x01010101);
}

/** Pushes eight 16-bit values. */
function halfWords(code: Code, of: (lane: number) => number): Code {
  const word = (i: number): number => of(2 * i) | (of(2 * i + 1) << 16);
  return code.words(word(0), word(1), word(2), word(3));
}
