/**
 * The heap behind the built-in `malloc`. It belongs to the device, so memory that a kernel does not free stays
 * allocated.
 */
import { PtxlabError } from '../../base/error.ts';
import { formatAddress } from './address-space.ts';
import { machineFault } from '../fault.ts';
import type { Allocation } from './allocations.ts';
import type { GlobalMemory } from './global-memory.ts';

/** Maximum total size of live allocations in bytes: the default of CUDA's `cudaLimitMallocHeapSize`. */
const heapLimit = 8 * 2 ** 20;

/** The saved state of the heap. */
export interface HeapState {
  /** Addresses of live allocations. */
  readonly live: readonly number[];
  readonly freed: readonly (readonly [address: number, owner: string])[];
  readonly count: number;
}

export class DeviceHeap {
  private readonly memory: GlobalMemory;
  private readonly live = new Map<number, Allocation>();
  /** The names of freed allocations, by address. Addresses that have been allocated again are not included. */
  private readonly freed = new Map<number, string>();
  private used = 0;
  /** Number of allocations so far. The name of an allocation contains its number. */
  private count = 0;

  constructor(memory: GlobalMemory) {
    this.memory = memory;
  }

  /** Allocates memory and returns its address, or 0 if there is no room or if `size` is 0. */
  allocate(size: bigint): bigint {
    if (size === 0n || size > BigInt(heapLimit - this.used)) return 0n;
    try {
      const allocation = this.memory.allocate(Number(size), `heap allocation ${this.count}`);
      this.count++;
      this.freed.delete(allocation.address);
      this.live.set(allocation.address, allocation);
      this.used += allocation.size;
      return BigInt(allocation.address);
    } catch (error) {
      if (error instanceof PtxlabError) return 0n;
      throw error;
    }
  }

  give(): HeapState {
    return { live: [...this.live.keys()], freed: [...this.freed], count: this.count };
  }

  /** Restores the state of the heap. The device's memory must be restored first. */
  take({ live, freed, count }: HeapState): void {
    this.live.clear();
    this.used = 0;
    for (const address of live) {
      const allocation = this.memory.allocationAt(address);
      if (allocation === null) throw new Error(`nothing is allocated at ${formatAddress(address)}`);
      this.live.set(address, allocation);
      this.used += allocation.size;
    }
    this.freed.clear();
    for (const [address, owner] of freed) this.freed.set(address, owner);
    this.count = count;
  }

  /**
   * Frees an allocation. Freeing address 0 has no effect. Any other address causes a fault if `allocate` did not return
   * it or if it was already freed.
   */
  free(address: bigint): void {
    if (address === 0n) return;
    const allocation = this.live.get(Number(address));
    if (allocation === undefined) {
      const shown = formatAddress(address);
      const freed = this.freed.get(Number(address));
      const why =
        freed === undefined ? 'malloc on this device did not return that address' : `${freed} was already freed`;
      throw machineFault('PTX6033', { address: shown, why }, { space: 'global', address: shown });
    }
    this.live.delete(allocation.address);
    this.freed.set(allocation.address, allocation.owner);
    this.used -= allocation.size;
    this.memory.free(allocation);
  }
}
