/**
 * Divides the matrices of an instruction into boxes. Each box represents the elements that a lane holds in one
 * register, and lists all lanes that hold the same elements.
 */
import type { FragmentExplanation as Fragment } from 'ptxlab';

type Cell = Fragment['cells'][number];

/** The elements that a lane holds in one register, and all lanes that hold the same elements. */
export interface Box {
  readonly cell: Cell;
  readonly lanes: readonly number[];
}

/** One of the matrices of a fragment. Its boxes are sorted by row, and within a row by column. */
export interface Grid {
  readonly fragment: Fragment;
  /** The name of the matrix: `A`, or `A, matrix 2` if the fragment has several matrices. */
  readonly name: string;
  readonly matrix: number;
  readonly boxes: readonly Box[];
}

export function gridsOf(fragments: readonly Fragment[]): readonly Grid[] {
  return fragments.flatMap((fragment) =>
    Array.from({ length: fragment.matrices }, (_, matrix) => ({
      fragment,
      name: fragment.matrices === 1 ? fragment.matrix : `${fragment.matrix}, matrix ${matrix}`,
      matrix,
      boxes: boxesOf(fragment.cells.filter((cell) => cell.matrix === matrix)),
    })),
  );
}

function boxesOf(cells: readonly Cell[]): readonly Box[] {
  const byPlace = new Map<string, { cell: Cell; lanes: number[] }>();
  for (const cell of cells) {
    const place = `${cell.row},${cell.column}`;
    const box = byPlace.get(place);
    if (box === undefined) byPlace.set(place, { cell, lanes: [cell.lane] });
    else if (!box.lanes.includes(cell.lane)) box.lanes.push(cell.lane);
  }
  return [...byPlace.values()].sort((a, b) => a.cell.row - b.cell.row || a.cell.column - b.cell.column);
}

/** The box that holds the element in the given row and column; undefined if no box does. */
export function boxAt({ boxes }: Grid, row: number, column: number): Box | undefined {
  return boxes.find(({ cell }) => holds(cell, row, column));
}

export function holds(cell: Cell, row: number | null, column: number | null): boolean {
  const inRows = row === null || (row >= cell.row && row < cell.row + cell.rows);
  return inRows && (column === null || (column >= cell.column && column < cell.column + cell.columns));
}

/** The names of the registers that hold a cell, such as `c.1 and d.1` or `a.3`. */
export function registerText({ operands }: Fragment, { register }: Cell): string {
  const count = new Set(operands.map((name) => name.replace(/\.\d+$/, ''))).size;
  const each = operands.length / count;
  return operands.filter((_, i) => i % each === register).join(' and ');
}

/** The position of a cell as text, such as `rows 4 to 7, column 2`. */
export function placeText({ row, column, rows, columns }: Cell): string {
  const range = (name: string, first: number, size: number): string =>
    size === 1 ? `${name} ${first}` : `${name}s ${first} to ${first + size - 1}`;
  return `${range('row', row, rows)}, ${range('column', column, columns)}`;
}

/** The numbers of the lanes as text, such as `lane 5` or `lanes 0 and 8`. */
export function lanesText(lanes: readonly number[]): string {
  return lanes.length === 1 ? `lane ${lanes.join()}` : `lanes ${lanes.join(' and ')}`;
}

/**
 * The part of a matrix that a lane holds, such as `row 0, columns 2 to 3 in a.0; …`; empty if the lane holds none of
 * it.
 */
export function heldBy(grid: Grid, lane: number): string {
  return grid.boxes
    .filter(({ lanes }) => lanes.includes(lane))
    .map(({ cell }) => `${placeText(cell)} in ${registerText(grid.fragment, cell)}`)
    .join('; ');
}
