/**
 * Makes program text safe to print to a terminal. Programs are untrusted: an escape sequence in a comment must not move
 * the cursor, and bidirectional control characters must not reorder what a reader sees.
 */
import { codePointAt } from '../../base/source-text.ts';

const tabStop = 4;

const invisible = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/**
 * One entry per screen column. A wide character leaves the cell after it empty; a tab advances to the next multiple of
 * four columns.
 */
export type Cells = readonly string[];

/**
 * Splits a line into cells, one for each column that the line takes up on the screen. The line starts at column `from`.
 */
export function toCells(line: string, from = 0): Cells {
  const cells: string[] = [];
  for (const character of line) {
    if (character === '\t') {
      const width = tabStop - ((from + cells.length) % tabStop);
      for (let i = 0; i < width; i++) cells.push(' ');
      continue;
    }
    cells.push(visible(character));
    if (isWide(codePointAt(character, 0))) cells.push('');
  }
  return cells;
}

/** The text on one line, with every control character replaced by a visible symbol. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- this pattern looks for control characters
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text) && !invisible.test(text)) return text;
  return Array.from(text, (character) => visible(character)).join('');
}

function visible(character: string): string {
  const code = codePointAt(character, 0);
  if (code < 32) return String.fromCharCode(0x2400 + code);
  if (code === 127) return '\u2421';
  if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || invisible.test(character)) return '\ufffd';
  return character;
}

/** Ranges of East Asian wide characters and emoji, each given by its first and last code points. */
const wideBlocks: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return code >= 0x1100 && wideBlocks.some(([first, last]) => code >= first && code <= last);
}
