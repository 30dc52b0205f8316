/**
 * The memory that the blocks of a cooperative grid use to synchronize: two words in global memory. The first is the
 * size of the workspace in bytes; the second is a barrier, which starts at zero. The cooperative groups in nvcc's
 * headers expect this layout; PTX itself defines only the registers that hold the address of this memory.
 */
import type { GlobalMemory } from './memory/global-memory.ts';

const bytes = 8;

/** Allocates a workspace, calls `run` with the address of the workspace, and frees it when `run` is done. */
export async function withGridWorkspace<T>(memory: GlobalMemory, run: (address: number) => Promise<T>): Promise<T> {
  const allocation = memory.allocate(bytes, 'grid workspace');
  try {
    memory.bytesOf(allocation)[0] = bytes;
    return await run(allocation.address);
  } finally {
    memory.free(allocation);
  }
}
