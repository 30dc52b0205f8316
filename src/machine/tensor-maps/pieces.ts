/** The pieces in which a part of a tensor is copied between global and shared memory. */
import { elementAt } from '../../base/element-at.ts';
import { isPadded, outsideNan, type Swizzle, type TensorElement } from '../../isa/tensor-map-fields.ts';
import { chunkBytes, isInOddLine, swizzled } from '../swizzle.ts';
import { type PartPlace, rowsOf } from './box-rows.ts';
import { rowLength, type TensorMap } from './tensor-map.ts';

/** Adjacent bytes. */
export interface Piece {
  /** Address in shared memory. */
  readonly shared: number;
  /** Address in global memory; null for elements outside the tensor. */
  readonly global: bigint | null;
  /** The size of the piece in global memory, in bytes. */
  readonly bytes: number;
}

/** The bits that are copied for 8 bytes outside the tensor. */
export function fillOf({ element, fillsWithNan }: TensorMap): bigint {
  return fillsWithNan && element.isFloat ? nans : 0n;
}

const nans = 0x0001_0001_0001_0001n * BigInt(outsideNan);

/** The number of bytes that an instruction accesses at a time when it changes a tensor. */
const changedBytes = 16;

/** The number of groups in a row of the tensor. */
export function groupsInRow({ element, dimensions }: TensorMap): number {
  return elementAt(dimensions, 0) / element.group;
}

/**
 * The number of groups in a row to which an instruction can write. If a row does not end at a multiple of 16 bytes, the
 * bytes up to the next multiple are also written, as on a GPU.
 */
export function changedGroupsInRow(map: TensorMap): number {
  const { bytes } = map.element;
  return (Math.ceil((groupsInRow(map) * bytes) / changedBytes) * changedBytes) / bytes;
}

/** Returns the address in shared memory at which a byte is stored, given its address without a swizzle. */
function placeOf(address: number, swizzle: Swizzle): number {
  const moved = swizzled(address, swizzle);
  return swizzle.flips && isInOddLine(address) ? moved ^ 8 : moved;
}

/** A row of a part of a tensor. */
export interface BoxRow {
  /** The address at which the row would begin in shared memory without a swizzle. */
  readonly shared: number;
  /** The size of the row in shared memory. */
  readonly bytes: number;
  /** The index of the row's first group along the innermost dimension. */
  readonly first: number;
  readonly line: Line;
}

/**
 * Yields the rows of a part of a tensor. In shared memory, this part begins at the address `shared`, and each row takes
 * up at least `swizzle.bytes` bytes. The first `groups` groups of a row of the tensor count as inside the tensor.
 */
export function* boxRows(map: TensorMap, place: PartPlace, shared: number, groups: number): Generator<BoxRow> {
  const { element, swizzle } = map;
  const bytes = (rowLength(map) / element.group) * element.sharedBytes;
  const first = elementAt(place.coordinates, 0) / element.group;
  let row = shared;
  for (const start of rowsOf(map, place)) {
    yield { shared: row, bytes, first, line: { start, groups } };
    row += Math.max(bytes, swizzle.bytes);
  }
}

/**
 * The address in global memory of a row that can be copied unchanged, because it lies completely inside the tensor and
 * its chunks are aligned in both global and shared memory; null for other rows.
 */
export function wholeRow({ element, swizzle }: TensorMap, { bytes, first, line }: BoxRow): bigint | null {
  const { start, groups } = line;
  const isInside = first >= 0 && first + bytes / element.sharedBytes <= groups;
  if (start === null || !isInside || isPadded(element) || swizzle.flips || bytes % chunkBytes !== 0) return null;
  const global = start + BigInt(first) * BigInt(element.bytes);
  return global % BigInt(chunkBytes) === 0n ? global : null;
}

/** Yields the pieces of a row. A piece has at most 16 bytes, and is a whole group if groups are padded. */
export function* piecesOf({ element, swizzle }: TensorMap, row: BoxRow): Generator<Piece> {
  const chunk = swizzle.flips ? chunkBytes / 2 : chunkBytes;
  for (let at = 0; at < row.bytes; at += chunk)
    yield* piecesOfChunk(element, row.line, row.first + at / element.sharedBytes, {
      address: placeOf(row.shared + at, swizzle),
      bytes: Math.min(chunk, row.bytes - at),
    });
}

/** Bytes that a swizzle keeps together in shared memory. */
interface Chunk {
  readonly address: number;
  readonly bytes: number;
}

/** A row of the whole tensor. */
interface Line {
  /** The address of the row's first element; null if the row is outside the tensor. */
  readonly start: bigint | null;
  readonly groups: number;
}

/** `first` is the index of the chunk's first group along the innermost dimension. */
function* piecesOfChunk(
  element: TensorElement,
  { start, groups }: Line,
  first: number,
  chunk: Chunk,
): Generator<Piece> {
  const { bytes, sharedBytes } = element;
  const count = chunk.bytes / sharedBytes;
  const addressOf = (at: number): bigint | null =>
    start === null || at < 0 || at >= groups ? null : start + BigInt(at) * BigInt(bytes);
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
