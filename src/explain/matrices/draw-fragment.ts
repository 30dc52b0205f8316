/**
 * Draws a matrix: each cell shows the lane that holds the element, and a line above the cells names the register of
 * that lane.
 */
import { elementAt } from '../../base/element-at.ts';
import { wrap } from '../../diagnostics/renderers/wrap.ts';
import type { FragmentCell, FragmentExplanation } from './fragments.ts';

/**
 * Returns a drawing of the matrix as lines of at most `width` characters: a heading, formulas, notes, and the picture.
 */
export function drawFragment(explained: FragmentExplanation, width: number): readonly string[] {
  return [
    headingOf(explained),
    ...indented([...explained.formulas, ...registerNotes(explained)], width),
    ...indented([...explained.notes, ...otherMatrices(explained), ...copies(explained)], width),
    ...pictureOf(explained, width),
  ];
}

/** Returns a heading such as `A: 16 by 16 of f16 in a.0 to a.3`. */
function headingOf({ matrix, rows, columns, matrices, format, operands }: FragmentExplanation): string {
  const size = `${rows} by ${columns}`;
  return `${matrix}: ${matrices === 1 ? size : `${matrices} times ${size}`} of ${format} in ${listOf(operands)}`;
}

/** Returns the operands as a list such as `a.0 to a.3, b.0`. */
function listOf(operands: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const operand of operands) {
    const [name = ''] = operand.split('.');
    groups.set(name, [...(groups.get(name) ?? []), operand]);
  }
  return [...groups.values()]
    .map((group) => (group.length === 1 ? group.join('') : `${group[0]} to ${group[group.length - 1]}`))
    .join(', ');
}

function registerNotes({ elementBits, registerBits, operands }: FragmentExplanation): readonly string[] {
  const count = registerBits / elementBits;
  if (count === 1) return ['Element i of a lane is in register i.'];
  const within = operands.length === 1 ? 'i' : `(i % ${count})`;
  const bit = elementBits === 1 ? within : `${elementBits} * ${within}`;
  return [`Element i of a lane is in register ${operands.length === 1 ? '0' : `i / ${count}`}, from bit ${bit} up.`];
}

/**
 * If there are several matrices, only the first one is drawn. Returns lines that describe where the other matrices are.
 */
function otherMatrices({ matrices, cells, operands }: FragmentExplanation): readonly string[] {
  if (matrices === 1) return [];
  const [own, other] = [0, 1].map((wanted) => cells.find(({ matrix }) => matrix === wanted));
  if (own === undefined || other === undefined) return [];
  if (own.lane !== other.lane)
    return [`Matrix 0 is drawn. For matrix m, add ${other.lane - own.lane} * m to the lanes.`];
  const [name = ''] = elementAt(operands, 0).split('.');
  const registers = operands.length / matrices;
  const place = registers === 1 ? `${name}.m` : `${name}.(${registers} * m) and those after it`;
  return [`Matrix 0 is drawn. Matrix m is in ${place}.`];
}

function copies({ cells, rows, columns, matrices }: FragmentExplanation): readonly string[] {
  const held = cells.reduce((sum, cell) => sum + cell.rows * cell.columns, 0);
  const times = held / (rows * columns * matrices);
  return times > 1 ? [`Lanes hold each element ${times} times; only the first copy is drawn.`] : [];
}

// --- the picture ----------------------------------------------------------------------------------------------------

/** The cells, ordered by row and then by column; if lanes hold copies of a cell, only the first copy is included. */
function grid(cells: readonly FragmentCell[]): readonly (readonly FragmentCell[])[] {
  const byRow = new Map<number, Map<number, FragmentCell>>();
  const inOrder = [...cells].sort((x, y) => x.register - y.register || x.lane - y.lane);
  for (const cell of inOrder) {
    const row = byRow.get(cell.row) ?? new Map<number, FragmentCell>();
    byRow.set(cell.row, row);
    if (!row.has(cell.column)) row.set(cell.column, cell);
  }
  const ascending = (x: number, y: number): number => x - y;
  return [...byRow.keys()].sort(ascending).map((row) => {
    const own = byRow.get(row) ?? new Map<number, FragmentCell>();
    return [...own.keys()].sort(ascending).flatMap((column) => own.get(column) ?? []);
  });
}

interface Picture {
  readonly rows: readonly (readonly FragmentCell[])[];
  /** For each cell, the name of its register; empty if the previous cell is in the same register. */
  readonly registers: readonly (readonly string[])[];
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
}

function pictureOf(explained: FragmentExplanation, width: number): readonly string[] {
  const rows = grid(explained.cells.filter(({ matrix }) => matrix === 0));
  const rowNames = rows.map((row) => rangeText(elementAt(row, 0).row, elementAt(row, 0).rows));
  const columnNames = elementAt(rows, 0).map(({ column, columns }) => rangeText(column, columns));
  const picture = { rows, registers: rows.map((row) => registersText(row, explained)), rowNames, columnNames };
  const margin = '  row '.length + longest(rowNames);
  const narrow = 1 + Math.max('31'.length, longest(columnNames), ...picture.registers.map(headerCell));
  const room = width - margin;
  const cell = (narrow + 1) * columnNames.length <= room ? narrow + 1 : narrow;
  const perBlock = Math.max(1, 2 ** Math.floor(Math.log2(room / cell)));
  const starts = Array.from({ length: Math.ceil(columnNames.length / perBlock) }, (_, i) => i * perBlock);
  return starts.flatMap((start) => drawColumns(picture, { start, end: start + perBlock, margin, cell }));
}

interface Columns {
  readonly start: number;
  readonly end: number;
  readonly margin: number;
  readonly cell: number;
}

function drawColumns(picture: Picture, { start, end, margin, cell }: Columns): readonly string[] {
  const right = (texts: readonly string[]): string => texts.map((text) => text.padStart(cell)).join('');
  const lines = ['  col'.padEnd(margin) + right(picture.columnNames.slice(start, end))];
  let above = '';
  picture.rows.forEach((row, i) => {
    const header = headerLine(elementAt(picture.registers, i).slice(start, end), cell);
    if (header !== above) lines.push((' '.repeat(margin) + header).trimEnd());
    above = header;
    const name = `  row ${elementAt(picture.rowNames, i)}`.padEnd(margin);
    lines.push(name + right(row.slice(start, end).map(({ lane }) => String(lane))));
  });
  return lines;
}

/**
 * Writes each name above the first cell to which it applies. A long name may extend over the following cells if there
 * are no names above them.
 */
function headerLine(names: readonly string[], cell: number): string {
  return names.reduce(
    (line, name, i) => (name === '' ? line : line.padEnd(cell * (i + 1) - Math.min(name.length, cell - 1)) + name),
    '',
  );
}

/** Returns how wide, in characters, each cell has to be so that no name in this row overlaps the next one. */
function headerCell(names: readonly string[]): number {
  const starts = names.flatMap((name, i) => (name === '' ? [] : [i]));
  const needs = starts.map((start, i) => elementAt(names, start).length / ((starts[i + 1] ?? names.length) - start));
  return Math.ceil(Math.max(...needs));
}

function registersText(row: readonly FragmentCell[], explained: FragmentExplanation): readonly string[] {
  const names = row.map((cell) => registerName(cell, explained));
  return names.map((name, i) => (name === names[i - 1] ? '' : name));
}

/**
 * Returns the name of the cell's register, such as `a.0`. If the cell holds only some of the elements in the register,
 * the name is followed by the bits that hold these elements, as in `r.0[15:0]`.
 */
function registerName({ register, low, rows, columns }: FragmentCell, explained: FragmentExplanation): string {
  const name = elementAt(explained.operands, register);
  const bits = rows * columns * explained.elementBits;
  return bits === explained.registerBits ? name : `${name}[${low + bits - 1}:${low}]`;
}

function rangeText(start: number, count: number): string {
  return count === 1 ? String(start) : `${start}-${start + count - 1}`;
}

function longest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

function indented(lines: readonly string[], width: number): readonly string[] {
  return lines.flatMap((line) => wrap(line, width - 2).map((text) => `  ${text}`));
}
