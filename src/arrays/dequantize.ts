/** Codes and scales back to values. */
import { PtxlabError } from '../base/error.ts';
import { formats } from '../numerics/formats.ts';
import { unpackCodes } from './bit-packing.ts';
import { chunkElements } from './block-encoder.ts';
import { valuesOf } from './element-codes.ts';
import { blockDecoder } from './encoders.ts';
import type { Layout, QuantizedArray } from './quantized-array.ts';

export interface DequantizeOptions {
  /** Where to write, as long as the array. */
  readonly out?: Float32Array | undefined;
  /** `plain` never uses WebAssembly. Results are the same. */
  readonly engine?: 'plain' | undefined;
}

/**
 * The values of a quantized array as f32: code times scale, one f32 product. The scale is exact where it is ue8m0; of
 * NVFP4 it is the f32 product of the block's and the tensor's. With ue8m0 scales the product is exact unless it leaves
 * the range of f32. Codes and scales that are NaN give 0x7fffffff. Throws `bad-output` where `out` has another length.
 */
export function dequantize(quantized: QuantizedArray, { out, engine }: DequantizeOptions = {}): Float32Array {
  const { rows, columns } = quantized.layout;
  const result = out ?? new Float32Array(rows * columns);
  if (result.length !== rows * columns) {
    throw new PtxlabError('bad-output', `${rows * columns} values do not fit an output of ${result.length}`);
  }
  for (const piece of piecesOf(quantized.layout)) {
    decodePiece(quantized, piece, result.subarray(piece.at, piece.at + piece.count), engine === 'plain');
  }
  return result;
}

/** Elements that follow each other, at most `chunkElements`, and the scales that belong to them, one a block. */
export interface Piece {
  readonly at: number;
  readonly count: number;
  readonly block: number;
  readonly firstScale: number;
}

/** All of an array, in order. */
export function* piecesOf(layout: Layout): Generator<Piece> {
  for (const { at, count, block, firstScale } of runsOf(layout)) {
    for (let start = 0; start < count; start += chunkElements) {
      const length = Math.min(chunkElements, count - start);
      const isCut = block >= chunkElements;
      yield {
        at: at + start,
        count: length,
        block: isCut ? length : block,
        firstScale: firstScale + (isCut ? Math.floor(start / block) : start / block),
      };
    }
  }
}

/** Rows whose scales follow each other, or one scale's rows, are one run. */
function* runsOf({ rows, columns, tileRows, tileColumns, scaleRows, scaleColumns }: Layout): Generator<Piece> {
  if (rows * columns === 0) return;
  if (tileColumns >= columns && scaleColumns === 1) {
    for (let scaleRow = 0; scaleRow < scaleRows; scaleRow++) {
      const at = scaleRow * tileRows * columns;
      const count = Math.min(tileRows, rows - scaleRow * tileRows) * columns;
      yield { at, count, block: count, firstScale: scaleRow };
    }
  } else if (tileRows === 1 && columns % tileColumns === 0) {
    yield { at: 0, count: rows * columns, block: tileColumns, firstScale: 0 };
  } else {
    for (let row = 0; row < rows; row++) {
      const firstScale = Math.floor(row / tileRows) * scaleColumns;
      yield { at: row * columns, count: columns, block: tileColumns, firstScale };
    }
  }
}

const codeRoom = new Uint8Array(chunkElements);
const factorRoom = new Float32Array(chunkElements / 16);

/** `dequantize` of a piece. */
export function decodePiece(
  quantized: QuantizedArray,
  { at, count, block, firstScale }: Piece,
  out: Float32Array,
  plain = false,
): void {
  const { scheme, codes, packing } = quantized;
  const { element } = scheme;
  const factors = factorRoom.subarray(0, Math.ceil(count / block));
  scalesFrom(quantized, firstScale, factors);
  const bits = packing === 'bytes' ? 8 : formats[element].width;
  if ((at * bits) % 8 === 0) {
    blockDecoder(element, packing === 'low-first', plain).decode(codes.subarray((at * bits) / 8), block, factors, out);
    return;
  }
  const bytes = codeRoom.subarray(0, count);
  unpackCodes(codes, bits, bytes, at);
  blockDecoder(element, false, plain).decode(bytes, block, factors, out);
}

/** What the codes of scales from the first on are multiplied by, as f32; as many as `factors` has. */
export function scalesFrom(
  { scheme, scales, tensorScale }: QuantizedArray,
  first: number,
  factors: Float32Array,
): void {
  const { scale } = scheme;
  if (scale === 'f32') {
    factors.set(scales.subarray(first, first + factors.length));
    return;
  }
  const values = valuesOf(scale);
  for (let i = 0; i < factors.length; i++) {
    factors[i] = (values[scales[first + i] as number] as number) * tensorScale;
  }
}
