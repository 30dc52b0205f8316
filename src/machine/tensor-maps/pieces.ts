/** The pieces in which a part of a tensor is copied between global and shared memory. */
import { elementAt } from '../../base/element-at.ts';
import { isPadded, type Swizzle } from '../../isa/tensor-map-fields.ts';
import { isInOddLine, swizzled } from '../swizzle.ts';
import { type PartPlace, rowsOf } from './box-rows.ts';
import { rowLength, type TensorMap } from './tensor-map.ts';

/** Adjacent bytes. */
export interface Piece {
  /** Address in shared memory. */
  readonly shared: number;
  /** Address in global memory; null for elements outside the tensor. */
  readonly global: bigint | null;
  /** The number of bytes in global memory. */
  readonly bytes: number;
}

/** The bits of 8 bytes that lie outside the tensor. */
export function fillOf({ element, fillsWithNan }: TensorMap): bigint {
  return (fillsWithNan ? element.nan : null) ?? 0n;
}

/** Where the byte at an address is in shared memory. */
function placeOf(address: number, swizzle: Swizzle): number {
  const moved = swizzled(address, swizzle);
  return swizzle.flips && isInOddLine(address) ? moved ^ 8 : moved;
}

/**
 * Yields the pieces of a part of a tensor, which begins at the address `shared` of shared memory, row by row. A piece
 * has at most 16 bytes, and is a whole group if groups are padded.
 */
export function* piecesOf(map: TensorMap, place: PartPlace, shared: number): Generator<Piece> {
  const { element, swizzle } = map;
  const inRow = (rowLength(map) / element.group) * element.sharedBytes;
  const chunk = swizzle.flips ? 8 : 16;
  const first = elementAt(place.coordinates, 0) / element.group;
  let row = shared;
  for (const start of rowsOf(map, place)) {
    for (let at = 0; at < inRow; at += chunk)
      yield* piecesOfChunk(map, start, first + at / element.sharedBytes, {
        address: placeOf(row + at, swizzle),
        bytes: Math.min(chunk, inRow - at),
      });
    row += inRow;
  }
}

/** Bytes in shared memory that stay together. */
interface Chunk {
  readonly address: number;
  readonly bytes: number;
}

/** `first` is the number of the chunk's first group along the innermost dimension. */
function* piecesOfChunk(
  { element, dimensions }: TensorMap,
  start: bigint | null,
  first: number,
  chunk: Chunk,
): Generator<Piece> {
  const { bytes, sharedBytes, group } = element;
  const count = chunk.bytes / sharedBytes;
  const size = elementAt(dimensions, 0) / group;
  const addressOf = (at: number): bigint | null =>
    start === null || at < 0 || at >= size ? null : start + BigInt(at) * BigInt(bytes);
  const [global, last] = [addressOf(first), addressOf(first + count - 1)];
  const isAligned = global !== null && last !== null && global % BigInt(chunk.bytes) === 0n;
  const isWhole = !isPadded(element) && chunk.bytes % 8 === 0 && (isAligned || start === null);
  if (isWhole) {
    yield { shared: chunk.address, global, bytes: chunk.bytes };
    return;
  }
  for (let i = 0; i < count; i++)
    yield { shared: chunk.address + i * sharedBytes, global: addressOf(first + i), bytes };
}
