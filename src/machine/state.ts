/**
 * The state of a launch as plain data. It can be stored, cloned, sent to another thread, and continued by another
 * engine. States are never modified. Consecutive states share all parts that did not change from one state to the next.
 */
import type { Bits } from '../base/bits.ts';
import type { BarriersState } from './barriers.ts';
import type { CollectivesState } from './collectives.ts';
import type { Undefined } from './memory/definedness.ts';
import type { HeapState } from './memory/device-heap.ts';
import type { GlobalState } from './memory/global-memory.ts';
import type { PrintedState } from './printing/printed.ts';
import type { SegmentState } from './memory/segment.ts';

export interface LaunchState {
  /** Number of the next block to start. */
  readonly nextBlock: number;
  /** Blocks that have started but have not ended. The block that is currently running comes first. */
  readonly blocks: readonly BlockState[];
  /** Number of instructions executed, summed over all threads. */
  readonly executed: number;
  /**
   * The value of the timer in nanoseconds, minus `executed`. The difference is stored because the timer advances by one
   * nanosecond with each instruction.
   */
  readonly timer: number;
  readonly printed: PrintedState;
  readonly memory: GlobalState;
  readonly heap: HeapState;
}

/** The state of a launch between blocks, when none is running. */
export interface SettledState extends LaunchState {
  readonly blocks: readonly [];
}

export interface BlockState {
  /** The number of the block, as in `blockIndexOf`. */
  readonly number: number;
  readonly threads: readonly ThreadState[];
  readonly shared: SegmentState;
  /** Tensor memory; null if the kernel does not use it. */
  readonly tensor: SegmentState | null;
  readonly barriers: BarriersState;
  readonly collectives: CollectivesState;
  readonly turn: TurnState;
  readonly idleTurns: number;
  readonly idleRounds: number;
  readonly stops: number;
}

/** How far the running thread has progressed in its current turn. */
export interface TurnState {
  readonly thread: number;
  /** Number of instructions that the thread has begun in this turn. */
  readonly tried: number;
  /**
   * Number of times that the thread has read memory in this turn, counting only reads of memory to which other threads
   * may write.
   */
  readonly looks: number;
}

/**
 * What a thread is doing. A thread that is `waiting` has begun an instruction at which it waits for other threads; its
 * `pc` is already at the next instruction.
 */
export type Activity = 'running' | 'waiting' | 'exited';

export interface ThreadState {
  /** The values in the frame of the function that the thread is executing. */
  readonly frame: readonly Bits[];
  /** The undefined bits of these values, by position; null if all bits are defined. */
  readonly shadow: ReadonlyMap<number, Undefined> | null;
  readonly local: SegmentState | null;
  /** Start of the current function's variables in local memory. */
  readonly base: number;
  /** The functions that have made a call that has not returned yet; the innermost caller comes last. */
  readonly calls: readonly CallState[];
  readonly pc: number;
  readonly activity: Activity;
  /** How many more times threads of the same warp will wait for this thread if they are further ahead. */
  readonly awaited: number;
  /** Whether the thread has finished waiting for the other threads of its warp and may run its next instruction. */
  readonly isReleased: boolean;
  /**
   * The values that the registers had before the current instruction. Present only if the instruction is traced and the
   * thread is waiting at it.
   */
  readonly before: readonly Bits[] | null;
}

/**
 * A function that has called another function. When the callee returns, the caller first completes its call
 * instruction, which is the one before `pc`.
 */
export interface CallState {
  readonly frame: readonly Bits[];
  readonly shadow: ReadonlyMap<number, Undefined> | null;
  readonly pc: number;
  readonly base: number;
}
