/**
 * What the blocks of a cooperative grid synchronise by: two words in global memory, the size of all that and a barrier that
 * begins at zero. It is what cooperative groups of nvcc's headers expect to find; PTX only has the registers that say where.
 */
import type { GlobalMemory } from './global-memory.ts';

const bytes = 8;

/** Gives `run` the address of a workspace that is there until it ends. */
export async function withGridWorkspace<T>(memory: GlobalMemory, run: (address: number) => Promise<T>): Promise<T> {
  const allocation = memory.allocate(bytes, 'grid workspace');
  try {
    memory.bytesOf(allocation)[0] = bytes;
    return await run(allocation.address);
  } finally {
    memory.free(allocation);
  }
}
