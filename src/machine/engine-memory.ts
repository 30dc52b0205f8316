/**
 * Global memory in the form that the engine for compiled code uses: the device's own memory, or a worker's view of it.
 */
import type { Memory } from './segment.ts';

export interface EngineMemory extends Memory {
  readonly memory: WebAssembly.Memory;
  /** Returns the bytes at an address, allocated or not; valid until the next `borrow`. */
  bytesAt(address: number, size: number): Uint8Array;
  /**
   * Reserves memory that belongs to no allocation and returns its address. If a kernel accesses this memory, that is a
   * fault.
   */
  borrow(size: number): number;
  /** Ends a `borrow`. */
  giveBack(address: number): void;
}
