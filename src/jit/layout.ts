/**
 * The interface between compiled code and the engine: the constants of a compiled kernel, and the context of a block,
 * which is a sequence of 32-bit fields in borrowed global memory. All addresses here are addresses in global memory.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import { clusterLimit } from '../machine/launch.ts';
import type { InLockstep } from '../program/lockstep.ts';

export interface LaunchLayout {
  /**
   * Offset in the WebAssembly memory that corresponds to address 0 of global memory. The allocation map occupies all
   * bytes before this offset.
   */
  readonly origin: number;
  /** Whether the memory is shared between threads. */
  readonly sharedMemory: boolean;
  /**
   * Whether blocks run on several host threads at the same time. In that case, atomic steps must also be atomic with
   * respect to other host threads.
   */
  readonly concurrent: boolean;
  readonly parameterBytes: number;
  readonly constantBytes: number;
  /**
   * Number of bytes of shared memory that are not counted as memory of the kernel: bytes at the start that are reserved
   * for the system, and bytes that ptxlab itself needs.
   */
  readonly uncountedBytes: number;
  /** Size of a thread's local memory in bytes. */
  readonly localBytes: number;
  /** Whether a thread may access the shared memory of other blocks in its cluster. */
  readonly reachesOtherBlocks: boolean;
  /** Size of a block's tensor memory; 0 if the kernel does not use it. */
  readonly tensorBytes: number;
  /** Whether accesses are checked against the allocations. */
  readonly checked: boolean;
  /**
   * Whether the kernel has code that runs four threads at a time, in addition to the code that runs one thread at a
   * time.
   */
  readonly fours: boolean;
  /**
   * Some of the single-thread code is needed only when four threads cannot run together. If `aloneLater` is true, this
   * code is left out of the module and compiled when a launch first needs it.
   */
  readonly aloneLater: boolean;
  /** Which accesses the threads of a warp perform in lockstep. */
  readonly inLockstep: InLockstep;
  /** Whether products and sums can be computed in one step that rounds once; see `fusesProducts`. */
  readonly fuses: boolean;
  /** Returns the address of a module variable, or its offset in const memory. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** Throws if the launch that is waiting for the compiled code has been aborted or has run out of time. */
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
  shared: 48,
  local: 52,
  frames: 56,
  parameters: 60,
  constants: 64,
  /** Number of threads in the block. */
  threads: 68,
  /** Address of the threads' call stacks. */
  calls: 72,
  /** If a unit (a range of threads that run together) did not finish, the index of its first thread. */
  unit: 76,
  gridWorkspace: 80,
  /** Nonzero if any thread of the block has continued on its own, without its neighbors in a group of four. */
  strayed: 84,
  /**
   * Number of matrix products that had to be computed term by term. Includes the products of all blocks that have used
   * this context.
   */
  slowTiles: 88,
  /**
   * The number of times that a region has been run, counting only regions that may end at a call or where the threads
   * of a warp reconverge. Used only if a thread may wait for another thread in a loop that extends over several
   * regions.
   */
  leavingRuns: 92,
  /** The extents of a cluster, and whether the kernel or the launch specifies clusters. */
  clusterX: 96,
  clusterY: 100,
  clusterZ: 104,
  hasClusters: 108,
  /** The rank of the block in its cluster, and the number of blocks in the cluster. */
  rank: 112,
  blocksPerCluster: 116,
  /** Address of tensor memory. */
  tensor: 120,
  /** The operands of the texture or surface instruction that is being executed. */
  textureOperands: 124,
  /** Four words: the results of the most recent call to the engine. */
  results: 176,
  /**
   * Number of further stops after which the block may continue before its current turn is over. Used only by kernels
   * that let other blocks run at stops.
   */
  stopsLeft: 192,
  /**
   * Nonzero if, in the current turn, a thread of the block has done more than repeat a loop in which it only waits for
   * its cluster. Used only by kernels in which threads wait for their cluster in loops.
   */
  moved: 196,
  /** Address of the table of textures (textures/texture-table.ts), if the kernel reads textures. */
  textureTable: 200,
  /** The loss that simd/rejoin-loss.ts measures. It is not reset when another block uses the same context. */
  rejoinLoss: 204,
  /**
   * The offset of an array with one word for each possible rank in a cluster, in order. The word is the address of the
   * shared memory of the block with this rank, or 0 if the block has exited.
   */
  clusterMemories: 208,
} as const;

/**
 * Address of the word that serves as a lock. A thread holds the lock while it changes a 128-bit value atomically.
 * Nothing else is stored there, because all allocations have higher addresses.
 */
export const lockAddress = 0;

export type ContextField = keyof typeof context;

/** The size of a block's context, rounded up to a multiple of 16 so that the data after it is aligned. */
export const contextSize: number = alignTo16(context.clusterMemories + 4 * clusterLimit);

/**
 * The values that a thread's state word can have between regions: either the index of the region in which the thread
 * can continue, or one of the special values below.
 */
export const state = {
  exited: -1,
  /** A flag that is added to the index of the region if the thread has paused to let others run. */
  paused: 0x4000_0000,
  regionOf: (word: number): number => word & ~0x4000_0000,
  /** The thread waits at a stop. */
  waitingAt: (stop: number): number => -2 - stop,
  stopOf: (word: number): number => -2 - word,
  /**
   * Returns the new state word of each thread after a given outcome. The outcome must be that all threads have exited,
   * or that all threads wait at the same stop.
   */
  after: (result: number): number => result + 1,
} as const;

/**
 * The outcome of running a range of threads: either the index of the region in which all of these threads continue, or
 * one of the special values below.
 */
export const outcome = {
  /** Each thread has its own state. */
  mixed: -1,
  allExited: -2,
  /** All threads wait at the same stop. */
  allAt: (stop: number): number => -3 - stop,
  stopOf: (result: number): number => -3 - result,
} as const;

/** Flags that describe what happened when the diverged threads of a warp were run. */
export const advanced = {
  /** Some threads did more than pause. */
  moved: 1,
  /** Some threads paused to let others run. */
  runnable: 2,
  /** A thread waits at an instruction with a mask of lanes, but the thread's own lane is not in the mask. */
  outside: 4,
} as const;

export function alignTo16(size: number): number {
  return (size + 15) & ~15;
}
