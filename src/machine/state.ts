/**
 * The state of a launch as plain data: it can be kept, cloned, sent to another thread, and continued by another engine.
 * States share what did not change between them and are never modified.
 */
import type { Bits } from '../base/bits.ts';
import type { BarriersState } from './barriers.ts';
import type { CollectivesState } from './collectives.ts';
import type { Undefined } from './definedness.ts';
import type { HeapState } from './device-heap.ts';
import type { GlobalState } from './global-memory.ts';
import type { PrintedState } from './printed.ts';
import type { SegmentState } from './segment.ts';

export interface LaunchState {
  /** Blocks before this one have started. */
  readonly nextBlock: number;
  /** Started blocks that have not ended; the one that runs comes first. */
  readonly blocks: readonly BlockState[];
  /** Executed thread-instructions. */
  readonly executed: number;
  /** The value of the timer in nanoseconds, minus the executed instructions: each instruction adds one. */
  readonly timer: number;
  readonly printed: PrintedState;
  readonly memory: GlobalState;
  readonly heap: HeapState;
}

/** The state of a launch between two blocks. */
export interface SettledState extends LaunchState {
  readonly blocks: readonly [];
}

export interface BlockState {
  readonly linear: number;
  readonly threads: readonly ThreadState[];
  readonly shared: SegmentState;
  readonly barriers: BarriersState;
  readonly collectives: CollectivesState;
  readonly turn: TurnState;
  readonly idleTurns: number;
}

/** The turn of the running thread. */
export interface TurnState {
  readonly thread: number;
  /** Instructions that it has tried in this turn. */
  readonly tried: number;
  /** How often it read memory that others may write. */
  readonly looks: number;
}

/** `waiting`: in the instruction before `pc`, for other threads. */
export type Activity = 'running' | 'waiting' | 'exited';

export interface ThreadState {
  /** Values of the running function. */
  readonly frame: readonly Bits[];
  /** Undefined values among them, by their position; null if there are none. */
  readonly shadow: ReadonlyMap<number, Undefined> | null;
  readonly local: SegmentState | null;
  /** Start of the running function's variables in local memory. */
  readonly base: number;
  /** Open calls, innermost last. */
  readonly calls: readonly CallState[];
  readonly pc: number;
  readonly activity: Activity;
  /** If it waits and is traced: the registers before the instruction. */
  readonly before: readonly Bits[] | null;
}

/** A function that called another: it continues with the rest of the instruction before `pc`. */
export interface CallState {
  readonly frame: readonly Bits[];
  readonly shadow: ReadonlyMap<number, Undefined> | null;
  readonly pc: number;
  readonly base: number;
}
