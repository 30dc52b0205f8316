/** Products of the matrices that a warp holds, exactly as the hardware computes them. */
import { type Bits, chop, numberOf } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type Fragment, elementsOf, holdersOf, indexOf, placeOf } from '../isa/fragments.ts';
import {
  keptColumn,
  type KeptHalf,
  keptHalves,
  type MatrixProduct,
  type Scaling,
  type Sparsity,
} from '../isa/matrix-product.ts';
import { elementFunction, type Factors, type ScalePair, scaleTerm } from './matrix-element.ts';
import type { Member } from './member.ts';

/**
 * The elements of each matrix as bits, ordered by the index that `indexOf` returns, and the values that each lane
 * supplies in addition to the matrices.
 */
interface Matrices {
  readonly a: readonly Bits[];
  readonly b: readonly Bits[];
  readonly c: readonly Bits[];
  /** The values that a lane supplies after the registers of C. */
  readonly more: (lane: number) => readonly Bits[];
}

/** Returns the registers of D for each member of the group. */
export function multiplyMatrices(shape: MatrixProduct, group: readonly Member[]): readonly (readonly Bits[])[] {
  const byLane = new Map(group.map((member) => [member.lane, member.values] as const));
  const valuesOf = (lane: number): readonly Bits[] => byLane.get(lane) ?? [];
  const [afterA, afterB] = [shape.a.fragment.registers, shape.a.fragment.registers + shape.b.fragment.registers];
  const afterC = afterB + shape.c.fragment.registers;
  const read = (fragment: Fragment, from: number): readonly Bits[] =>
    holdersOf(fragment).map(({ lane, register, low }) => {
      const bits = valuesOf(lane)[from + register] ?? (fragment.registerBits === 64 ? 0n : 0);
      return fragment.registerBits === 64 ? bits : (numberOf(bits) >>> low) & mask(fragment.bits);
    });
  const matrices: Matrices = {
    a: read(shape.a.fragment, 0),
    b: read(shape.b.fragment, afterA),
    c: read(shape.c.fragment, afterB),
    more: (lane) => valuesOf(lane).slice(afterC),
  };
  const results = resultsOf(shape, matrices);
  return group.map(({ lane }) => registersOf(shape.d.fragment, lane, results));
}

function mask(width: number): number {
  return width === 32 ? -1 : (1 << width) - 1;
}

function registersOf(fragment: Fragment, lane: number, codes: readonly Bits[]): readonly Bits[] {
  const perRegister = fragment.registerBits / fragment.bits;
  const registers = new Array<Bits>(fragment.registers).fill(0);
  for (let i = 0; i < elementsOf(fragment); i++) {
    const code = elementAt(codes, indexOf(fragment, placeOf(fragment, lane, i)));
    const at = Math.floor(i / perRegister);
    if (perRegister === 1) registers[at] = fragment.registerBits === 64 ? code : chop(code, 32);
    else registers[at] = (numberOf(registers[at] ?? 0) | (numberOf(code) << ((i % perRegister) * fragment.bits))) >>> 0;
  }
  return registers;
}

/** Computes the elements of D, and returns them in the order of their indices. */
function resultsOf(shape: MatrixProduct, matrices: Matrices): readonly Bits[] {
  const { fragment } = shape.d;
  const results: Bits[] = [];
  const element = elementOf(shape, matrices);
  for (let matrix = 0; matrix < fragment.matrices; matrix++) {
    for (let row = 0; row < fragment.rows; row++) {
      for (let column = 0; column < fragment.columns; column++) results.push(element(matrix, row, column));
    }
  }
  return results;
}

type ElementOf = (matrix: number, row: number, column: number) => Bits;

function elementOf(shape: MatrixProduct, matrices: Matrices): ElementOf {
  const factors = factorsOf(shape, matrices);
  const element = elementFunction(shape);
  const scaling = shape.kind === 'float' ? shape.scaling : null;
  const scales: Scales = scaling === null ? () => [] : scalesOf(scaling, matrices.more);
  return (matrix, row, column) => {
    const c = elementAt(matrices.c, indexOf(shape.c.fragment, { matrix, row, column }));
    return element(factors(matrix, row, column), c, scales(row, column));
  };
}

/** Returns the elements of A and B whose products are added up to compute an element of D. */
function factorsOf(shape: MatrixProduct, { a, b, more }: Matrices): (...place: Parameters<ElementOf>) => Factors {
  const { fragment: ofA } = shape.a;
  const { fragment: ofB } = shape.b;
  const rowsOfA = listsOf(ofA.matrices * ofA.rows, ofA.columns, (line, at) => elementAt(a, line * ofA.columns + at));
  const columnsOfB = listsOf(ofB.matrices * ofB.columns, ofB.rows, (line, row) => {
    const place = { matrix: Math.floor(line / ofB.columns), row, column: line % ofB.columns };
    return elementAt(b, indexOf(ofB, place));
  });
  const partnerOf = shape.sparsity === null ? null : partners(shape.sparsity, ofA.columns, more);
  const partnersOf = partnerOf === null ? null : listsOf(ofA.rows, ofA.columns, partnerOf);
  return (matrix, row, column) => {
    const columnOfB = elementAt(columnsOfB, matrix * ofB.columns + column);
    return {
      a: elementAt(rowsOfA, matrix * ofA.rows + row),
      b: partnersOf === null ? columnOfB : elementAt(partnersOf, row).map((partner) => partner(columnOfB)),
    };
  };
}

/** Given a column of B, finds the element by which an element of A is multiplied. */
type Partner = (columnOfB: readonly Bits[]) => Bits;

/**
 * Returns a function that takes the row of a stored element of A and the element's position in the row, and returns the
 * element's `Partner`.
 */
function partners(sparsity: Sparsity, columns: number, more: Matrices['more']): (row: number, at: number) => Partner {
  const indices = indicesOf(sparsity, more);
  const { unit } = sparsity;
  return (row, at) => {
    const found = indices(row, at);
    if (unit === 0.5) {
      const [low, high] = keptHalves(at, found);
      return (columnOfB) => (halfOf(columnOfB, low) | (halfOf(columnOfB, high) << 16)) >>> 0;
    }
    const column = Math.min(2 * columns - 1, keptColumn(unit, at, found));
    return (columnOfB) => elementAt(columnOfB, column);
  };
}

function halfOf(columnOfB: readonly Bits[], { column, half }: KeptHalf): number {
  return (numberOf(elementAt(columnOfB, column)) >>> (16 * half)) & 0xffff;
}

function listsOf<T>(count: number, length: number, item: (list: number, at: number) => T): readonly (readonly T[])[] {
  return Array.from({ length: count }, (_, list) => Array.from({ length }, (__, at) => item(list, at)));
}

/**
 * Returns a function that reads the metadata of a sparse A. Given the row of a stored element and its position among
 * the stored elements of this row, the function returns a number whose lowest bits are the metadata of the element's
 * chunk.
 */
function indicesOf({ unit, rowBits, lanes }: Sparsity, more: Matrices['more']): (row: number, at: number) => number {
  const perChunk = 2 * unit;
  const chunksPerLane = rowBits / 4;
  return (row, at) => {
    const chunk = Math.floor(at / perChunk);
    const word = Math.floor(chunk / chunksPerLane);
    const upper = row >> 3;
    const [, selector = 0] = more(0);
    const inGroup = rowBits === 16 ? word : upper + 2 * word;
    const [metadata = 0] = more(4 * (row & 7) + Number(selector) * lanes + inGroup);
    const low = (rowBits === 16 ? 16 * upper : 0) + 4 * (chunk % chunksPerLane);
    return numberOf(metadata) >>> low;
  };
}

// --- scales ---------------------------------------------------------------------------------------------------------

/** Returns the scale factors for a row of A and a column of B: one pair for each block. */
type Scales = (row: number, column: number) => readonly ScalePair[];

function scalesOf({ format, block, group }: Scaling, more: Matrices['more']): Scales {
  const count = group === 1 ? 1 : 64 / block;
  const read = scaleTerm(format);
  const last = (lane: number): readonly number[] => more(lane).slice(-6).map(Number);
  return (row, column) => {
    const [, byteA = 0, threadA = 0, , byteB = 0, threadB = 0] = last(0);
    const [wordA = 0] = last(4 * (row & 7) + (row >> 3) + 2 * (threadA & 1));
    const wordB = last(4 * column + (threadB & 3))[3] ?? 0;
    return Array.from(
      { length: count },
      (_, i): ScalePair => [
        read((wordA >>> (8 * ((byteA + i) & 3))) & 0xff),
        read((wordB >>> (8 * ((byteB + i) & 3))) & 0xff),
      ],
    );
  };
}
