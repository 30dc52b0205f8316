/** The lanes in which a block stores the rows of a product in its tensor memory (PTX ISA 9.1, section 9.7.16.10.5). */
import { tensorLanes } from '../../isa/tensor-memory.ts';
import type { TensorProduct } from '../../isa/tensor-product.ts';
import { misuse } from './access.ts';

/** The lanes of the rows of D, and of A and its metadata if these are in tensor memory. */
export interface RowLayout {
  /**
   * The number of lanes that hold a row. Each of these lanes holds a different part of the columns of D, and all of
   * them hold the row of A.
   */
  readonly parts: 1 | 2 | 4;
  readonly laneOf: (row: number, part: number) => number;
}

/** Each row has a lane of its own, or several lanes that are `rows` lanes apart (layouts A, B, D, E and G). */
const laneInPart =
  (rows: number): RowLayout['laneOf'] =>
  (row, part) =>
    row + rows * part;

/** If there are 64 rows, they use 16 of the 32 lanes of each warp (layouts C and F). */
const laneOfHalf: RowLayout['laneOf'] = (row) => 32 * (row >> 4) + (row & 15);

/** @param rows the number of rows that one block has */
export function rowLayout(rows: 32 | 64 | 128, { blocks, sparse, stationary }: TensorProduct): RowLayout {
  const laneOf = laneInPart(rows);
  if (rows === 128) return { parts: 1, laneOf };
  if (rows === 32) return { parts: 4, laneOf };
  return stationary || (blocks === 2 && !sparse) ? { parts: 2, laneOf } : { parts: 1, laneOf: laneOfHalf };
}

/**
 * Throws a fault unless a matrix with this layout can begin in the given lane: lane 0 or, if only half of the lanes are
 * used, lane 16.
 */
export function requireLanes(lane: number, { parts, laneOf }: RowLayout, rows: number): void {
  if (lane % 16 !== 0 || lane + laneOf(rows - 1, parts - 1) >= tensorLanes)
    throw misuse(`the rows of a matrix do not fit into the lanes from lane ${lane} on`);
}
