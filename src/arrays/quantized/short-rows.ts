/**
 * Quantizes arrays whose rows are short and have scales of their own. Calling an encoder for each row would take longer
 * than the actual quantization, so scales and products are computed here, and an encoder rounds the products of many
 * rows at a time. The results are the same as with one call per row.
 */
import { singleAt } from '../../base/typed-reads.ts';
import type { FormatName } from '../../numerics/formats.ts';
import { singlesOf, type SourceArray, type SourceFormat } from '../elements/source-values.ts';
import { type BlockEncoder, chunkElements } from './block-encoder.ts';
import type { Scheme } from './block-formats.ts';
import type { Layout } from './quantized-array.ts';
import {
  type MxRule,
  mxFactor,
  mxScale,
  nvfp4Factor,
  nvfp4Scale,
  plainFactor,
  type TensorScale,
} from './scale-rules.ts';

/**
 * Rows with fewer elements than this are considered short. For longer rows, it is faster to call an encoder for each
 * row.
 */
const shortRow = 256;

/** The codes of this many rows always fill whole bytes. */
const byteRows = 8;

/** Whether an array has many short rows, none of which shares a scale or a block with another row. */
export function hasShortRows({ block }: Scheme, { rows, columns, tileRows, tileColumns }: Layout): boolean {
  const isOneRun = block !== null && columns % tileColumns === 0;
  return rows > 1 && tileRows === 1 && columns > 0 && columns < shortRow && !isOneRun;
}

/** Allocates an array for `count` scales of a scheme. */
export function scalesFor({ scale }: Scheme, count: number): Uint8Array | Float32Array {
  return scale === 'f32' ? new Float32Array(count) : new Uint8Array(count);
}

/** Stores the scale with the given index, and returns the factor by which its elements are multiplied. */
export type TakeScale = (index: number, amax: number) => number;

/** @param tensor the scale of the whole tensor, for NVFP4 */
export function scaleTaker(
  { element, scale }: Scheme,
  scales: Uint8Array | Float32Array,
  tensor: TensorScale | null,
  rule: MxRule = 'floor',
): TakeScale {
  if (scale === 'f32') return plainTaker(element, scales);
  return (index, amax) => {
    const code = tensor === null ? mxScale(rule, element, amax) : nvfp4Scale(tensor, amax);
    scales[index] = code;
    return tensor === null ? mxFactor(code) : nvfp4Factor(tensor, code);
  };
}

function plainTaker(element: FormatName, scales: Uint8Array | Float32Array): TakeScale {
  return (index, amax) => {
    const factor = plainFactor(element, amax);
    scales[index] = 1 / factor;
    return factor;
  };
}

/** The destination for the codes of an array, and the encoder that turns products into codes. */
interface Codes {
  readonly codes: Uint8Array;
  /** Width of a code in bits. */
  readonly bits: number;
  readonly encoder: BlockEncoder;
}

export function encodeShortRows(
  { source, from }: { readonly source: SourceArray; readonly from: SourceFormat },
  { rows, columns, tileColumns }: Layout,
  take: TakeScale,
  { codes, bits, encoder }: Codes,
): void {
  const [room, products] = [new Float32Array(chunkElements), new Float32Array(chunkElements)];
  const chunkRows = Math.floor(chunkElements / columns / byteRows) * byteRows;
  let index = 0;
  for (let top = 0; top < rows; top += chunkRows) {
    const [start, end] = [top * columns, Math.min(top + chunkRows, rows) * columns];
    const values = singlesOf(source.subarray(start, end), from, room);
    index = scaleRows(values, products, { columns, tileColumns }, take, index);
    const part = codes.subarray((start * bits) / 8, Math.ceil((end * bits) / 8));
    encoder.encodeScaled(products.subarray(0, end - start), end - start, one, part);
  }
}

/** Products are already scaled. Multiplying them by 1 does not change them. */
const one = Float32Array.of(1);

/** Multiplies each block by its factor, and returns the index of the next scale. */
function scaleRows(
  values: Float32Array,
  products: Float32Array,
  { columns, tileColumns }: Pick<Layout, 'columns' | 'tileColumns'>,
  take: TakeScale,
  firstScale: number,
): number {
  let index = firstScale;
  let rowEnd = 0;
  for (let first = 0; first < values.length; ) {
    if (first === rowEnd) rowEnd += columns;
    const end = Math.min(first + tileColumns, rowEnd);
    const factor = take(index, largestIn(values, first, end));
    for (; first < end; first++) products[first] = singleAt(values, first) * factor;
    index += 1;
  }
  return index;
}

/** A comparison with a NaN is false, so NaNs are ignored. */
function largestIn(values: Float32Array, from: number, end: number): number {
  let most = 0;
  for (let i = from; i < end; i++) {
    const magnitude = Math.abs(singleAt(values, i));
    if (magnitude > most) most = magnitude;
  }
  return most;
}
