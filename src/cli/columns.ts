import { toCells } from '../diagnostics/renderers/printable.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';

export type Alignment = 'left' | 'right';

/** Formats rows of cells as aligned lines, with two spaces between columns. The last column is not padded. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): readonly string[] {
  const widths = alignments.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
      return alignments[column] === 'right' ? padding + cell : cell + padding;
    });
    return cells.join('  ').trimEnd();
  });
}

/** Width of a string on the screen, in columns. Color escape sequences have no width. */
export function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- this searches for the escape character
  return toCells(text.replace(/\u001b\[[\d;]*m/g, '')).length;
}

/**
 * Puts `text` and `rest` on one line if both fit. Otherwise, `rest` starts on a new line and is wrapped and indented.
 */
export function folded(text: string, rest: string, width: number): readonly string[] {
  if (widthOf(text) + 2 + widthOf(rest) <= width) return [`${text}  ${rest}`];
  return [text, ...wrap(rest, width - 4).map((line) => `    ${line}`)];
}

/** A list item, wrapped and indented. Its lines after the first are indented further. */
export function hanging(text: string, width: number): readonly string[] {
  return wrap(text, width - 4).map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`));
}
