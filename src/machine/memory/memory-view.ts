/**
 * A worker's view of global memory: the bytes that all workers share, the allocations that existed when the launch
 * began, and borrowed memory that only this worker uses.
 */
import type { Bits } from '../../base/bits.ts';
import { type Allocation, Allocations } from './allocations.ts';
import type { EngineMemory } from './engine-memory.ts';
import { type Access, loadBits, storeBits } from './segment.ts';

/** The data that is sent to a worker so that it can access a device's memory. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** Offset of address 0 within `memory`. */
  readonly origin: number;
  readonly allocations: readonly Allocation[];
}

/** Borrowed memory that only this worker uses. */
export interface Room {
  readonly address: number;
  readonly size: number;
}

export class MemoryView implements EngineMemory {
  readonly memory: WebAssembly.Memory;
  private readonly allocations: Allocations;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly end: number;
  private next: number;

  constructor({ memory, origin, allocations }: SharedMemory, room: Room) {
    this.memory = memory;
    this.allocations = new Allocations(allocations);
    this.bytes = new Uint8Array(memory.buffer, origin);
    this.view = new DataView(memory.buffer, origin);
    this.next = room.address;
    this.end = room.address + room.size;
  }

  bytesAt(address: number, size: number): Uint8Array {
    return this.bytes.subarray(address, address + size);
  }

  borrow(size: number): number {
    const address = this.next;
    this.next += size;
    if (this.next > this.end) throw new Error(`the worker has no room for ${size} bytes`);
    return address;
  }

  /**
   * Ends all borrowing: from now on, nothing more can be borrowed. All of the borrowed memory is returned to the device
   * at the end of the launch.
   */
  giveBack(): void {
    this.next = this.end;
  }

  check(access: Access, offset: number, size: number): void {
    this.allocations.check(access, offset, size);
  }

  load(offset: number, width: number): Bits {
    return loadBits(this.view, offset, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    storeBits(this.view, offset, width, bits);
  }
}
