/**
 * The state spaces, identified by the names that steps use for them (PTX ISA 9.1, section 5.1), and the threads that
 * share each of them.
 */
import type { Sameness } from './sameness.ts';

/**
 * `generic` means that the instruction has no space modifier, so that the address itself determines the state space.
 * `tensor` is the tensor memory of a block, which only tcgen05 instructions access.
 */
export type AccessSpace = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param' | 'tensor';

/** True if a word is the name of a state space. */
export function isAccessSpace(word: unknown): word is AccessSpace {
  return typeof word === 'string' && Object.hasOwn(spaceSameness, word);
}

/** A window of the generic address space, identified by the name that `cvta` and `isspacep` use for it. */
export type WindowSpace = 'global' | 'shared' | 'shared::cluster' | 'local' | 'const' | 'param';

/**
 * For each space, the kind of group whose threads share its memory, so that an address refers to the same place for all
 * of them. A generic address may point into local memory.
 */
export const spaceSameness: Readonly<Record<AccessSpace, Sameness>> = {
  generic: 'thread',
  global: 'grid',
  shared: 'block',
  local: 'thread',
  const: 'grid',
  param: 'grid',
  tensor: 'block',
};

/**
 * The bit position, in an address of shared memory, at which the rank of a block begins. If this bit and all higher
 * bits are zero, the address refers to the thread's own block. Otherwise, these bits contain the rank of a block in the
 * cluster, plus `rankOfFirst`, and the address refers to the shared memory of that block, which may also be the
 * thread's own block. Such addresses are computed by mapa.
 */
export const rankShift = 24;

/**
 * The value of these bits for the first block of a cluster. As on GPUs, the value is even, so that the bits of two
 * blocks that work together (ranks 2i and 2i + 1) differ only in the lowest one. Kernels clear this bit to reach the
 * first of the two blocks.
 */
export const rankOfFirst = 2;

const ownBytes = 2 ** rankShift;

/**
 * The offset at which the shared memory of the block with the given rank begins. The offset is the same for all blocks
 * of the cluster.
 */
export function startOfRank(rank: number): number {
  return (rank + rankOfFirst) * ownBytes;
}

/** The rank of the block whose shared memory contains an offset; null for the thread's own block. */
export function rankAt(offset: number): number | null {
  return offset < rankOfFirst * ownBytes ? null : Math.floor(offset / ownBytes) - rankOfFirst;
}
