/** The parts of a block's memory that a matrix product accesses. */
import type { TensorAccess } from '../../src/machine/tensor-memory/access.ts';

export interface BlockMemory {
  readonly shared: Uint8Array;
  readonly tensor: Uint8Array;
}

export const accessOf = ({ shared, tensor }: BlockMemory): TensorAccess => ({
  chunk: (address) => shared.subarray(address, address + 16),
  read: (offset, size) => tensor.subarray(offset, offset + size),
  write: (offset, size) => tensor.subarray(offset, offset + size),
});
