/** Loops over the lanes of a warp and the elements of matrices in an area of the frame. */
import { elementAt } from '../../base/element-at.ts';
import type { Digit, Fragment } from '../../isa/fragments.ts';
import type { Code } from '../../wasm/code.ts';

/** Repeats `body` with a local that counts from 0 up to a limit. */
export function repeat(code: Code, counter: number, limit: number, body: () => void, step = 1): void {
  code.i32(0).set(counter);
  code.loop((again) => {
    body();
    code.get(counter).i32(step).op('i32.add').tee(counter).i32(limit).op('i32.lt_u').brIf(again);
  });
}

/** The distance that each digit adds to an element's position in the scratch memory. */
export interface Position {
  /** Indexed by the bit of the lane. */
  readonly ofLane: readonly number[];
  /** Indexed by the bit of the element's number. */
  readonly ofElement: readonly number[];
}

/** The distances between rows, columns and matrices in the scratch memory; a position is the sum of what each bit contributes. */
export interface Steps {
  readonly row: readonly number[];
  readonly column: readonly number[];
  readonly matrix: readonly number[];
}

/** The step times powers of two, for a matrix whose rows or columns are one step apart. */
export function evenly(step: number, count = 10): readonly number[] {
  return Array.from({ length: count }, (_, bit) => step * 2 ** bit);
}

/** The position of a fragment's elements in the scratch memory. */
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

/** The distance of an element from the first element of its lane. */
export function elementPosition(element: number, { ofElement }: Position): number {
  return ofElement.reduce((sum, step, bit) => sum + ((element >>> bit) & 1) * step, 0);
}
