/** Buffers in device memory. */
import { PtxlabError } from '../base/error.ts';
import type { Allocation } from '../machine/memory/allocations.ts';
import type { GlobalMemory } from '../machine/memory/global-memory.ts';
import { DeviceRange } from './device-range.ts';

/** Bytes in device memory. After `free`, reads and writes throw PtxlabError `buffer-freed`. */
export class DeviceBuffer extends DeviceRange {
  readonly byteLength: number;
  private readonly memory: GlobalMemory;
  private readonly allocation: Allocation;

  /** Created by `Device.alloc`. */
  constructor(memory: GlobalMemory, allocation: Allocation) {
    super(memory);
    this.memory = memory;
    this.allocation = allocation;
    this.byteLength = allocation.size;
  }

  /** The generic address of the buffer. */
  get address(): bigint {
    return BigInt(this.allocation.address);
  }

  /**
   * Frees the memory. If a kernel accesses the memory afterwards, the launch ends with a fault.
   *
   * @throws PtxlabError `buffer-freed` if it was already freed
   */
  free(): void {
    this.memory.free(this.alive());
  }

  protected bytes(): Uint8Array {
    return this.memory.bytesOf(this.alive());
  }

  protected get owner(): string {
    return this.allocation.owner;
  }

  private alive(): Allocation {
    if (this.allocation.ended === null) return this.allocation;
    throw new PtxlabError('buffer-freed', `${this.allocation.owner} was freed`);
  }
}
