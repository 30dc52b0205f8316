/** Carries out tcgen05.mma. Each engine provides the functions that access memory. */
import { tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import { type ProductDescriptor, readDescriptor } from '../../isa/tensor-product.ts';
import type { ProductCall } from './product-call.ts';
import { keptColumns } from './kept-columns.ts';
import { misuse, requireColumns, type TensorAccess, wordsOf } from './access.ts';
import { type ProductEngine, type RowOf, rowOf } from './elements.ts';
import { factorOf, laneCodes, replaceLines, sharedCodes } from './factors.ts';
import { requireDescriptor } from './descriptor.ts';
import type { RowMultiplier } from './multiply-row.ts';
import { requireLanes, type RowLayout, rowLayout } from './rows.ts';
import { usedColumns } from './zero-columns.ts';

/** The number of bytes along K that one instruction multiplies, not counting omitted elements of A. */
const bytesAlongK = 32;

/**
 * @param memories the functions that access memory, for each of the blocks that multiply together, in the order of
 *   their ranks
 * @param multiplier the engine's code that multiplies whole rows; if it is null, each element is computed separately
 */
export function multiplyInTensor(
  call: ProductCall,
  memories: readonly TensorAccess[],
  multiplier: RowMultiplier | null = null,
): void {
  const { product, instruction } = call;
  const descriptor = readDescriptor(instruction);
  requireDescriptor(descriptor, product);
  const rows = descriptor.m / product.blocks;
  if (rows !== 32 && rows !== 64 && rows !== 128) throw new Error(`no layout has ${rows} rows in a block`);
  const length = (8 * bytesAlongK) / product.bits;
  const b = columnsOfB(call, descriptor, length, memories);
  memories.forEach((memory, rank) => {
    const unchanged = call.unchanged.slice(4 * rank, 4 * rank + 4);
    multiplyRows({ ...call, unchanged }, descriptor, { rows, length, b }, { memory, multiplier });
  });
}

/** The elements of B, column by column. Each block has the same number of columns. */
function columnsOfB(
  { product, b, zeroColumns }: ProductCall,
  descriptor: ProductDescriptor,
  keptLength: number,
  memories: readonly TensorAccess[],
): Uint32Array {
  const { n } = descriptor;
  const factor = factorOf(b, product, descriptor, 'b');
  const length = product.sparse ? 2 * keptLength : keptLength;
  if (zeroColumns === 0n) {
    const size = { lines: n / memories.length, length };
    return joined(memories.map((memory) => sharedCodes(factor, size, memory)));
  }
  const source = usedColumns(zeroColumns, descriptor);
  const columns = Array.from({ length: n }, (_, column) => source(column) ?? -1);
  const lines = Math.max(...columns) + 1;
  const all = joined(memories.map((memory) => sharedCodes(factor, { lines, length }, memory)));
  return replaceLines(all, length, n, source);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((count, { length }) => count + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The data that the blocks of a product share. */
interface Shared {
  /** The number of rows that each block has. */
  readonly rows: 32 | 64 | 128;
  /** The number of stored elements in a row of A. */
  readonly length: number;
  readonly b: Uint32Array;
}

/** Computes the rows of D that one block stores. */
function multiplyRows(call: ProductCall, descriptor: ProductDescriptor, shared: Shared, engine: ProductEngine): void {
  const { memory } = engine;
  const layout = rowLayout(shared.rows, call.product);
  const { parts, laneOf } = layout;
  const columns = descriptor.n / parts;
  const [lane, column] = tensorPlace(call.d);
  requireColumns(column, columns, memory);
  requireLanes(lane, layout, shared.rows);
  requireSameLane(lane, call);
  partsOf(call, descriptor, shared, layout, engine).forEach((rowOfPart, part) => {
    for (let row = 0; row < shared.rows; row++) {
      const own = lane + laneOf(row, part);
      if ((((call.unchanged[own >> 5] ?? 0) >>> (own & 31)) & 1) === 1) continue;
      const offset = tensorOffset(own, column);
      const sums = call.adds ? wordsOf(memory.read(offset, 4 * columns)).slice() : new Uint32Array(columns);
      rowOfPart(row, part * columns, sums);
      wordsOf(memory.write(offset, 4 * columns)).set(sums);
    }
  });
}

/**
 * Throws a fault unless D, A and the metadata begin in the same lane. A is considered only if it is in tensor memory,
 * and the metadata only if A is sparse (PTX ISA 9.1, section 9.7.16.10.5).
 */
function requireSameLane(lane: number, { product, a, metadata }: ProductCall): void {
  const others = [...(product.aInTensor ? [a] : []), ...(product.sparse ? [metadata] : [])];
  if (others.some((address) => tensorPlace(address)[0] !== lane))
    throw misuse('D does not begin in the same lane as A or its metadata');
}

/**
 * Returns, for each part of the layout, the function that computes its rows. These functions differ only if A or its
 * metadata is in tensor memory.
 */
function partsOf(
  call: ProductCall,
  descriptor: ProductDescriptor,
  { rows, length, b }: Shared,
  layout: RowLayout,
  engine: ProductEngine,
): readonly RowOf[] {
  const { memory } = engine;
  const { product, metadata } = call;
  const { aInTensor, sparse, blocks } = product;
  const factor = factorOf(call.a, product, descriptor, 'a');
  if (aInTensor && blocks === 2 && layout.parts === 2)
    throw misuse('A with 64 rows in each of two blocks must be in shared memory');
  const size = { lines: rows, length };
  const inShared = aInTensor ? null : sharedCodes(factor, size, memory);
  const of = (part: number): RowOf => {
    const a = inShared ?? laneCodes(factor, size, layout, part, memory);
    const where = { address: metadata, selector: descriptor.selector, length };
    const kept = sparse ? keptColumns(where, product, layout, part, memory) : null;
    return rowOf(call, descriptor, { length, a, b, kept }, engine);
  };
  const first = of(0);
  return Array.from({ length: layout.parts }, (_, part) => (part === 0 || !(aInTensor || sparse) ? first : of(part)));
}
