/**
 * Tensor maps, which describe tensors in global memory to instructions that copy boxes of them. The ISA and the driver
 * do not say what the 128 bytes contain. ptxlab uses ten 64-bit words:
 *
 * | word | bits | field |
 * | ---- | ------ | -------------------------------------------------------------- |
 * | 0 | 0-63 | address of the tensor |
 * | 1 | 0-7 | 0x54, by which a tensor map is recognized |
 * | | 8-11 | binary logarithm of the size of an element in bytes |
 * | | 12-15 | number of dimensions |
 * | | 16-19 | binary logarithm of the swizzle in chunks of 16 bytes |
 * | | 20-23 | what elements outside the tensor are filled with |
 * | | 24-63 | size of the box minus one, 8 bits for each dimension |
 * | 2 | 0-19 | element strides minus one, 4 bits for each dimension |
 * | | 32-63 | size of dimension 0 minus one |
 * | 3, 4 | | sizes of dimensions 1 to 4 minus one, 32 bits each |
 * | 5-8 | | strides of dimensions 1 to 4 in bytes |
 * | 9 | | size of the box in bytes |
 */
import { elementAt } from '../base/element-at.ts';
import { mostDimensions } from '../isa/steps/memory.ts';
import { machineFault, type MachineFault } from './fault.ts';

export const tensorMapBytes = 128;

const tag = 0x54;

/** What elements outside the tensor are filled with. */
export const fills = ['zeros', 'nan16', 'nan32', 'nan64'] as const;
export type Fill = (typeof fills)[number];

/** A tensor and a box in it. Lists begin with the innermost dimension. */
export interface TensorMap {
  readonly address: bigint;
  /** Size of an element in bytes: 1, 2, 4 or 8. */
  readonly elementBytes: number;
  readonly dimensions: readonly number[];
  /** Distances in bytes between neighbors in dimension 1 and higher. */
  readonly strides: readonly number[];
  readonly box: readonly number[];
  readonly elementStrides: readonly number[];
  /** Number of chunks of 16 bytes whose order the swizzle changes: 1, 2, 4 or 8. */
  readonly swizzle: number;
  readonly fill: Fill;
}

const big = (value: number, shift = 0): bigint => BigInt(value) << BigInt(shift);

/** The words of a tensor map. */
export function encodeTensorMap(map: TensorMap): readonly bigint[] {
  const { address, elementBytes, dimensions, strides, box, elementStrides, swizzle, fill } = map;
  const size = (i: number): bigint => big((dimensions[i] ?? 1) - 1);
  const facts =
    big(tag) |
    big(Math.log2(elementBytes), 8) |
    big(dimensions.length, 12) |
    big(Math.log2(swizzle), 16) |
    big(fills.indexOf(fill), 20);
  const boxes = box.reduce((sum, length, i) => sum | big(length - 1, 24 + 8 * i), 0n);
  const steps = elementStrides.reduce((sum, step, i) => sum | big(step - 1, 4 * i), 0n);
  return [
    address,
    facts | boxes,
    steps | (size(0) << 32n),
    size(1) | (size(2) << 32n),
    size(3) | (size(4) << 32n),
    ...[0, 1, 2, 3].map((i) => big(strides[i] ?? 0)),
    big(boxBytes(map)),
  ];
}

/** Reads the words of a tensor map; null if they do not describe a tensor. */
export function decodeTensorMap(words: readonly bigint[]): TensorMap | null {
  const word = (i: number): bigint => elementAt(words, i);
  const field = (from: bigint, low: number, width: number): number =>
    Number(BigInt.asUintN(width, from >> BigInt(low)));
  const facts = word(1);
  const rank = field(facts, 12, 4);
  const fill = fills[field(facts, 20, 4)];
  if (field(facts, 0, 8) !== tag || rank < 1 || rank > mostDimensions || fill === undefined) return null;
  const each = <T>(of: (i: number) => T): readonly T[] => Array.from({ length: rank }, (_, i) => of(i));
  return {
    address: word(0),
    elementBytes: 2 ** field(facts, 8, 4),
    dimensions: each((i) => field(word(2 + ((i + 1) >> 1)), i % 2 === 0 ? 32 : 0, 32) + 1),
    strides: each((i) => i)
      .slice(1)
      .map((i) => Number(word(4 + i))),
    box: each((i) => field(facts, 24 + 8 * i, 8) + 1),
    elementStrides: each((i) => field(word(2), 4 * i, 4) + 1),
    swizzle: 2 ** field(facts, 16, 4),
    fill,
  };
}

/** Returns the fault of an instruction for `coordinates` dimensions. `map` is null if the words are not a tensor map. */
export function badTensorMap(map: TensorMap | null, coordinates: number): MachineFault {
  const what =
    map === null
      ? 'was not made by ptxlab'
      : `describes a tensor with ${map.dimensions.length} dimensions, but the instruction has ${coordinates} coordinates`;
  return machineFault('PTX6035', { what });
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

/** The size of a box in shared memory. */
export function boxBytes(map: TensorMap): number {
  return map.box.reduce((bytes, _, i) => bytes * lengthOf(map, i), map.elementBytes);
}

const chunk = 16;

/**
 * Yields the pieces of the box whose first element has the given coordinates. The box begins at the address `shared` of
 * shared memory, row by row. A piece does not extend beyond a chunk of 16 bytes.
 */
export function* piecesOf(map: TensorMap, coordinates: readonly number[], shared: number): Generator<Piece> {
  const { elementBytes, box, swizzle } = map;
  const inRow = elementAt(box, 0) * elementBytes;
  const rows = boxBytes(map) / inRow;
  for (let row = 0; row < rows; row++) {
    const start = rowStart(map, coordinates, row);
    for (let at = 0; at < inRow; at += chunk) {
      const place = shared + row * inRow + at;
      const swizzled = place ^ (((place >> 7) & (swizzle - 1)) << 4);
      const first = elementAt(coordinates, 0) + at / elementBytes;
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
  { elementBytes, dimensions }: TensorMap,
  start: bigint | null,
  first: number,
  shared: number,
  bytes: number,
): Generator<Piece> {
  const count = bytes / elementBytes;
  const size = elementAt(dimensions, 0);
  const addressOf = (at: number): bigint | null =>
    start === null || at < 0 || at >= size ? null : start + BigInt(at) * BigInt(elementBytes);
  const [global, last] = [addressOf(first), addressOf(first + count - 1)];
  const isWhole = global !== null && last !== null && global % BigInt(chunk) === 0n && bytes === chunk;
  if (isWhole || start === null) {
    yield { shared, global, bytes };
    return;
  }
  for (let i = 0; i < count; i++)
    yield { shared: shared + i * elementBytes, global: addressOf(first + i), bytes: elementBytes };
}

/** The bits of 8 bytes that lie outside the tensor. */
export const fillBits: Readonly<Record<Fill, bigint>> = {
  zeros: 0n,
  nan16: 0x7ff7_7ff7_7ff7_7ff7n,
  nan32: 0x7fff_ffff_7fff_ffffn,
  nan64: 0x7fff_ffff_ffff_ffffn,
};
