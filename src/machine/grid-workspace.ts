/**
 * The memory that the blocks of a cooperative grid use to synchronize: two words in global memory, the total size and a
 * barrier that starts at zero. The cooperative groups in nvcc's headers expect this layout; PTX itself only has the
 * registers that hold its address.
 */
import type { GlobalMemory } from './global-memory.ts';

const bytes = 8;

/** Allocates a workspace, calls `run` with its address, and frees the workspace when `run` is done. */
export async function withGridWorkspace<T>(memory: GlobalMemory, run: (address: number) => Promise<T>): Promise<T> {
  const allocation = memory.allocate(bytes, 'grid workspace');
  try {
    memory.bytesOf(allocation)[0] = bytes;
    return await run(allocation.address);
  } finally {
    memory.free(allocation);
  }
}
