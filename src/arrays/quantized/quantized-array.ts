/** A quantized array: codes, scales and their layout. */
import { PtxlabError } from '../../base/error.ts';
import { shown } from '../../base/rules.ts';
import { tagOf } from '../../base/tag-of.ts';
import { formats } from '../../numerics/formats.ts';
import { type Scheme, schemes } from './block-formats.ts';
import { type Packing, storageOf } from '../storage.ts';

/**
 * Which elements share an f32 scale: all elements of the array, those in one row along the last axis, or those in one
 * tile of 128 x 128 elements.
 */
export type Granularity = 'tensor' | 'row' | 'tile';

export const granularities: readonly Granularity[] = ['tensor', 'row', 'tile'];

/**
 * The packings that `convert` supports, except `high-first`: quantized codes are never stored with the first element in
 * the topmost bits of a byte.
 */
export type CodePacking = Exclude<Packing, 'high-first'>;

/** The array viewed as a matrix, where `columns` is the extent of the last axis. */
export interface Layout {
  readonly shape: readonly number[];
  readonly rows: number;
  readonly columns: number;
  /** Which elements share an f32 scale; null for schemes whose scales belong to blocks. */
  readonly granularity: Granularity | null;
  /**
   * The number of rows and columns in a tile. The elements of a tile share a scale. Tiles at the edges of the array may
   * be smaller.
   */
  readonly tileRows: number;
  readonly tileColumns: number;
  /** Number of rows and columns in the matrix of scales. */
  readonly scaleRows: number;
  readonly scaleColumns: number;
}

export interface QuantizedArray {
  readonly scheme: Scheme;
  readonly layout: Layout;
  /** How codes are stored, without padding between rows; 8-bit elements are always `bytes`. */
  readonly packing: CodePacking;
  readonly codes: Uint8Array;
  /**
   * One scale per tile, row by row. Depending on the scheme, these are ue8m0 or e4m3 codes, one per byte, or f32
   * values.
   */
  readonly scales: Uint8Array | Float32Array;
  /** For NVFP4, the factor by which every scale is multiplied; 1 for other schemes. */
  readonly tensorScale: number;
}

/**
 * Throws `bad-quantized` if this value is malformed, so that it cannot be a result of `quantize`. Callers may have
 * built it themselves or restored it from JSON.
 */
export function requireQuantized(
  quantized: Partial<QuantizedArray> | null | undefined,
): asserts quantized is QuantizedArray {
  const wrong = whatIsWrong(quantized);
  if (wrong !== null) throw new PtxlabError('bad-quantized', `not a result of quantize: ${wrong}`);
}

function whatIsWrong(quantized: Partial<QuantizedArray> | null | undefined): string | null {
  const { scheme, layout, packing, codes, scales, tensorScale } = quantized ?? {};
  const known = isObject(scheme) ? schemes.get(scheme.name) : undefined;
  if (known === undefined || !isObject(layout)) return 'it has no scheme or no layout';
  if (packing !== 'bytes' && packing !== 'low-first') return `packing is ${shown(packing)}`;
  if (typeof tensorScale !== 'number') return `tensorScale is ${shown(tensorScale)}`;
  const { rows, columns, tileRows, tileColumns, scaleRows, scaleColumns } = layout;
  const isTiled = Math.ceil(rows / tileRows) === scaleRows && Math.ceil(columns / tileColumns) === scaleColumns;
  if (!isTiled || !Number.isSafeInteger(rows * columns)) return 'the numbers of its layout are inconsistent';
  const bits = packing === 'bytes' ? 8 : formats[known.element].width;
  return (
    wrongArray('codes', codes, 'Uint8Array', Math.ceil((rows * columns * bits) / 8)) ??
    wrongArray('scales', scales, known.scale === 'f32' ? 'Float32Array' : 'Uint8Array', scaleRows * scaleColumns)
  );
}

function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null;
}

type Numbers = Uint8Array | Float32Array;

function wrongArray(name: string, found: Numbers | undefined, kind: string, length: number): string | null {
  if (found === undefined || tagOf(found) !== kind) return `${name} are ${shown(found)}, not a ${kind}`;
  return found.length >= length ? null : `there are ${found.length} ${name} instead of ${length}`;
}

/** The number of rows and the number of columns in a tile. */
const tile = 128;

/** Throws bad-shape if the product of the extents in `shape` is not `length`. */
export function layoutOf(
  scheme: Scheme,
  length: number,
  shape: readonly number[] = [length],
  granularity: Granularity = 'tensor',
): Layout {
  if (!Array.isArray(shape))
    throw new PtxlabError('bad-shape', `a shape must be a list of extents, not ${shown(shape)}`);
  if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) throw badShape(shape, length);
  const columns = shape.at(-1) ?? 1;
  const rows = shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  if (rows * columns !== length) throw badShape(shape, length);
  const [tileRows, tileColumns] = tileOf(scheme, granularity, rows, columns);
  return {
    shape: [...shape],
    rows,
    columns,
    granularity: scheme.block === null ? granularity : null,
    tileRows,
    tileColumns,
    scaleRows: Math.ceil(rows / tileRows),
    scaleColumns: Math.ceil(columns / tileColumns),
  };
}

function badShape(shape: readonly number[], length: number): PtxlabError {
  return new PtxlabError('bad-shape', `shape (${shape.join(', ')}) does not have ${length} elements`);
}

function tileOf(
  { block }: Scheme,
  granularity: Granularity,
  rows: number,
  columns: number,
): readonly [rows: number, columns: number] {
  if (block !== null) return [1, block];
  switch (granularity) {
    case 'tensor':
      return [Math.max(rows, 1), Math.max(columns, 1)];
    case 'row':
      return [1, Math.max(columns, 1)];
    case 'tile':
      return [tile, tile];
  }
}

/**
 * Returns the requested packing. The default is the usual packing of the format: dense for fp4, int4 and int2, and one
 * element per byte for fp6. Throws bad-packing.
 */
export function codePacking({ element }: Scheme, asked: Packing | undefined): CodePacking {
  const { dense, highFirst } = storageOf(element, asked);
  if (highFirst) throw new PtxlabError('bad-packing', "codes are 'bytes' or 'low-first', not 'high-first'");
  return dense ? 'low-first' : 'bytes';
}
