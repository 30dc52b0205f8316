/** Draws bit fields as text. */
import { list, type Rule, shaped, text } from '../base/rules.ts';
import { elementAt } from '../base/element-at.ts';
import type { Field, LanePicture } from './lanes.ts';
import { table } from './table.ts';

/** The characters used to draw pictures. */
export interface Glyphs {
  readonly horizontal: string;
  readonly vertical: string;
  /** The left corner, the joint between two fields, and the right corner of the upper or the lower edge. */
  readonly top: readonly [string, string, string];
  readonly bottom: readonly [string, string, string];
  readonly arrow: string;
}

export const glyphsRule: Rule<Glyphs> = shaped<Glyphs>('an object with the characters used to draw pictures', {
  horizontal: text,
  vertical: text,
  top: list,
  bottom: list,
  arrow: text,
});

export const boxGlyphs: Glyphs = {
  horizontal: '\u2500',
  vertical: '\u2502',
  top: ['\u250c', '\u252c', '\u2510'],
  bottom: ['\u2514', '\u2534', '\u2518'],
  arrow: '\u2192',
};

/** The characters for terminals and logs that do not support UTF-8. */
export const asciiGlyphs: Glyphs = {
  horizontal: '-',
  vertical: '|',
  top: ['+', '+', '+'],
  bottom: ['+', '+', '+'],
  arrow: '->',
};

const columnsPerBit = 2;

/**
 * Draws the fields of an operand as a row of boxes, with the high bits on the left and the bit numbers above the boxes;
 * the row is at most `width` columns wide. If the labels need more space, each field gets its own line.
 */
export function drawPicture(picture: LanePicture, width: number, glyphs: Glyphs, margin: number): readonly string[] {
  const fields = picture.fields.map((field) => ({ ...field, label: field.label.replaceAll('\u2192', glyphs.arrow) }));
  const inner = boxWidths(fields, Math.min(width - margin - 1, picture.width * columnsPerBit + fields.length));
  const total = inner.reduce((sum, columns) => sum + columns + 1, margin + 1);
  const name = picture.operand.padStart(margin - 1).padEnd(margin);
  if (total > width) return listFields(picture.operand, fields, width, margin);
  const blank = ' '.repeat(margin);
  const edge = ([left, joint, right]: Glyphs['top']): string =>
    blank + left + inner.map((columns) => glyphs.horizontal.repeat(columns)).join(joint) + right;
  const cells = fields.map((field, i) => ` ${field.label}`.padEnd(elementAt(inner, i)));
  return [
    `${blank} ${fields.map((field, i) => ruler(field, elementAt(inner, i))).join(' ')}`.trimEnd(),
    edge(glyphs.top),
    name + glyphs.vertical + cells.join(glyphs.vertical) + glyphs.vertical,
    edge(glyphs.bottom),
  ];
}

/**
 * Returns the number of columns inside each box. Every box gets the columns that its label needs, and the remaining
 * columns are distributed in proportion to the number of bits.
 */
function boxWidths(fields: readonly Field[], available: number): readonly number[] {
  const needed = fields.map((field) => Math.max(field.label.length + 2, rulerWidth(field)));
  const bits = fields.reduce((sum, { high, low }) => sum + high - low + 1, 0);
  const spare = available - fields.length - needed.reduce((sum, columns) => sum + columns, 0);
  if (spare <= 0) return needed;
  const wished = fields.map(({ high, low }) => Math.floor(((high - low + 1) / bits) * (available - fields.length)));
  const lacking = wished.map((wish, i) => Math.max(0, wish - elementAt(needed, i)));
  const sum = lacking.reduce((total, columns) => total + columns, 0);
  if (sum === 0) return needed;
  return needed.map((columns, i) => columns + Math.floor((elementAt(lacking, i) * Math.min(spare, sum)) / sum));
}

function rulerWidth({ high, low }: Field): number {
  return high === low ? String(low).length : String(high).length + String(low).length + 1;
}

function ruler({ high, low }: Field, columns: number): string {
  if (high === low) return String(low).padEnd(columns);
  return String(high) + String(low).padStart(columns - String(high).length);
}

function listFields(operand: string, fields: readonly Field[], width: number, margin: number): readonly string[] {
  return table(
    fields.map(({ high, low, label }) => [`${operand}[${high}:${low}]`, label]),
    width,
    margin,
  );
}
