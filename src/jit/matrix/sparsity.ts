/** Finds the columns of the elements that are kept in a sparse matrix A, as specified by its metadata. */
import { elementAt } from '../../base/element-at.ts';
import type { Sparsity } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import { type ProductContext, registersOf, words } from './context.ts';

/**
 * Pushes the column of A to which an element of a row belongs. The local `at` contains the index of the element among
 * those that are kept.
 */
export function pushKeptColumn(
  { code, product, carriers, shape }: ProductContext,
  { unit, rowBits, lanes }: Sparsity,
  row: number,
  at: number,
): void {
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
  pushColumn(code, unit, { at, chunk, indices });
}

/**
 * Pushes the column of an element: the first column of its chunk, plus the first column of the unit that the metadata
 * selects in this chunk, plus the element's position within the unit.
 */
function pushColumn(
  code: Code,
  unit: Sparsity['unit'],
  { at, chunk, indices }: Readonly<Record<'at' | 'chunk' | 'indices', number>>,
): void {
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
