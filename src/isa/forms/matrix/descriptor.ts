/**
 * Reads a warp's fragment of a matrix in shared memory that a matrix descriptor describes (PTX ISA 9.1, section
 * 9.7.15.5.1). A chunk is 16 bytes, and a matrix consists of tiles of 8 chunks, one chunk from each of 8 lines. With a
 * swizzle of 32, 64 or 128 bytes, 2, 4 or 8 chunks lie side by side in a line, and the number of a chunk within the
 * line is combined by xor with bits of the line's number.
 */
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { bits, compare, constant, extract, integer, join, select } from '../integer/steps.ts';

const add = (to: Ref, a: Ref, b: Ref): ValueStep => integer('add', 'u32', to, a, b);
const multiply = (to: Ref, a: Ref, b: Ref): ValueStep => integer('mul.lo', 'u32', to, a, b);
const shiftLeft = (to: Ref, a: Ref, by: Ref): ValueStep => bits('shl', 32, to, a, by);
const shiftRight = (to: Ref, a: Ref, by: Ref): ValueStep => bits('shr.u', 32, to, a, by);

/** Constants, and the position of the lane: `$across` in a group of eight lines, `$along` in a group of four lanes. */
export const lanePosition: readonly ValueStep[] = [
  constant('$0', 0),
  constant('$1', 1),
  constant('$2', 2),
  constant('$3', 3),
  constant('$4', 4),
  constant('$7', 7),
  constant('$16', 16),
  shiftRight('$across', '$LANE', '$2'),
  bits('and', 32, '$along', '$LANE', '$3'),
];

/** A matrix in shared memory. */
export interface SharedMatrix {
  /** The operand that is the descriptor. It is also the start of the names of all values that are computed from it. */
  readonly descriptor: Ref;
  /**
   * Whether elements that are adjacent along k are adjacent in memory. If not, the elements have 16 bits, and those that
   * are adjacent along the other dimension are adjacent in memory.
   */
  readonly alongK: boolean;
}

type NameOf = (part: string) => Ref;

const namesFrom =
  (descriptor: Ref): NameOf =>
  (part) =>
    `${descriptor}.${part}`;

/**
 * The fields of a descriptor in bytes, and what follows from its swizzle: `side` chunks lie side by side in a line, and
 * `line` is the distance between lines. `shift` is the binary logarithm of `side`, and `last` is `side` minus one.
 */
function fieldsOf(descriptor: Ref, name: NameOf): readonly ValueStep[] {
  const inBytes = (field: string, low: number): readonly ValueStep[] => [
    extract(name(`${field}.chunks`), descriptor, low, 14),
    shiftLeft(name(field), name(`${field}.chunks`), '$4'),
  ];
  return [
    ...inBytes('start', 0),
    ...inBytes('leading', 16),
    ...inBytes('stride', 32),
    extract(name('phase'), descriptor, 49, 3),
    extract(name('swizzle'), descriptor, 62, 2),
    // Codes 1, 2 and 3 stand for 128, 64 and 32 bytes, and 0 for no swizzle.
    integer('sub', 'u32', name('shift.wide'), '$4', name('swizzle')),
    bits('and', 32, name('shift'), name('shift.wide'), '$3'),
    shiftLeft(name('side'), '$1', name('shift')),
    integer('sub', 'u32', name('last'), name('side'), '$1'),
    shiftLeft(name('line'), '$16', name('shift')),
    compare('eq', 'u32', name('plain'), name('swizzle'), '$0'),
  ];
}

/** The distance from the first tile of a row of tiles to tile number `i` along k. */
const distanceTo = (i: number): string => `along.${i}`;

/**
 * Computes `own`, the address of the lane's part of the first tile; the distances to the other tiles along k, of which
 * there are `tiles`; and, if elements are not adjacent along k, `group`, the distance between groups of `side` tiles.
 */
function distances(name: NameOf, alongK: boolean, tiles: number): readonly ValueStep[] {
  const others = Array.from({ length: tiles - 1 }, (_, i) => i + 1);
  const sum = (own: readonly ValueStep[]): readonly ValueStep[] => [
    ...own,
    add(name('lane'), name('lane.across'), name('lane.along')),
    add(name('own'), name('start'), name('lane')),
  ];
  if (alongK)
    return [
      ...sum([multiply(name('lane.across'), '$across', name('line')), shiftLeft(name('lane.along'), '$along', '$2')]),
      ...others.flatMap((i) => distanceAlongK(name, i)),
    ];
  return [
    ...sum([
      shiftLeft(name('lane.across'), '$across', '$1'),
      shiftLeft(name('lane.lines'), '$along', '$1'),
      multiply(name('lane.along'), name('lane.lines'), name('line')),
    ]),
    select(name(distanceTo(1)), name('plain'), name('leading'), name('stride')),
    ...others.slice(1).map((i) => add(name(distanceTo(i)), name(distanceTo(i - 1)), name(distanceTo(1)))),
    select(name('group'), name('plain'), name('stride'), name('leading')),
  ];
}

/** `side` tiles lie side by side in a line, and the next ones at the leading offset. */
function distanceAlongK(name: NameOf, i: number): readonly ValueStep[] {
  const distance = distanceTo(i);
  if (i === 1) return [select(name(distance), name('plain'), name('leading'), '$16')];
  const part = (of: string): Ref => name(`${distance}.${of}`);
  return [
    constant(part('number'), i),
    bits('and', 32, part('beside'), part('number'), name('last')),
    shiftLeft(part('beside.bytes'), part('beside'), '$4'),
    shiftRight(part('line'), part('number'), name('shift')),
    multiply(part('lines'), part('line'), name('leading')),
    add(name(distance), part('beside.bytes'), part('lines')),
  ];
}

/** The steps that come before those of `tileOf` and `registerOf`. The matrix has `tiles` tiles along k. */
export function openMatrix({ descriptor, alongK }: SharedMatrix, tiles: number): readonly ValueStep[] {
  const name = namesFrom(descriptor);
  return [...fieldsOf(descriptor, name), ...distances(name, alongK, tiles)];
}

/** Computes the lane's address in the tile whose number across k is the value of `number`. */
export function tileOf({ descriptor, alongK }: SharedMatrix, tile: string, number: Ref): readonly ValueStep[] {
  const name = namesFrom(descriptor);
  const own = (part: string): Ref => name(`${tile}.${part}`);
  const place = name(tile);
  if (alongK) return [multiply(own('offset'), number, name('stride')), add(place, name('own'), own('offset'))];
  return [
    bits('and', 32, own('beside'), number, name('last')),
    shiftLeft(own('beside.bytes'), own('beside'), '$4'),
    shiftRight(own('number'), number, name('shift')),
    multiply(own('offset'), own('number'), name('group')),
    add(own('both'), own('beside.bytes'), own('offset')),
    add(place, name('own'), own('both')),
  ];
}

/** Loads one register of a fragment: the lane's elements in tile number `i` along k of a row of tiles. */
export function registerOf(matrix: SharedMatrix, row: string, i: number, register: Ref): readonly Step[] {
  const { descriptor, alongK } = matrix;
  const name = namesFrom(descriptor);
  const place = i === 0 ? name(row) : name(`${row}.${i}`);
  const before = i === 0 ? [] : [add(place, name(row), name(distanceTo(i)))];
  if (alongK) return [...before, ...loadSwizzled(name, place, register, 32)];
  return [
    ...before,
    ...loadSwizzled(name, place, `${register}.low`, 16),
    add(name('next'), place, name('line')),
    ...loadSwizzled(name, name('next'), `${register}.high`, 16),
    { kind: 'pack', to: register, from: [`${register}.high`, `${register}.low`], lane: 16, stride: 16 },
  ];
}

function loadSwizzled(name: NameOf, place: Ref, to: Ref, width: 16 | 32): readonly Step[] {
  return [
    shiftRight(name('line.wide'), place, '$7'),
    integer('sub', 'u32', name('line.phase'), name('line.wide'), name('phase')),
    bits('and', 32, name('line.low'), name('line.phase'), name('last')),
    shiftLeft(name('mask'), name('line.low'), '$4'),
    bits('xor', 32, name('swizzled'), place, name('mask')),
    join(name('address'), '$0', name('swizzled'), 32, 64),
    { kind: 'load', space: 'shared', width, to: [to], address: name('address'), ...read },
  ];
}

const read = { proxy: 'async', order: null, unused: false } as const;
