/**
 * What compiled code and engine agree on: facts that are constants of a compiled kernel, and the context of a block, a
 * run of 32-bit fields in borrowed global memory. All addresses are addresses of global memory.
 */
import type { VariableSymbol } from '../check/symbols.ts';

export interface LaunchLayout {
  /** Offset of address 0 in the WebAssembly memory; the map of what is allocated fills all before it. */
  readonly origin: number;
  /** The memory is one that threads share. */
  readonly sharedMemory: boolean;
  /** Blocks run at the same time on several threads: atomic steps have to be atomic for them. */
  readonly concurrent: boolean;
  readonly parameterBytes: number;
  readonly constantBytes: number;
  /** Bytes at the start of shared memory that are the system's. */
  readonly reservedBytes: number;
  /** Local memory of a thread. */
  readonly localBytes: number;
  /** Accesses are held against what is allocated. */
  readonly checked: boolean;
  /** There is code for four threads of the kernel at a time, beside that for one. */
  readonly fours: boolean;
  /** Address of a module's variable, or its offset in const memory. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
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
  /** First thread of the unit that did not come to its end. */
  unit: 80,
  gridWorkspace: 84,
  /** Not 0 once a thread of the block has gone on without its neighbours. */
  strayed: 88,
} as const;

/** Address of the word that a thread holds while it changes 128 bits: kernels never reach so low. */
export const lockAddress = 0;

export type ContextField = keyof typeof context;

export const contextSize = 128;

/** What a thread's word of state says between regions: a region where it can run on, or one of these. */
export const state = {
  exited: -1,
  /** Added to a region by a thread that lets others go first. */
  paused: 0x4000_0000,
  regionOf: (word: number): number => word & ~0x4000_0000,
  /** The thread waits at a stop. */
  waitingAt: (stop: number): number => -2 - stop,
  stopOf: (word: number): number => -2 - word,
  /** Of each thread, where all have ended or come to one stop. */
  after: (result: number): number => result + 1,
} as const;

/** What running threads gives: a region where all go on, or one of these. */
export const outcome = {
  /** Each has a state of its own. */
  mixed: -1,
  allExited: -2,
  /** All wait at one stop. */
  allAt: (stop: number): number => -3 - stop,
  stopOf: (result: number): number => -3 - result,
} as const;

/** What came of running the threads of a warp that have parted, as bits. */
export const advanced = {
  /** More happened than that threads let others go first. */
  moved: 1,
  /** Some let others go first. */
  runnable: 2,
  /** A thread waits with a mask that leaves it out. */
  outside: 4,
} as const;

export function alignTo16(size: number): number {
  return (size + 15) & ~15;
}
