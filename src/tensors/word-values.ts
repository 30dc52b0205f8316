/**
 * Reads matrices of small integers that are packed into 32-bit words. A value is (code - zero point) * scale.
 * `checkpoints/word-layouts.ts` describes the layouts. While a matrix is read, all of its words, scales and zero points
 * are in memory, because some layouts store a matrix by columns.
 */
import { elementAt } from '../base/element-at.ts';
import { doubleAt, wordAt } from '../base/typed-reads.ts';
import { readBytes } from './bytes.ts';
import type { WordLayout } from './checkpoints/word-layouts.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { refuseScale, type ScaleRule, type TensorValues, tensorValues } from './tensor-values.ts';

export interface PackedWords {
  readonly layout: WordLayout;
  readonly bits: 2 | 4 | 8;
  readonly rows: number;
  readonly columns: number;
  readonly codes: TensorEntry;
  /** The zero points; null if every zero point is 2^(bits - 1), the middle of the range of codes. */
  readonly zeros: TensorEntry | null;
  /** The tensor that contains the group index of each column; null if each group consists of consecutive columns. */
  readonly groupIndex: TensorEntry | null;
  /** The version of GPTQ's format that the checkpoint specifies; null if it does not specify one. */
  readonly gptq: 1 | 2 | null;
}

/** A matrix with its scales. */
export interface WordScales {
  readonly scale: TensorEntry;
  /** The number of rows and the number of columns that share a scale. */
  readonly groups: readonly number[];
  readonly words: PackedWords;
}

/**
 * The values of a matrix as f64. The values are exact if the scales have at most 45 bits of precision.
 *
 * @throws TensorFileError `bad-scale` if `rule` does not allow one of the scales, `bad-data` if the group of a column
 *   has no scale
 */
export async function wordValues(
  file: TensorFile,
  { elements, format }: TensorEntry,
  scales: WordScales,
  rule: ScaleRule,
): Promise<TensorValues> {
  if (format === 'opaque') throw new Error('packed integers have a format');
  const matrix = await matrixOf(file, scales, rule);
  return {
    elements,
    format,
    isScaled: true,
    load: (from, count) => Promise.resolve(() => valuesIn(matrix, from, count)),
  };
}

interface Matrix extends Pick<PackedWords, 'layout' | 'bits' | 'rows' | 'columns'> {
  readonly words: Uint32Array;
  readonly wordsPerLine: number;
  /** Group of each column. */
  readonly groupOf: Int32Array;
  /** Number of groups in a row. The scale and zero point for group g of row r are at index r * groups + g. */
  readonly groups: number;
  readonly factors: Float64Array;
  readonly zeros: Float64Array;
}

async function matrixOf(file: TensorFile, scales: WordScales, rule: ScaleRule): Promise<Matrix> {
  const { scale, words: packed } = scales;
  const { layout, bits, rows, columns, codes } = packed;
  const [rowsPerScale = 1, size = 1] = scales.groups;
  const groups = Math.ceil(columns / size);
  const scaleAt = (row: number, group: number): number => {
    if (rowsPerScale > 1) return group;
    return layout.isTransposed ? group * rows + row : row * groups + group;
  };
  const stored = await allOf(file, scale);
  if (rule === 'refuse' && !stored.every(Number.isFinite)) refuseScale(scale.name);
  const zeros = await zerosOf(file, packed, groups, scaleAt);
  return {
    layout,
    bits,
    rows,
    columns,
    words: await wordsOf(file, codes),
    wordsPerLine: elementAt(codes.shape, 1),
    groupOf: await groupsOf(file, packed, groups, size),
    groups,
    factors: byGroup(rows, groups, (row, group) => doubleAt(stored, scaleAt(row, group))),
    zeros: byGroup(rows, groups, zeros),
  };
}

function byGroup(rows: number, groups: number, valueOf: (row: number, group: number) => number): Float64Array {
  const found = new Float64Array(rows * groups);
  for (let row = 0; row < rows; row++)
    for (let group = 0; group < groups; group++) found[row * groups + group] = valueOf(row, group);
  return found;
}

async function allOf(file: TensorFile, entry: TensorEntry): Promise<Float64Array> {
  return Float64Array.from((await tensorValues(file, entry).load(0, entry.elements))());
}

async function wordsOf(file: TensorFile, entry: TensorEntry): Promise<Uint32Array> {
  const bytes = await readBytes(file.data(entry), 0, entry.byteLength);
  return new Uint32Array(bytes.buffer);
}

/** The zero point of a row and a group, as an unsigned code. */
async function zerosOf(
  file: TensorFile,
  { layout, bits, rows, zeros, gptq }: PackedWords,
  groups: number,
  scaleAt: (row: number, group: number) => number,
): Promise<(row: number, group: number) => number> {
  const [middle, mask] = [2 ** (bits - 1), 2 ** bits - 1];
  if (zeros === null) return () => middle;
  if (zeros.format === 's8') {
    const signed = await allOf(file, zeros);
    return (row, group) => doubleAt(signed, scaleAt(row, group)) + middle;
  }
  const words = await wordsOf(file, zeros);
  const perWord = 32 / bits;
  const lines = Math.ceil(rows / perWord);
  const storedAt = (row: number, group: number): number => {
    const line = Math.floor(row / perWord);
    const word = wordAt(words, layout.isTransposed ? group * lines + line : line * groups + group);
    return (word >>> (bits * placeIn(layout, row % perWord))) & mask;
  };
  if (layout.zeroRule === 'as-is' || gptq === 2) return storedAt;
  if (gptq === null && areAll(words, middle, bits)) return storedAt;
  return (row, group) => (storedAt(row, group) + 1) & mask;
}

/**
 * True if all codes in the words are equal to `code`. In GPTQ's second format, all zero points of a symmetrically
 * quantized matrix are equal to the middle of the range.
 */
function areAll(words: Uint32Array, code: number, bits: number): boolean {
  let pattern = 0;
  for (let shift = 0; shift < 32; shift += bits) pattern |= code << shift;
  return words.every((word) => word === pattern >>> 0);
}

/** Returns the position within a word at which the code with index i is stored. */
function placeIn({ places }: WordLayout, i: number): number {
  return places === null ? i : elementAt(places, i);
}

async function groupsOf(
  file: TensorFile,
  { columns, groupIndex }: PackedWords,
  groups: number,
  size: number,
): Promise<Int32Array> {
  const runs = (): Int32Array => Int32Array.from({ length: columns }, (_, column) => Math.floor(column / size));
  if (groupIndex === null) return runs();
  const found = Int32Array.from(await allOf(file, groupIndex));
  // If the columns have not been reordered, compressed-tensors fills the tensor of group indices with -1.
  if (found.includes(-1)) return runs();
  const wrong = found.findIndex((group) => group < 0 || group >= groups);
  if (wrong < 0) return found;
  const words = `column ${wrong} is in group ${found[wrong]}, but there are ${groups} groups`;
  throw new TensorFileError('bad-data', `${quote(groupIndex.name)}: ${words}`);
}

function valuesIn(matrix: Matrix, from: number, count: number): Float64Array {
  const out = new Float64Array(count);
  const { columns } = matrix;
  for (let i = 0; i < count; ) {
    const [row, column] = [Math.floor((from + i) / columns), (from + i) % columns];
    const length = Math.min(columns - column, count - i);
    readRow(matrix, row, column, out.subarray(i, i + length));
    i += length;
  }
  return out;
}

/** Fills `out` with the values of the given row, starting at the given column. */
function readRow(matrix: Matrix, row: number, column: number, out: Float64Array): void {
  const { layout, bits, words, wordsPerLine, groupOf, groups, factors, zeros } = matrix;
  const [perWord, mask] = [32 / bits, 2 ** bits - 1];
  const isAlongRows = layout.along === 'rows';
  const rowShift = isAlongRows ? bits * placeIn(layout, row % perWord) : 0;
  const line = isAlongRows ? Math.floor(row / perWord) : row;
  for (let i = 0; i < out.length; i++) {
    const at = column + i;
    const across = isAlongRows ? at : Math.floor(at / perWord);
    const shift = isAlongRows ? rowShift : bits * placeIn(layout, at % perWord);
    const word = wordAt(words, layout.isTransposed ? across * wordsPerLine + line : line * wordsPerLine + across);
    const group = row * groups + elementAt(groupOf, at);
    out[i] = (((word >>> shift) & mask) - doubleAt(zeros, group)) * doubleAt(factors, group);
  }
}
