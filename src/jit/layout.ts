/**
 * The interface between compiled code and the engine: constants of a compiled kernel, and the context of a block, a
 * sequence of 32-bit fields in borrowed global memory. All addresses are addresses of global memory.
 */
import type { VariableSymbol } from '../check/symbols.ts';

export interface LaunchLayout {
  /** Offset of address 0 in the WebAssembly memory; the allocation map fills everything before it. */
  readonly origin: number;
  /** The memory is shared between threads. */
  readonly sharedMemory: boolean;
  /** Blocks run at the same time on several threads, so atomic steps must be atomic between them. */
  readonly concurrent: boolean;
  readonly parameterBytes: number;
  readonly constantBytes: number;
  /** Bytes at the start of shared memory that are reserved for the system. */
  readonly reservedBytes: number;
  /** Local memory of a thread. */
  readonly localBytes: number;
  /** Accesses are checked against the allocations. */
  readonly checked: boolean;
  /** The kernel has code for four threads at a time besides the code for one. */
  readonly fours: boolean;
  /** Address of a module's variable, or its offset in const memory. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** Throws if the launch that waits for the code has been ended or its time is over. */
  readonly look: () => void;
}

/** Offsets of the fields of a block's context. */
export const context = {
  fuel: 0,
  blockX: 4,
  blockY: 8,
  blockZ: 12,
  threadsX: 16,
  threadsY: 20,
  threadsZ: 24,
  blocksX: 28,
  blocksY: 32,
  blocksZ: 36,
  sharedSize: 40,
  dynamicShared: 44,
  warps: 48,
  shared: 52,
  local: 56,
  frames: 60,
  parameters: 64,
  constants: 68,
  /** Threads of the block. */
  threads: 72,
  /** Open calls of the threads. */
  calls: 76,
  /** First thread of the unit that did not finish. */
  unit: 80,
  gridWorkspace: 84,
  /** Nonzero once a thread of the block has continued without its neighbours. */
  strayed: 88,
} as const;

/** Address of the lock word that a thread holds while it changes 128 bits. Kernels never access addresses this low. */
export const lockAddress = 0;

export type ContextField = keyof typeof context;

export const contextSize = 128;

/** The state word of a thread between regions: a region where it can continue, or one of these. */
export const state = {
  exited: -1,
  /** Added to a region by a thread that pauses to let others run. */
  paused: 0x4000_0000,
  regionOf: (word: number): number => word & ~0x4000_0000,
  /** The thread waits at a stop. */
  waitingAt: (stop: number): number => -2 - stop,
  stopOf: (word: number): number => -2 - word,
  /** One per thread, if all have ended or reached the same stop. */
  after: (result: number): number => result + 1,
} as const;

/** The outcome of running threads: a region where all continue, or one of these. */
export const outcome = {
  /** Each thread has its own state. */
  mixed: -1,
  allExited: -2,
  /** All wait at one stop. */
  allAt: (stop: number): number => -3 - stop,
  stopOf: (result: number): number => -3 - result,
} as const;

/** The outcome of running the diverged threads of a warp, as bits. */
export const advanced = {
  /** Something happened besides threads pausing. */
  moved: 1,
  /** Some threads paused to let others run. */
  runnable: 2,
  /** A thread waits with a mask that does not contain it. */
  outside: 4,
} as const;

export function alignTo16(size: number): number {
  return (size + 15) & ~15;
}
