/** Uses the metadata of a sparse matrix A to find the columns of the elements that are kept. */
import { elementAt } from '../../base/element-at.ts';
import type { Sparsity } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import { factorBytes, mixesHalves, type ProductContext, registersOf, words } from './context.ts';
import { decodeFunction } from './decoded.ts';

/** Locals for the address of a column of B and the index of a row of A. */
interface Lines {
  readonly b: number;
  readonly row: number;
}

/** Locals for the index of an element's chunk, and for the metadata bits that begin with this chunk. */
interface ChunkLocals {
  readonly chunk: number;
  readonly indices: number;
}

/**
 * Pushes the address of the element of B that is multiplied by an element of A. The local `at` contains the index of
 * the element of A among the kept elements of its row.
 */
export function pushSparsePartner(context: ProductContext, sparsity: Sparsity, { b, row }: Lines, at: number): void {
  const { code, product } = context;
  const found = findIndices(context, sparsity, row, at);
  code.get(b);
  pushColumn(code, sparsity.unit, at, found);
  code.i32(factorBytes(product)).op('i32.mul', 'i32.add');
  if (mixesHalves(product)) replaceMixed(context, b, at, found);
}

function findIndices(
  { code, product, carriers, shape }: ProductContext,
  { unit, rowBits, lanes }: Sparsity,
  row: number,
  at: number,
): ChunkLocals {
  const registers = registersOf(product);
  const metadata = elementAt(carriers.sends, registers);
  const selector = elementAt(carriers.sends, registers + 1);
  const { origin } = shape.layout;
  const [chunk, lane, indices] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const perChunk = 2 * unit;
  const chunksPerLane = rowBits / 4;
  code.get(at).i32(Math.log2(perChunk)).op('i32.shr_u').set(chunk);
  code
    .get(words)
    .memory('i32.load', origin + selector.array)
    .i32(lanes)
    .op('i32.mul');
  code.get(row).i32(7).op('i32.and').i32(2).op('i32.shl', 'i32.add');
  code.get(chunk).i32(Math.log2(chunksPerLane)).op('i32.shr_u');
  if (rowBits === 32) code.i32(1).op('i32.shl').get(row).i32(3).op('i32.shr_u', 'i32.add');
  code.op('i32.add').i32(31).op('i32.and').set(lane);
  code
    .get(words)
    .get(lane)
    .i32(2)
    .op('i32.shl', 'i32.add')
    .memory('i32.load', origin + metadata.array);
  code
    .get(chunk)
    .i32(chunksPerLane - 1)
    .op('i32.and')
    .i32(2)
    .op('i32.shl');
  if (rowBits === 16) code.get(row).i32(3).op('i32.shr_u').i32(4).op('i32.shl', 'i32.add');
  code.op('i32.shr_u').set(indices);
  return { chunk, indices };
}

/**
 * Pushes the column of an element: the first column of its chunk, plus the first column of the unit that the metadata
 * selects in this chunk, plus the element's position within the unit.
 */
function pushColumn(code: Code, unit: Sparsity['unit'], at: number, { chunk, indices }: ChunkLocals): void {
  const perChunk = 2 * unit;
  const within = (): void => {
    code.get(at);
    code.i32(perChunk - 1).op('i32.and');
  };
  code.get(chunk);
  code
    .i32(4 * unit)
    .op('i32.mul')
    .get(indices);
  if (unit !== 0.5) {
    within();
    if (unit === 2) code.i32(1).op('i32.shr_u');
    code.i32(1).op('i32.shl', 'i32.shr_u');
  }
  code.i32(3).op('i32.and');
  if (unit === 0.5) code.i32(1).op('i32.shr_u');
  if (unit === 2) {
    code.i32(1).op('i32.shl');
    within();
    code.i32(1).op('i32.and', 'i32.add');
  }
  code.op('i32.add');
}

/** The indices that select both halves of the same element, the low half first. */
const sameElement = [0b0100, 0b1110];

/**
 * If the indices select halves of different elements, or the high half before the low half, replaces the address on the
 * stack with the address of an element that is made of these halves.
 */
function replaceMixed(context: ProductContext, b: number, at: number, { indices }: ChunkLocals): void {
  const { code, rooms, room, shape, product } = context;
  const { origin } = shape.layout;
  const [address, piece, pair] = [code.local('i32'), code.local('i32'), code.local('i32')];
  code.set(address).get(indices).i32(15).op('i32.and').set(piece);
  for (const usual of sameElement) code.get(piece).i32(usual).op('i32.ne');
  code
    .op('i32.and')
    .unlikely()
    .if(() => {
      code
        .get(b)
        .get(at)
        .i32(2 * factorBytes(product))
        .op('i32.mul', 'i32.add')
        .set(pair);
      code.get(room);
      pushHalf(context, pair, () => code.get(piece));
      pushHalf(context, pair, () => code.get(piece).i32(2).op('i32.shr_u'));
      code.i32(16).op('i32.shl', 'i32.or').call(decodeFunction(shape.helpers, 'tf32'));
      code.memory('i64.store', origin + rooms.mixed);
      code
        .get(room)
        .i32(rooms.mixed - rooms.b)
        .op('i32.add')
        .set(address);
    });
  code.get(address);
}

/**
 * Pushes the half that an index selects among the four halves of two elements. `pair` holds the address of the first
 * element.
 */
function pushHalf({ code, rooms, shape, product }: ProductContext, pair: number, pushIndex: () => void): void {
  code.get(pair);
  pushIndex();
  code.i32(1).op('i32.shr_u').i32(1).op('i32.and').i32(factorBytes(product)).op('i32.mul', 'i32.add');
  code.memory('i32.load', shape.layout.origin + rooms.undecoded);
  pushIndex();
  code.i32(1).op('i32.and').i32(4).op('i32.shl', 'i32.shr_u').i32(0xffff).op('i32.and');
}
