/** Writes loops, and computes the positions of the lanes' elements in the scratch memory. */
import { elementAt } from '../../base/element-at.ts';
import type { Digit, Fragment } from '../../isa/fragments.ts';
import type { Code } from '../../wasm/code.ts';

/** Repeats `body` while a local counts from 0 up to a limit. */
export function repeat(code: Code, counter: number, limit: number, body: () => void, step = 1): void {
  code.i32(0).set(counter);
  code.loop((again) => {
    body();
    code.get(counter).i32(step).op('i32.add').tee(counter).i32(limit).op('i32.lt_u').brIf(again);
  });
}

/**
 * Defines how to compute the position of an element in the scratch memory. A distance is assigned to each bit of the
 * lane's index and of the element's index. The position is the sum of the distances of the bits that are 1.
 */
export interface Position {
  /** The distances for the bits of the lane's index, lowest bit first. */
  readonly ofLane: readonly number[];
  /** The distances for the bits of the element's index within its lane, lowest bit first. */
  readonly ofElement: readonly number[];
}

/**
 * A distance in the scratch memory for each bit of the row, column and matrix indices. The position of an element is
 * the sum of the distances for all bits that are 1 in its indices.
 */
export interface Steps {
  readonly row: readonly number[];
  readonly column: readonly number[];
  readonly matrix: readonly number[];
}

/**
 * Returns the distances for the bits of an index if consecutive rows or columns are `step` apart: `step`, 2 * `step`, 4
 * * `step`, and so on.
 */
export function evenly(step: number, count = 10): readonly number[] {
  return Array.from({ length: count }, (_, bit) => step * 2 ** bit);
}

/** Returns how to compute the positions of a fragment's elements in the scratch memory. */
export function positionOf(fragment: Fragment, steps: Steps): Position {
  const [ofLane, ofElement]: [number[], number[]] = [[0, 0, 0, 0, 0], Array.from({ length: 10 }, () => 0)];
  const add = (digits: readonly Digit[], of: readonly number[]): void => {
    digits.forEach((digit, bit) => {
      const to = digit.startsWith('l') ? ofLane : ofElement;
      to[Number(digit.slice(1))] = elementAt(of, bit);
    });
  };
  add(fragment.row, steps.row);
  add(fragment.column, steps.column);
  add(fragment.matrix, steps.matrix);
  return { ofLane, ofElement };
}

/** Pushes the position of a lane's first element. */
export function pushLanePosition(code: Code, lane: number, { ofLane }: Position): void {
  code.i32(0);
  ofLane.forEach((step, bit) => {
    if (step === 0) return;
    code.get(lane).i32(bit).op('i32.shr_u').i32(1).op('i32.and').i32(step).op('i32.mul', 'i32.add');
  });
}

/** The distance in the scratch memory between an element and the first element of the same lane. */
export function elementPosition(element: number, { ofElement }: Position): number {
  return ofElement.reduce((sum, step, bit) => sum + ((element >>> bit) & 1) * step, 0);
}
