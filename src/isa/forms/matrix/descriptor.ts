/**
 * Reads a warp's fragment of a matrix in shared memory. A matrix descriptor specifies how the matrix is stored (PTX ISA
 * 9.1, section 9.7.15.5.1). A chunk is 16 bytes, and a matrix consists of tiles of 8 chunks, one chunk from each of 8
 * lines. A swizzle of 32, 64 or 128 bytes places 2, 4 or 8 chunks side by side in a line. The number of a chunk within
 * its line is combined by xor with bits of the line's number. Without a swizzle, a line is a single chunk.
 *
 * For example, with a swizzle of 32 bytes, two tiles T and U share eight lines of two chunks each. Each line is shown
 * with its address, and each chunk with the letter of its tile and the number of its line:
 *
 *       0:  T0 U0      128:  U4 T4
 *      32:  T1 U1      160:  U5 T5
 *      64:  T2 U2      192:  U6 T6
 *      96:  T3 U3      224:  U7 T7
 *
 * Byte 4 of T5 would have the address 5 * 32 + 4 = 164 without the xor. Bit 7 of this address, a bit of the line's
 * number, is combined by xor with bit 4, the number of the chunk. Bit 7 is 1 and bit 4 is 0, so bit 4 becomes 1, which
 * results in the address 164 + 16 = 180.
 *
 * Tiles that follow each other along k form a row of tiles, which contains eight rows of A or eight columns of B.
 */
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { bits, compare, constant, extract, integer, join, select } from '../integer/steps.ts';

const add = (to: Ref, a: Ref, b: Ref): ValueStep => integer('add', 'u32', to, a, b);
const subtract = (to: Ref, a: Ref, b: Ref): ValueStep => integer('sub', 'u32', to, a, b);
const multiply = (to: Ref, a: Ref, b: Ref): ValueStep => integer('mul.lo', 'u32', to, a, b);
const and = (to: Ref, a: Ref, b: Ref): ValueStep => bits('and', 32, to, a, b);
const shiftLeft = (to: Ref, a: Ref, by: Ref): ValueStep => bits('shl', 32, to, a, by);
const shiftRight = (to: Ref, a: Ref, by: Ref): ValueStep => bits('shr.u', 32, to, a, by);

/**
 * The position of the lane in a tile: the number of its row of A or column of B, and its index among the four lanes of
 * that row or column.
 */
const across: Ref = '$across';
const along: Ref = '$along';

/** The steps that come before all others. These steps also define constants that are named after their values. */
export const lanePosition: readonly ValueStep[] = [
  constant('$0', 0),
  constant('$1', 1),
  constant('$2', 2),
  constant('$3', 3),
  constant('$4', 4),
  constant('$7', 7),
  constant('$16', 16),
  shiftRight(across, '$LANE', '$2'),
  and(along, '$LANE', '$3'),
];

/** A matrix in shared memory. */
export interface SharedMatrix {
  /** The descriptor operand. The names of all values that are computed from it begin with its name. */
  readonly descriptor: Ref;
  /**
   * Whether elements that are adjacent along k are adjacent in memory. If so, a line of a tile belongs to one row of A
   * or one column of B, and each lane has 4 bytes of a chunk. If not, the elements have 16 bits, and all elements of a
   * line have the same k; each lane has one element in each of two lines.
   */
  readonly alongK: boolean;
}

/** For one matrix, the names of the values that several of the functions below compute or use. */
interface Names {
  /** Fields of the descriptor in bytes: the address of the first tile, and two distances between tiles. */
  readonly start: Ref;
  readonly leading: Ref;
  readonly stride: Ref;
  /** The number that the swizzle subtracts from line numbers; the ISA calls this number the base offset. */
  readonly phase: Ref;
  /** True if there is no swizzle. */
  readonly isPlain: Ref;
  /** The binary logarithm of the number of chunks in a line, and the number of the last chunk. */
  readonly sideBits: Ref;
  readonly last: Ref;
  /** The distance in bytes between lines. */
  readonly line: Ref;
  /** The address of the lane's part of the first tile, before the swizzle. */
  readonly own: Ref;
  /** The distance in bytes from the first tile of a row to tile number `i`; `i` is at least 1. */
  readonly distanceTo: (i: number) => Ref;
  /** If elements are not adjacent along k: the distance in bytes between groups of tiles that are side by side. */
  readonly group: Ref;
  /** The address of the lane's part of the first tile in a row of tiles, before the swizzle. */
  readonly row: (row: string) => Ref;
  /** The name of a value that only one function uses. */
  readonly local: (part: string) => Ref;
}

function namesOf({ descriptor }: SharedMatrix): Names {
  const local = (part: string): Ref => `${descriptor}.${part}`;
  return {
    start: local('start'),
    leading: local('leading'),
    stride: local('stride'),
    phase: local('phase'),
    isPlain: local('plain'),
    sideBits: local('shift'),
    last: local('last'),
    line: local('line'),
    own: local('own'),
    distanceTo: (i) => local(`along.${i}`),
    group: local('group'),
    row: local,
    local,
  };
}

/** Reads the descriptor, and computes the values that depend on the swizzle. */
function fieldsOf(descriptor: Ref, names: Names): readonly ValueStep[] {
  const { start, leading, stride, phase, isPlain, sideBits, last, line, local } = names;
  // The unit of these fields is one chunk.
  const inBytes = (to: Ref, low: number): readonly ValueStep[] => [
    extract(`${to}.chunks`, descriptor, low, 14),
    shiftLeft(to, `${to}.chunks`, '$4'),
  ];
  return [
    ...inBytes(start, 0),
    ...inBytes(leading, 16),
    ...inBytes(stride, 32),
    extract(phase, descriptor, 49, 3),
    extract(local('swizzle'), descriptor, 62, 2),
    // Codes 1, 2 and 3 stand for 128, 64 and 32 bytes, which are 2^3, 2^2 and 2^1 chunks; 0 stands for no swizzle.
    subtract(local('shift.wide'), '$4', local('swizzle')),
    and(sideBits, local('shift.wide'), '$3'),
    shiftLeft(local('side'), '$1', sideBits),
    subtract(last, local('side'), '$1'),
    shiftLeft(line, '$16', sideBits),
    compare('eq', 'u32', isPlain, local('swizzle'), '$0'),
  ];
}

/**
 * Computes `own`, the address of the lane's part of the first tile. This part is `laneAcross` bytes across k and
 * `laneAlong` bytes along k from the start of the tile.
 */
function ownFrom({ start, own, local }: Names, laneAcross: Ref, laneAlong: Ref): readonly ValueStep[] {
  return [add(local('lane'), laneAcross, laneAlong), add(own, start, local('lane'))];
}

/** Computes the distances if elements are adjacent along k. A row has `tiles` tiles. */
function distancesAlongLines(names: Names, tiles: number): readonly ValueStep[] {
  const { line, local } = names;
  const [laneAcross, laneAlong] = [local('lane.across'), local('lane.along')];
  return [
    multiply(laneAcross, across, line),
    shiftLeft(laneAlong, along, '$2'),
    ...ownFrom(names, laneAcross, laneAlong),
    ...othersOf(tiles).flatMap((i) => distanceAlongLine(names, i)),
  ];
}

/**
 * The tiles of a row lie side by side in lines. Tiles that do not fit in the first lines are in further lines, at
 * multiples of the leading offset.
 */
function distanceAlongLine({ leading, isPlain, sideBits, last, distanceTo }: Names, i: number): readonly ValueStep[] {
  const distance = distanceTo(i);
  // With a swizzle, a line has at least two chunks.
  if (i === 1) return [select(distance, isPlain, leading, '$16')];
  const part = (of: string): Ref => `${distance}.${of}`;
  return [
    constant(part('number'), i),
    and(part('beside'), part('number'), last),
    shiftLeft(part('beside.bytes'), part('beside'), '$4'),
    shiftRight(part('line'), part('number'), sideBits),
    multiply(part('lines'), part('line'), leading),
    add(distance, part('beside.bytes'), part('lines')),
  ];
}

/** Computes the distances if elements are not adjacent along k. A row has `tiles` equally spaced tiles. */
function distancesAcrossLines(names: Names, tiles: number): readonly ValueStep[] {
  const { leading, stride, isPlain, line, distanceTo, group, local } = names;
  const [laneAcross, laneAlong] = [local('lane.across'), local('lane.along')];
  return [
    shiftLeft(laneAcross, across, '$1'),
    shiftLeft(local('lane.lines'), along, '$1'),
    multiply(laneAlong, local('lane.lines'), line),
    ...ownFrom(names, laneAcross, laneAlong),
    // With a swizzle, the meanings of the descriptor's two distances are swapped.
    select(distanceTo(1), isPlain, leading, stride),
    ...othersOf(tiles)
      .slice(1)
      .map((i) => add(distanceTo(i), distanceTo(i - 1), distanceTo(1))),
    select(group, isPlain, stride, leading),
  ];
}

/** The numbers of all tiles of a row except the first. */
function othersOf(tiles: number): readonly number[] {
  return Array.from({ length: tiles - 1 }, (_, i) => i + 1);
}

/** The steps that come before those of `openRow` and `loadRegister`. A row of the matrix has `tiles` tiles. */
export function openMatrix(matrix: SharedMatrix, tiles: number): readonly ValueStep[] {
  const names = namesOf(matrix);
  const distances = matrix.alongK ? distancesAlongLines : distancesAcrossLines;
  return [...fieldsOf(matrix.descriptor, names), ...distances(names, tiles)];
}

/** Computes the lane's address in the first tile of a row of tiles. The value of `number` is the number of the row. */
export function openRow(matrix: SharedMatrix, row: string, number: Ref): readonly ValueStep[] {
  const { stride, sideBits, last, own, group, row: rowOf } = namesOf(matrix);
  const address = rowOf(row);
  const part = (of: string): Ref => `${address}.${of}`;
  if (matrix.alongK) return [multiply(part('offset'), number, stride), add(address, own, part('offset'))];
  // Rows lie side by side in groups.
  return [
    and(part('beside'), number, last),
    shiftLeft(part('beside.bytes'), part('beside'), '$4'),
    shiftRight(part('number'), number, sideBits),
    multiply(part('offset'), part('number'), group),
    add(part('both'), part('beside.bytes'), part('offset')),
    add(address, own, part('both')),
  ];
}

/** Loads one register of a fragment: the lane's elements in tile number `i` of a row of tiles. */
export function loadRegister(matrix: SharedMatrix, row: string, i: number, register: Ref): readonly Step[] {
  const names = namesOf(matrix);
  const first = names.row(row);
  const place: Ref = i === 0 ? first : `${first}.${i}`;
  const before = i === 0 ? [] : [add(place, first, names.distanceTo(i))];
  if (matrix.alongK) return [...before, ...loadSwizzled(names, place, register, 32)];
  const next = names.local('next');
  return [
    ...before,
    ...loadSwizzled(names, place, `${register}.low`, 16),
    add(next, place, names.line),
    ...loadSwizzled(names, next, `${register}.high`, 16),
    { kind: 'pack', to: register, from: [`${register}.high`, `${register}.low`], lane: 16, stride: 16 },
  ];
}

/**
 * Applies the swizzle to the address `place` and loads from the resulting address. The swizzle combines two groups of
 * address bits by xor: the bits from bit 4 on, which are the number of the chunk in its line, and the bits from bit 7
 * on. Without a swizzle, `last` is 0, so nothing changes.
 */
function loadSwizzled({ phase, last, local }: Names, place: Ref, to: Ref, width: 16 | 32): readonly Step[] {
  return [
    shiftRight(local('line.wide'), place, '$7'),
    subtract(local('line.phase'), local('line.wide'), phase),
    and(local('line.low'), local('line.phase'), last),
    shiftLeft(local('mask'), local('line.low'), '$4'),
    bits('xor', 32, local('swizzled'), place, local('mask')),
    join(local('address'), '$0', local('swizzled'), 32, 64),
    { kind: 'load', space: 'shared', width, to: [to], address: local('address'), ...read },
  ];
}

const read = { proxy: 'async', order: null, unused: false } as const;
