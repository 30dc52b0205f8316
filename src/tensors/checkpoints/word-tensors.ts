/** Finds matrices whose integers are packed into 32-bit words. */
import { groupingOf, type Scales } from '../scales.ts';
import type { ModelHints, TensorEntry } from '../tensor-file.ts';
import { isReadable } from '../tensor-values.ts';
import { formats } from '../../numerics/formats.ts';
import type { WordLayout } from './word-layouts.ts';

export interface WordTensor {
  readonly entry: TensorEntry;
  readonly scales: Scales;
  /** The tensors in which the matrix is stored; the codes come first. */
  readonly parts: readonly TensorEntry[];
}

/** The tensors in which a matrix is stored. */
interface Stored {
  readonly codes: TensorEntry;
  readonly scale: TensorEntry;
  readonly zeros: TensorEntry | null;
  readonly groupIndex: TensorEntry | null;
}

/**
 * Returns the matrix whose codes are in the tensor `codes`; null if this tensor does not belong to a matrix in the
 * given layout.
 */
export function wordTensorIn(
  layout: WordLayout,
  codes: TensorEntry,
  byName: ReadonlyMap<string, TensorEntry>,
  hints: ModelHints,
): WordTensor | null {
  if (!codes.name.endsWith(layout.codes) || !areWords(codes) || codes.shape.length !== 2) return null;
  const base = codes.name.slice(0, codes.name.length - layout.codes.length);
  const scale = byName.get(base + layout.scale);
  const name = base + layout.name;
  if (scale === undefined || !isFloat(scale) || byName.has(name)) return null;
  const zeros = byName.get(base + layout.zeros) ?? null;
  const groupIndex = byName.get(base + layout.groupIndex) ?? null;
  const shape = layout.shape === null ? null : (byName.get(base + layout.shape) ?? null);
  const stored: Stored = { codes, scale, zeros, groupIndex };
  const matrix =
    layout.shape === null ? sharedMatrix(layout, stored) : matrixOf(hints.shapes.get(shape?.name ?? ''), stored);
  if (matrix === null) return null;
  const { bits, rows, columns } = matrix;
  const entry = {
    ...codes,
    name,
    dtype: `I${bits}`,
    ...elementsOf(bits),
    shape: [rows, columns],
    elements: rows * columns,
  };
  const grouping = groupsIn(matrix, layout.isTransposed ? scale.shape.toReversed() : scale.shape);
  if (grouping === null || !doZerosFit(layout, stored, matrix)) return null;
  if (groupIndex !== null && (groupIndex.elements !== columns || !isReadable(groupIndex))) return null;
  const words = { ...matrix, layout, codes, zeros, groupIndex, gptq: hints.gptq };
  const parts = [codes, scale, zeros, groupIndex, shape].filter((part) => part !== null);
  return { entry, scales: { scale, second: null, grouping, words }, parts };
}

interface Matrix {
  readonly bits: 2 | 4 | 8;
  readonly rows: number;
  readonly columns: number;
}

function elementsOf(bits: Matrix['bits']): Pick<TensorEntry, 'format' | 'packing'> {
  return bits === 8 ? { format: 's8', packing: 'whole' } : { format: bits === 4 ? 's4' : 's2', packing: 'dense' };
}

/**
 * Determines the width of the codes in a layout in which each word contains consecutive codes of a row. The last word
 * of a row may be incomplete. If there are so few columns that several widths are possible, 4 bits is assumed, because
 * that is the most common width.
 */
function matrixOf([rows = 0, columns = 0]: readonly number[] = [], { codes }: Stored): Matrix | null {
  const [storedRows, wordsPerRow] = codes.shape;
  const bits = ([4, 8, 2] as const).find((one) => Math.ceil((columns * one) / 32) === wordsPerRow);
  return bits === undefined || rows !== storedRows ? null : { bits, rows, columns };
}

/**
 * Determines the shape of a matrix in the layout of GPTQ or AWQ. The shape of the scales is [groups, rows], and the
 * codes fill whole words.
 */
function sharedMatrix({ along }: WordLayout, { codes, scale, zeros }: Stored): Matrix | null {
  const [down = 0, across = 0] = codes.shape;
  const [groups = 0, rows = 0] = scale.shape;
  const [zeroGroups, zeroWords = 0] = zeros?.shape ?? [];
  if (scale.shape.length !== 2 || rows === 0 || down === 0 || zeroGroups !== groups) return null;
  const bits = ([2, 4, 8] as const).find((one) => rows * one === 32 * zeroWords);
  if (bits === undefined) return null;
  if (along === 'columns') return across === rows ? { bits, rows, columns: (down * 32) / bits } : null;
  return bits === 4 && across === zeroWords ? { bits, rows, columns: down } : null;
}

/**
 * Determines which elements share a scale. There is one scale for the matrix, one for each row, or one for each group
 * of columns in a row.
 */
function groupsIn(
  { rows, columns }: Matrix,
  [down = 1, across = 1, ...more]: readonly number[],
): Scales['grouping'] | null {
  const shape = [rows, columns];
  if (down === 1 && across === 1 && more.length === 0) return { shape, groups: shape };
  if (down !== rows || more.length > 0) return null;
  // If the number of columns is not a multiple of the number of groups, the group size must be one of `usualGroups`.
  const size =
    columns % across === 0 ? columns / across : groupingOf(shape, { elements: 2, shape: [rows, across] })?.groups[1];
  return size === undefined ? null : { shape, groups: [1, size] };
}

/**
 * Whether the number of zero points is correct, and whether they are stored as expected: packed into words, or as one
 * signed byte each.
 */
function doZerosFit({ isTransposed }: WordLayout, { scale, zeros }: Stored, { bits, rows }: Matrix): boolean {
  if (zeros === null) return !isTransposed;
  if (isTransposed) return areWords(zeros);
  const perRow = scale.elements / rows;
  if (zeros.format === 's8') return zeros.elements === scale.elements;
  return areWords(zeros) && Number.isInteger(perRow) && zeros.elements === Math.ceil((rows * bits) / 32) * perRow;
}

function areWords({ format, packing }: TensorEntry): boolean {
  return packing === 'whole' && (format === 's32' || format === 'u32');
}

function isFloat(entry: TensorEntry): boolean {
  return isReadable(entry) && entry.format !== 'opaque' && formats[entry.format].kind === 'float';
}
