/**
 * A launch at a moment, as plain data: it can be kept, cloned, sent to another thread, and gone on with by another engine.
 * States share what did not change between them, and nobody writes to one.
 */
import type { Bits } from '../base/bits.ts';
import type { BarriersState } from './barriers.ts';
import type { CollectivesState } from './collectives.ts';
import type { HeapState } from './device-heap.ts';
import type { GlobalState } from './global-memory.ts';
import type { SegmentState } from './segment.ts';

export interface LaunchState {
  /** Blocks before it have begun. */
  readonly nextBlock: number;
  /** Those of them that have not ended, the one that runs first. */
  readonly blocks: readonly BlockState[];
  /** Executed thread-instructions. */
  readonly executed: number;
  /** What the timer showed, in nanoseconds, less the executed instructions: it shows one more for each. */
  readonly timer: number;
  readonly printed: string;
  readonly memory: GlobalState;
  readonly heap: HeapState;
}

/** A launch between two blocks. */
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

/** The turn of the thread that runs. */
export interface TurnState {
  readonly thread: number;
  /** Instructions that it has tried in this turn. */
  readonly tried: number;
  /** Times that it looked at what others may write. */
  readonly looks: number;
}

/** `waiting`: in the instruction before `pc`, for others. */
export type Activity = 'running' | 'waiting' | 'exited';

export interface ThreadState {
  /** Values of the function that runs. */
  readonly frame: readonly Bits[];
  readonly local: SegmentState | null;
  /** Where the function that runs has its variables in local memory. */
  readonly base: number;
  /** Open calls, the innermost last. */
  readonly calls: readonly CallState[];
  readonly pc: number;
  readonly activity: Activity;
  /** Where it waits and is traced: the registers before the instruction. */
  readonly before: readonly Bits[] | null;
}

/** A function that called another: it goes on with the rest of the instruction before `pc`. */
export interface CallState {
  readonly frame: readonly Bits[];
  readonly pc: number;
  readonly base: number;
}
