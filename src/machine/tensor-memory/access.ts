/** The memory accesses that instructions for tensor memory need, and the checks that these instructions share. */
import { tensorAllocation, tensorColumns, tensorUnit } from '../../isa/tensor-memory.ts';
import { machineFault } from '../fault.ts';

/** Functions that access the shared memory and the tensor memory of a block. Each engine provides its own. */
export interface TensorAccess {
  /** Returns 16 bytes of shared memory, which the caller must not change. */
  readonly chunk: (address: number) => Uint8Array;
  /** Returns bytes of tensor memory, which the caller must not change. */
  readonly read: (offset: number, size: number) => Uint8Array;
  /** Returns bytes of tensor memory, all of which the caller must overwrite. */
  readonly write: (offset: number, size: number) => Uint8Array;
}

/** The fault for incorrect use of tensor memory. */
export function misuse(what: string): Error {
  return machineFault('PTX6036', { what });
}

/** The ranks of the blocks that carry out an instruction started by the block with the given rank. */
export function ranksOf(blocks: 1 | 2, rank: number, blocksPerCluster: number): readonly number[] {
  if (blocks === 1) return [rank];
  const first = rank - (rank % 2);
  if (first + 1 >= blocksPerCluster)
    throw misuse('the instruction needs two blocks, but the cluster has no second one');
  return [first, first + 1];
}

/** Throws a fault unless `count` columns are allocated, beginning with `column`. */
export function requireColumns(column: number, count: number, memory: TensorAccess): void {
  const [allocated = 0] = wordsOf(memory.read(tensorAllocation, 4));
  const last = column + count - 1;
  for (let unit = Math.floor(column / tensorUnit); unit <= Math.floor(last / tensorUnit); unit++) {
    if (last >= tensorColumns || ((allocated >>> unit) & 1) === 0) throw misuse('the columns are not allocated');
  }
}

export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/**
 * The bits of element `i` in a 16-byte chunk. The elements have fewer than 8 bits, and are packed at the start of the
 * chunk.
 */
export function smallCode(chunk: Uint8Array, i: number, width: number): number {
  const low = i * width;
  const both = (chunk[low >> 3] ?? 0) | ((chunk[(low >> 3) + 1] ?? 0) << 8);
  return (both >>> (low & 7)) & (2 ** width - 1);
}
