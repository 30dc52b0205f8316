/** Divides a quantized array into consecutive pieces, and determines which scales belong to each piece. */
import { chunkElements } from './quantized/block-encoder.ts';
import type { Layout } from './quantized/quantized-array.ts';

/** At most `chunkElements` consecutive elements, and their scales, one per block. */
export interface Piece {
  readonly at: number;
  readonly count: number;
  readonly block: number;
  readonly firstScale: number;
}

/** All pieces of an array, in order. */
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

/**
 * Divides an array into runs of consecutive elements. Rows that share a single scale form one run. If blocks are one
 * row high and every row is divided into whole blocks, the whole array is one run. Otherwise, each row is a run of its
 * own.
 */
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
