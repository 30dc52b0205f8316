/** The form of instructions in the engine's main loop, and the state of a running block. */
import type { Bits } from '../base/bits.ts';
import type { Collective } from '../isa/collective.ts';
import type { BarrierReduction } from '../isa/steps/group.ts';
import type { Barriers } from '../machine/barriers.ts';
import type { Collectives } from '../machine/collectives.ts';
import type { Undefined } from '../machine/memory/definedness.ts';
import type { Dim3 } from '../machine/extents.ts';
import type { Races } from '../machine/races/races.ts';
import type { Segment } from '../machine/memory/segment.ts';
import type { Activity, ThreadState } from '../machine/state.ts';
import type { Builtin } from '../program/builtins.ts';
import type { CarefulAction, Shadow } from './shadow.ts';
import type { Action, Frame } from './value-steps.ts';

/** The actions of a thread when it executes an instruction. */
export interface Executable {
  readonly run: Action;
  /** The action that runs instead of `run` while the thread has undefined values. */
  readonly careful: CarefulAction;
  /** How a thread that waits at this instruction continues; null if no thread can wait at it. */
  readonly rest: Rest | null;
}

export interface Prepared extends Executable {
  /** Slot of the guard's predicate; -1 if the instruction has no guard. */
  readonly guard: number;
  /** The value that the predicate must have for the instruction to run. */
  readonly guardValue: number;
  /** Whether running this entry counts as executing an instruction; false for `ret`. */
  readonly counted: boolean;
  /** Whether a thread waits for the other threads of its warp before it runs the instruction (program/lockstep.ts). */
  readonly catchesUp: boolean;
  /** When threads of a warp wait for each other, the thread whose instruction has the lowest place runs first. */
  readonly place: number;
  /**
   * If the instruction is in a loop in which a thread only waits for its cluster, the start of this loop; otherwise
   * null.
   */
  readonly spin: number | null;
}

/**
 * The rest of an instruction at which a thread waits for results from its group, for a barrier, or for the function it
 * called. While a thread waits, its frame and its position in the code contain everything that it needs to continue.
 */
export type Rest =
  | {
      readonly kind: 'collective';
      readonly fn: Collective;
      /** Slots of the values that the thread contributes. */
      readonly from: readonly number[];
      /** `undefinedBits` holds the undefined bits of the results; null if all results are defined. */
      readonly go: (thread: Thread, results: readonly Bits[], undefinedBits: UndefinedResults | null) => void;
    }
  | {
      readonly kind: 'barrier';
      readonly reduce: BarrierReduction | null;
      /** `result` is the result of the reduction; 0 if there is no reduction. */
      readonly go: (thread: Thread, result: number) => void;
    }
  | { readonly kind: 'call'; readonly go: (thread: Thread) => void };

/** The undefined bits of each result; null for each result that is fully defined. */
export type UndefinedResults = readonly (Undefined | null)[];

/**
 * The rest of an instruction as two actions: one for threads in which all values are defined, and one for threads with
 * undefined values.
 */
export interface Remainder {
  readonly run: Action;
  readonly careful: CarefulAction;
}

/** Runs the rest of an instruction. */
export function finish(rest: Remainder, thread: Thread): void {
  if (thread.shadow === null) rest.run(thread.frame);
  else rest.careful(thread.frame, thread);
}

/** The two parts of an instruction at which a thread waits. */
export interface Stopping {
  readonly stop: Action;
  readonly rest: Rest;
}

/** The saved activation of a function that has called another function and waits for it to return. */
export interface Caller {
  readonly frame: Frame;
  readonly shadow: Shadow | null;
  readonly pc: number;
  readonly base: number;
}

export interface Thread {
  readonly index: Dim3;
  /** The number of the thread within its block. Threads are numbered along x first, then y, then z, as in warps. */
  readonly linear: number;
  /** The frame of the running function. */
  frame: Frame;
  /** Undefined values in the frame; null if all values are defined. */
  shadow: Shadow | null;
  /** Local memory; null if the kernel and the functions it calls have no local variables. */
  readonly local: Segment | null;
  /** Start of the running function's variables in local memory. */
  base: number;
  /** Callers that are waiting, innermost last. */
  calls: Caller[];
  pc: number;
  activity: Activity;
  /** How many more times the threads that are further ahead in the warp will wait for this thread. */
  awaited: number;
  /** Whether the thread has finished waiting for the other threads of its warp and may run its next instruction. */
  isReleased: boolean;
  /** Register values before the current instruction, if it is traced. */
  before: readonly Bits[] | null;
  /** The most recently saved state of the thread; null if the thread has run since it was saved. */
  saved: ThreadState | null;
}

/** Lets the thread continue with the instruction at which it waited. */
export function wake(thread: Thread): void {
  thread.activity = 'running';
  thread.saved = null;
}

export interface Block {
  readonly index: Dim3;
  /** The number of the block in the grid, as in `blockIndexOf`. */
  readonly number: number;
  readonly threads: readonly Thread[];
  readonly shared: Segment;
  /** Tensor memory; null if the kernel does not use it. */
  readonly tensor: Segment | null;
  readonly barriers: Barriers;
  readonly collectives: Collectives;
  /** Whether all threads have exited. */
  hasEnded: boolean;
  /** Index of the next thread to run. */
  nextThread: number;
  /**
   * Number of instructions that the thread has processed in its current turn, including those that were skipped because
   * their guards were false.
   */
  tried: number;
  /** How often the thread has read memory that other threads may write, counted from the start of its current turn. */
  looks: number;
  /**
   * Number of consecutive turns that ended because a thread seemed to be waiting for another thread to write to memory.
   */
  idleTurns: number;
  /** Number of consecutive rounds in which all threads seemed to be waiting. */
  idleRounds: number;
  /** Number of turns that ended at a barrier or collective since other blocks had a turn. */
  stops: number;
}

/** A thread's turn ends after this many reads of memory that other threads may write. */
export const looksPerTurn = 256;

/**
 * The maximum value of `awaited`. A limit is necessary because a thread that is behind may be waiting for a thread that
 * is ahead, in a loop that is not recognized as a waiting loop.
 */
export const mostAwaited: number = 1 << 14;

/** The amount by which `awaited` decreases when a thread has only polled memory during its turn. */
export const awaitedPolls: number = 1 << 8;

/** A value of `looks` that ends the turn of a thread. It is set if the thread was the last of its group to arrive. */
export const turnOver: number = Number.POSITIVE_INFINITY;

/** The context in which prepared instructions run. The engine sets the members before it runs the instructions. */
export interface Cpu {
  thread: Thread;
  block: Block;
  /**
   * How often the thread has read memory that other threads may write, counted from the start of its current turn. This
   * counts loads that may poll, atomics, and instructions that yield to other threads. Each round of an idle loop,
   * which a thread repeats only while it waits, counts as several reads.
   */
  looks: number;
  /** Number of instructions executed in the launch, summed over all threads. */
  executed: number;
  /** The race detector; null if the launch does not search for races. */
  readonly races: Races | null;
  /** The difference between the timer, in nanoseconds, and `executed`. */
  timer: number;
  /** The code of all the kernel's functions, one after the other. */
  code: readonly Prepared[];
  readonly blocksPerCluster: number;
  /** Returns the block with this rank in the running block's cluster. */
  readonly neighbor: (rank: number) => Block;
  /** Cancels the launch of the next cluster, and returns the index of its first block; null if no cluster is left. */
  readonly cancelBlocks: () => Dim3 | null;
  /**
   * The offset of the cluster's barrier in the shared memory of a block. This memory is kept after the block has ended.
   */
  readonly clusterBarrier: number | null;
  /**
   * Runs a built-in function, whose arguments are at offset `base` of local memory; its result is stored after the
   * arguments. `line` is the source line of the call.
   */
  readonly builtin: (builtin: Builtin, local: Segment, base: number, line: number) => void;
}

/**
 * Ends the turn of the running thread, which was the last one of a group to arrive. Otherwise, it would run ahead of
 * the others, and the result of a race would depend on the number of instructions at which threads have waited.
 */
export function handOver(cpu: Cpu, group: readonly number[]): void {
  const { block, thread } = cpu;
  cpu.looks = turnOver;
  block.nextThread = (Math.max(thread.linear, ...group) + 1) % block.threads.length;
}
