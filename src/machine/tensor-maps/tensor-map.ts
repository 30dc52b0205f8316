/** Tensor maps, which describe tensors in global memory to instructions that copy boxes of them. */
import { elementAt } from '../../base/element-at.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type BoxMode, mostDimensions } from '../../isa/steps/memory.ts';
import {
  type TensorElement,
  tensorElements,
  tensorMapFields,
  tensorMapTag,
  tensorMapWords,
} from '../../isa/tensor-map-fields.ts';
import { machineFault } from '../fault.ts';

export const tensorMapBytes = 128;

/** A tensor and a box in it. Lists begin with the innermost dimension. */
export interface TensorMap {
  readonly address: bigint;
  /** A row of `tensorElements`. */
  readonly element: TensorElement;
  readonly dimensions: readonly number[];
  /** Distances in bytes between neighbors in dimension 1 and higher. */
  readonly strides: readonly number[];
  readonly box: readonly number[];
  readonly elementStrides: readonly number[];
  /** Number of chunks of 16 bytes whose order the swizzle changes: 1, 2, 4 or 8. */
  readonly swizzle: number;
  /** Whether elements outside the tensor are NaN instead of zero. */
  readonly fillsWithNan: boolean;
}

const fields = tensorMapFields;

/** The bytes of a tensor map. */
export function encodeTensorMap(map: TensorMap): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tensorMapBytes);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(fields.address, map.address, true);
  bytes[fields.tag] = tensorMapTag;
  bytes[fields.elementType] = tensorElements.indexOf(map.element);
  bytes[fields.rank] = map.dimensions.length - 1;
  bytes[fields.swizzle] = Math.log2(map.swizzle);
  bytes[fields.fill] = map.fillsWithNan ? 1 : 0;
  map.box.forEach((length, i) => view.setUint8(fields.box + i, length - 1));
  map.elementStrides.forEach((step, i) => view.setUint8(fields.elementStrides + i, step - 1));
  map.dimensions.forEach((size, i) => view.setUint32(fields.dimensions + 4 * i, size - 1, true));
  map.strides.forEach((stride, i) => view.setBigUint64(fields.strides + 8 * i, BigInt(stride), true));
  return bytes;
}

/** Reads the words of a tensor map. The error says what is wrong with them. */
function decodeTensorMap(words: readonly bigint[]): Result<TensorMap, string> {
  const view = new DataView(new ArrayBuffer(8 * tensorMapWords));
  words.forEach((word, i) => view.setBigUint64(8 * i, word, true));
  const rank = view.getUint8(fields.rank) + 1;
  const swizzle = view.getUint8(fields.swizzle);
  const element = tensorElements[view.getUint8(fields.elementType)] ?? null;
  if (view.getUint8(fields.tag) !== tensorMapTag || rank > mostDimensions) return err('was not made by ptxlab');
  const isPlain = view.getUint8(fields.interleave) === 0 && view.getUint8(fields.atomicity) === 0 && swizzle <= 3;
  if (element === null || !isPlain) return err('has a layout or an element type that ptxlab does not copy');
  const each = <T>(count: number, of: (i: number) => T): readonly T[] => Array.from({ length: count }, (_, i) => of(i));
  return ok({
    address: view.getBigUint64(fields.address, true),
    element,
    dimensions: each(rank, (i) => view.getUint32(fields.dimensions + 4 * i, true) + 1),
    strides: each(rank - 1, (i) => Number(view.getBigUint64(fields.strides + 8 * i, true))),
    box: each(rank, (i) => view.getUint8(fields.box + i) + 1),
    elementStrides: each(rank, (i) => view.getUint8(fields.elementStrides + i) + 1),
    swizzle: 2 ** swizzle,
    fillsWithNan: view.getUint8(fields.fill) !== 0,
  });
}

/**
 * Reads the tensor map of an instruction with a number of coordinates. Throws a fault if it does not describe what the
 * instruction copies.
 */
export function tensorMapFor(words: readonly bigint[], coordinates: number, mode: BoxMode): TensorMap {
  const map = decodeTensorMap(words);
  if (!map.ok) throw machineFault('PTX6035', { what: map.error });
  const { dimensions, box } = map.value;
  const wanted = mode === 'rows' ? 2 : coordinates;
  if (dimensions.length !== wanted) {
    const what = `describes a tensor with ${dimensions.length} dimensions, but the instruction copies parts of one with ${wanted}`;
    throw machineFault('PTX6035', { what });
  }
  if (mode === 'rows' && box[1] !== 1)
    throw machineFault('PTX6035', { what: `has boxes with ${box[1]} rows, but the instruction needs boxes with one` });
  return map.value;
}

/** Adjacent bytes of a box. */
export interface Piece {
  /** Address in shared memory. */
  readonly shared: number;
  /** Address in global memory; null for elements outside the tensor. */
  readonly global: bigint | null;
  readonly bytes: number;
}

/** Number of elements of a box along dimension `i`. */
function lengthOf({ box, elementStrides }: TensorMap, i: number): number {
  // Along the innermost dimension, all elements are copied.
  return i === 0 ? elementAt(box, 0) : Math.ceil(elementAt(box, i) / elementAt(elementStrides, i));
}

/** The bits of 8 bytes that lie outside the tensor. */
export function fillOf({ element, fillsWithNan }: TensorMap): bigint {
  return (fillsWithNan ? element.nan : null) ?? 0n;
}

/** Number of rows that the mode `rows` copies. */
const rowsAtOnce = 4;

/** The size in shared memory of what is copied. */
export function boxBytes(map: TensorMap, mode: BoxMode): number {
  const inBox = map.box.reduce((bytes, _, i) => bytes * lengthOf(map, i), map.element.bytes);
  return mode === 'rows' ? rowsAtOnce * inBox : inBox;
}

const chunk = 16;

/**
 * Yields the pieces of the box whose first element has the given coordinates. The box begins at the address `shared` of
 * shared memory, row by row. A piece does not extend beyond a chunk of 16 bytes.
 */
export function* piecesOf(
  map: TensorMap,
  coordinates: readonly number[],
  shared: number,
  mode: BoxMode,
): Generator<Piece> {
  const { element, box, swizzle } = map;
  const inRow = elementAt(box, 0) * element.bytes;
  const rows = boxBytes(map, mode) / inRow;
  for (let row = 0; row < rows; row++) {
    const start =
      mode === 'rows' ? rowStart(map, [0, elementAt(coordinates, 1 + row)], 0) : rowStart(map, coordinates, row);
    for (let at = 0; at < inRow; at += chunk) {
      const place = shared + row * inRow + at;
      const swizzled = place ^ (((place >> 7) & (swizzle - 1)) << 4);
      const first = elementAt(coordinates, 0) + at / element.bytes;
      yield* piecesOfChunk(map, start, first, swizzled, Math.min(chunk, inRow - at));
    }
  }
}

/** The address of the element with coordinate 0 in a row of the box; null if the row is outside the tensor. */
function rowStart(map: TensorMap, coordinates: readonly number[], row: number): bigint | null {
  let [address, rest] = [map.address, row];
  for (let i = 1; i < map.dimensions.length; i++) {
    const length = lengthOf(map, i);
    const at = elementAt(coordinates, i) + (rest % length) * elementAt(map.elementStrides, i);
    rest = Math.floor(rest / length);
    if (at < 0 || at >= elementAt(map.dimensions, i)) return null;
    address += BigInt(at) * BigInt(elementAt(map.strides, i - 1));
  }
  return address;
}

/** `first` is the coordinate of the chunk's first element along the innermost dimension. */
function* piecesOfChunk(
  { element, dimensions }: TensorMap,
  start: bigint | null,
  first: number,
  shared: number,
  bytes: number,
): Generator<Piece> {
  const count = bytes / element.bytes;
  const size = elementAt(dimensions, 0);
  const addressOf = (at: number): bigint | null =>
    start === null || at < 0 || at >= size ? null : start + BigInt(at) * BigInt(element.bytes);
  const [global, last] = [addressOf(first), addressOf(first + count - 1)];
  const isWhole = global !== null && last !== null && global % BigInt(chunk) === 0n && bytes === chunk;
  if (isWhole || start === null) {
    yield { shared, global, bytes };
    return;
  }
  for (let i = 0; i < count; i++)
    yield { shared: shared + i * element.bytes, global: addressOf(first + i), bytes: element.bytes };
}
