/**
 * Tables with one line per tensor. If a table is too wide for the screen, columns are left out and names are shortened.
 */
import { joinWords } from '../base/join-words.ts';
import type { Style } from '../diagnostics/renderers/style.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { type Alignment, alignColumns, widthOf } from './columns.ts';
import { shortName } from './short-name.ts';

export interface TensorColumn<Row> {
  readonly title: string;
  readonly align: Alignment;
  readonly cell: (row: Row) => string;
  /**
   * If this number is set, the column can be left out of a table that is too wide. The column with the lowest number is
   * left out first.
   */
  readonly spare?: number;
}

interface TableLayout {
  readonly style: Style;
  readonly width: number;
  readonly isAscii: boolean;
}

/**
 * Columns are left out until there is room for names of `roomyName` characters. Names are never shortened to fewer than
 * `shortestName` characters.
 */
const [roomyName, shortestName] = [20, 12];

/**
 * The table, whose last column contains the names. If columns were left out or names were shortened, a line below the
 * table says so.
 */
export function tensorTable<Row>(
  columns: readonly TensorColumn<Row>[],
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  { style, width, isAscii }: TableLayout,
): readonly string[] {
  const names = rows.map(nameOf);
  const longest = names.reduce((most, name) => Math.max(most, widthOf(name)), 'name'.length);
  const made = columns.map((column) => ({ ...column, cells: [column.title, ...rows.map(column.cell)] }));
  const { kept, left, room } = fitted(made, Math.min(longest, roomyName), width - 2);
  const shown = names.map((name) => shortName(name, Math.max(room, shortestName), isAscii));
  const last = ['name', ...shown];
  const lines = alignColumns(
    last.map((name, i) => [...kept.map(({ cells }) => cells[i] ?? ''), name]),
    [...kept.map(({ align }) => align), 'left'],
  );
  const changes = [
    ...(left.length > 0 ? [`${joinWords(left, 'and')} left out`] : []),
    ...(shown.some((name, i) => name !== names[i]) ? ['names shortened'] : []),
  ];
  const note = changes.length === 0 ? [] : ['', ...wrap(`${changes.join(', ')}; --json has everything`, width - 2)];
  return [...faintHead(lines, style), ...note.map((line) => (line === '' ? '' : style.faint(`  ${line}`)))];
}

interface Made {
  readonly title: string;
  readonly spare?: number;
  readonly cells: readonly string[];
}

/** The columns that are kept if names need `wanted` characters. Columns without a number are always kept. */
function fitted<Column extends Made>(columns: readonly Column[], wanted: number, width: number) {
  const widths = new Map(columns.map((column) => [column, Math.max(...column.cells.map(widthOf)) + 2]));
  const left: string[] = [];
  let room = columns.reduce((rest, column) => rest - (widths.get(column) ?? 0), width);
  const spare = columns.filter((column) => column.spare !== undefined);
  for (const column of spare.toSorted((a, b) => (a.spare ?? 0) - (b.spare ?? 0))) {
    if (room >= wanted) break;
    room += widths.get(column) ?? 0;
    left.push(column.title);
    widths.delete(column);
  }
  return { kept: columns.filter((column) => widths.has(column)), left, room };
}

export function faintHead([head = '', ...rest]: readonly string[], style: Style): string[] {
  return [style.faint(head), ...rest].map((line) => `  ${line}`);
}
