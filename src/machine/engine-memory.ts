/** Global memory as an engine of compiled code uses it: the device's own, or a worker's view of it. */
import type { Memory } from './segment.ts';

export interface EngineMemory extends Memory {
  readonly memory: WebAssembly.Memory;
  /** Any bytes; valid until the next `borrow`. */
  bytesAt(address: number, size: number): Uint8Array;
  /** Memory that belongs to no allocation: kernels that access it cause a fault. */
  borrow(size: number): number;
  /** Ends a `borrow`. */
  giveBack(address: number): void;
}
