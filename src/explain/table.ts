import { elementAt } from '../base/element-at.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';

/**
 * Formats rows of cells as aligned lines. Every column except the last is as wide as its widest cell. The last column
 * is wrapped at `width`, and its lines are aligned with each other.
 */
export function table(rows: readonly (readonly string[])[], width: number, indent = 2): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...rows.map((row) => (i < row.length - 1 ? elementAt(row, i).length : 0))),
  );
  return rows.flatMap((row) => {
    const head = row.slice(0, -1).map((cell, i) => cell.padEnd(elementAt(widths, i) + 2));
    const start = ' '.repeat(indent) + head.join('');
    const [first = '', ...rest] = wrap(row[row.length - 1] ?? '', Math.max(20, width - start.length));
    return [(start + first).trimEnd(), ...rest.map((line) => ' '.repeat(start.length) + line)];
  });
}

/** Wraps a syntax line onto as many lines as it needs; a long mnemonic is broken before one of its dots. */
export function wrapSyntax(syntax: string, width: number): readonly string[] {
  return wrap(syntax, width).flatMap((line) => (line.length <= width ? [line] : breakMnemonic(line, width)));
}

function breakMnemonic(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of text.split(/(?=\{)|(?<!\{)(?=\.)/)) {
    if (line !== '' && line.length + part.length > width) {
      lines.push(line);
      line = '';
    }
    line += part;
  }
  return [...lines, line];
}
