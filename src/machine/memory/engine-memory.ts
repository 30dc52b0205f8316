/**
 * Global memory as the engine for compiled code uses it: either the device's own memory, or a worker's view of that
 * memory.
 */
import type { Memory } from './segment.ts';

export interface EngineMemory extends Memory {
  readonly memory: WebAssembly.Memory;
  /**
   * Returns the bytes at an address, whether or not they are allocated. The result is valid until the next `borrow`.
   */
  bytesAt(address: number, size: number): Uint8Array;
  /**
   * Reserves memory for the engine's own use and returns its address. The memory does not count as allocated, so an
   * access by a kernel is a fault.
   */
  borrow(size: number): number;
  /** Ends a `borrow`. */
  giveBack(address: number): void;
}
