/** Codes and scales back to values. */
import { PtxlabError } from '../base/error.ts';
import { formats } from '../numerics/formats.ts';
import { unpackCodes } from './bit-packing.ts';
import { valuesOf } from './element-codes.ts';
import type { QuantizedArray } from './quantized-array.ts';

/**
 * The values of a quantized array as f32: code times scale, one f32 product. The scale is exact where it is ue8m0; of
 * NVFP4 it is the f32 product of the block's and the tensor's. With ue8m0 scales the product is exact unless it leaves
 * the range of f32. `out`: where to write, as long as the array (else bad-output). Codes and scales that are NaN give NaN.
 */
export function dequantize(quantized: QuantizedArray, out?: Float32Array): Float32Array {
  const { rows, columns } = quantized.layout;
  const result = out ?? new Float32Array(rows * columns);
  if (result.length !== rows * columns) {
    throw new PtxlabError('bad-output', `${rows * columns} values do not fit an output of ${result.length}`);
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column += longestSpan) {
      const end = Math.min(column + longestSpan, columns);
      dequantizeSpan(quantized, row, column, result.subarray(row * columns + column, row * columns + end));
    }
  }
  return result;
}

/** Elements that `dequantizeSpan` takes at most. */
export const longestSpan = 4096;
const codeRoom = new Uint8Array(longestSpan);

/** `dequantize` of as many elements of a row as `out` has. */
export function dequantizeSpan(quantized: QuantizedArray, row: number, column: number, out: Float32Array): void {
  const { tileColumns, columns } = quantized.layout;
  const codes = codeRoom.subarray(0, out.length);
  readCodes(quantized, row * columns + column, codes);
  const values = valuesOf(quantized.scheme.element);
  for (let at = 0; at < out.length; ) {
    const end = Math.min(out.length, tileEnd(column + at, tileColumns) - column);
    const scale = scaleAt(quantized, row, column + at);
    for (; at < end; at++) out[at] = (values[codes[at] as number] as number) * scale;
  }
}

/** The column behind the tile that a column is in. */
export function tileEnd(column: number, tileColumns: number): number {
  return (Math.floor(column / tileColumns) + 1) * tileColumns;
}

function readCodes({ scheme, packing, codes }: QuantizedArray, at: number, to: Uint8Array): void {
  const { width } = formats[scheme.element];
  if (packing === 'bytes') to.set(codes.subarray(at, at + to.length));
  else unpackCodes(codes, width, to, at);
}

/** What the codes of the tile at a place are multiplied by, as f32. */
export function scaleAt({ scheme, layout, scales, tensorScale }: QuantizedArray, row: number, column: number): number {
  const index = Math.floor(row / layout.tileRows) * layout.scaleColumns + Math.floor(column / layout.tileColumns);
  const scale = scales[index] as number;
  switch (scheme.scale) {
    case 'f32':
      return scale;
    case 'ue8m0':
      return valuesOf('ue8m0')[scale] as number;
    case 'e4m3':
      return Math.fround((valuesOf('e4m3')[scale] as number) * tensorScale);
  }
}
