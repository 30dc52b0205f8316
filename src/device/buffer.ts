/** Buffers in the memory of a device. */
import type { Addressed } from './arguments.ts';
import { PtxlabError } from '../base/error.ts';
import type { Allocation } from '../machine/allocations.ts';
import type { GlobalMemory } from '../machine/global-memory.ts';

/** Bytes in device memory. */
export class DeviceBuffer implements Addressed {
  readonly byteLength: number;
  private readonly memory: GlobalMemory;
  private readonly allocation: Allocation;

  /** Made by `Device.alloc`. */
  constructor(memory: GlobalMemory, allocation: Allocation) {
    this.memory = memory;
    this.allocation = allocation;
    this.byteLength = allocation.size;
  }

  /** Its generic address. */
  get address(): bigint {
    return BigInt(this.allocation.address);
  }

  /** A copy of its bytes. */
  read(): Uint8Array {
    return this.memory.bytesOf(this.alive()).slice();
  }

  /**
   * Copies bytes in.
   *
   * @throws PtxlabError `buffer-size` if they do not fit after `offset`
   */
  write(bytes: Uint8Array, offset = 0): void {
    if (offset < 0 || offset + bytes.byteLength > this.byteLength) {
      throw new PtxlabError(
        'buffer-size',
        `${bytes.byteLength} bytes at ${offset} do not fit in a buffer of ${this.byteLength}`,
      );
    }
    this.memory.bytesOf(this.alive()).set(bytes, offset);
  }

  /**
   * Frees the memory; a later access by a kernel is a fault.
   *
   * @throws PtxlabError `buffer-freed` if it was freed before
   */
  free(): void {
    this.memory.free(this.alive());
  }

  private alive(): Allocation {
    if (this.allocation.ended === null) return this.allocation;
    throw new PtxlabError('buffer-freed', `${this.allocation.owner} was freed`);
  }
}
