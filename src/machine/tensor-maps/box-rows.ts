/** Finds the rows of a part of a tensor. The elements of a row are adjacent in the tensor. */
import { elementAt } from '../../base/element-at.ts';
import type { BoxMode } from '../../isa/steps/memory.ts';
import { machineFault } from '../fault.ts';
import { type PixelColumn, rowLength, type TensorMap } from './tensor-map.ts';

/** The position of the part of a tensor that an instruction copies. */
export interface PartPlace {
  readonly mode: BoxMode;
  readonly coordinates: readonly number[];
  /** The offsets for im2col, one for each dimension between the first and the last. Missing offsets are 0. */
  readonly offsets: readonly number[];
}

/** Number of rows that the mode `rows` copies. */
const rowsAtOnce = 4;

/**
 * The number of bytes that the copied part takes up in the tensor. This is also the number of bytes that an mbarrier
 * object counts when they arrive.
 */
export function partBytes(map: TensorMap, mode: BoxMode): number {
  const { element } = map;
  return rowCount(map, mode) * (rowLength(map) / element.group) * element.bytes;
}

function rowCount(map: TensorMap, mode: BoxMode): number {
  if (map.part.kind === 'im2col') return map.part.pixelsPerColumn;
  return mode === 'rows' ? rowsAtOnce : boxLengths(map).reduce((count, length) => count * length, 1);
}

/**
 * Yields, for each row, the address of the element whose innermost coordinate is 0; null if the row is outside the
 * tensor.
 */
export function* rowsOf(map: TensorMap, { mode, coordinates, offsets }: PartPlace): Generator<bigint | null> {
  if (map.part.kind === 'im2col') {
    yield* pixelsOf(map, map.part, coordinates, offsets);
    return;
  }
  const [lengths, count] = [boxLengths(map), rowCount(map, mode)];
  for (let row = 0; row < count; row++) {
    if (mode === 'rows') yield addressOf(map, [0, elementAt(coordinates, 1 + row)]);
    else yield addressOf(map, inBox(map, lengths, coordinates, row));
  }
}

/** The number of elements of a box along each dimension except the innermost one. */
function boxLengths({ part, elementStrides }: TensorMap): readonly number[] {
  if (part.kind === 'im2col') throw new Error('pixels are not in a box');
  return part.sizes.slice(1).map((size, i) => Math.ceil(size / elementAt(elementStrides, i + 1)));
}

/** The coordinates of a row of a box. */
function inBox(
  { elementStrides }: TensorMap,
  lengths: readonly number[],
  coordinates: readonly number[],
  row: number,
): readonly number[] {
  let rest = row;
  return coordinates.map((start, i) => {
    if (i === 0) return start;
    const length = elementAt(lengths, i - 1);
    const at = start + (rest % length) * elementAt(elementStrides, i);
    rest = Math.floor(rest / length);
    return at;
  });
}

/**
 * Iterates over pixels: along each dimension from the lower to the upper corner, and then in the next image. The
 * offsets are added to the coordinates of each pixel.
 */
function* pixelsOf(
  map: TensorMap,
  part: PixelColumn,
  coordinates: readonly number[],
  offsets: readonly number[],
): Generator<bigint | null> {
  const last = coordinates.length - 1;
  const [lowest, highest] = boundsOf(map, part);
  requireInside(coordinates, lowest, highest);
  const at = [...coordinates];
  for (let pixel = 0; pixel < part.pixelsPerColumn; pixel++) {
    yield addressOf(
      map,
      at.map((place, i) => (i === 0 || i === last ? place : place + (offsets[i - 1] ?? 0))),
    );
    for (let i = 1; i <= last; i++) {
      const next = elementAt(at, i) + elementAt(map.elementStrides, i);
      const ends = i < last && next > elementAt(highest, i - 1);
      at[i] = ends ? elementAt(lowest, i - 1) : next;
      if (!ends) break;
    }
  }
}

/** The lowest and the highest coordinates along the dimensions between the first and the last. */
function boundsOf({ dimensions }: TensorMap, part: PixelColumn): readonly [readonly number[], readonly number[]] {
  return [part.lowerCorner, part.upperCorner.map((corner, i) => elementAt(dimensions, i + 1) - 1 + corner)];
}

function requireInside(coordinates: readonly number[], lowest: readonly number[], highest: readonly number[]): void {
  lowest.forEach((low, i) => {
    const [at, high] = [elementAt(coordinates, i + 1), elementAt(highest, i)];
    if (at >= low && at <= high) return;
    const what = `has pixels from ${low} to ${high} along dimension ${i + 1}, but the instruction begins at ${at}`;
    throw machineFault('PTX6035', { what });
  });
}

/** The address of the element with the given coordinates, but with 0 along the innermost dimension. */
function addressOf(map: TensorMap, coordinates: readonly number[]): bigint | null {
  let { address } = map;
  for (let i = 1; i < map.dimensions.length; i++) {
    const at = elementAt(coordinates, i);
    if (at < 0 || at >= elementAt(map.dimensions, i)) return null;
    address += BigInt(at) * BigInt(elementAt(map.strides, i - 1));
  }
  return address;
}
