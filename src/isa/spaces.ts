/** State spaces as steps name them (PTX ISA 9.1, 5.1), and which threads share each memory. */
import type { Sameness } from './sameness.ts';

/** `generic` means that the instruction has no space modifier: the address itself determines the window. */
export type AccessSpace = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param';

/** True if a word names a space. */
export function isAccessSpace(word: unknown): word is AccessSpace {
  return typeof word === 'string' && Object.hasOwn(spaceSameness, word);
}

/** A window of the generic address space, as `cvta` and `isspacep` name it. */
export type WindowSpace = 'global' | 'shared' | 'shared::cluster' | 'local' | 'const' | 'param';

/** The threads for which an address refers to the same memory. A generic address may point into local memory. */
export const spaceSameness: Readonly<Record<AccessSpace, Sameness>> = {
  generic: 'thread',
  global: 'grid',
  shared: 'block',
  local: 'thread',
  const: 'grid',
  param: 'grid',
};

/**
 * The position in an address of shared memory at which the rank of a block begins. If the bits from this position on
 * are zero, the address refers to the thread's own block. Otherwise, these bits are one more than the rank of the block
 * in the cluster to which the address refers, which can also be the thread's own. Such addresses come from mapa.
 */
export const rankShift = 24;

const ownBytes = 2 ** rankShift;

/** The offset at which the blocks of a cluster see the shared memory of the block with the given rank. */
export function startOfRank(rank: number): number {
  return (rank + 1) * ownBytes;
}

/** The rank of the block whose shared memory contains an offset; null for the thread's own block. */
export function rankAt(offset: number): number | null {
  return offset < ownBytes ? null : Math.floor(offset / ownBytes) - 1;
}
