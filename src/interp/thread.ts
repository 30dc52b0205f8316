/** Instructions as the engine's loop sees them, and the state of a block while it runs. */
import type { Bits } from '../base/bits.ts';
import type { Collective } from '../isa/collective.ts';
import type { BarrierReduction } from '../isa/steps/group.ts';
import type { Barriers } from '../machine/barriers.ts';
import type { Collectives } from '../machine/collectives.ts';
import type { Undefined } from '../machine/definedness.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { Segment } from '../machine/segment.ts';
import type { Activity, ThreadState } from '../machine/state.ts';
import type { Builtin } from '../program/builtins.ts';
import type { CarefulAction, Shadow } from './shadow.ts';
import type { Action, Frame } from './value-steps.ts';

export interface Prepared {
  /** Slot of the guard's predicate; -1 without a guard. */
  readonly guard: number;
  /** Value of the predicate for which the instruction runs. */
  readonly guardValue: number;
  readonly run: Action;
  /** The same while the thread has undefined values. */
  readonly careful: CarefulAction;
  /** `ret` is not counted as an executed instruction. */
  readonly counted: boolean;
  /** How a thread that waits in the instruction continues; null if it never waits. */
  readonly rest: Rest | null;
}

/**
 * The rest of an instruction in which a thread waits: for its group, which gives it results, for a barrier, or for the
 * function that it called. Meanwhile the thread keeps only its frame and its position in the code.
 */
export type Rest =
  | {
      readonly kind: 'collective';
      readonly fn: Collective;
      /** Slots of the values that the thread brought. */
      readonly from: readonly number[];
      /** `undefinedBits`: of the results, if there may be any. */
      readonly go: (thread: Thread, results: readonly Bits[], undefinedBits: UndefinedResults | null) => void;
    }
  | {
      readonly kind: 'barrier';
      readonly reduce: BarrierReduction | null;
      /** `result` is that of the reduction, or 0. */
      readonly go: (thread: Thread, result: number) => void;
    }
  | { readonly kind: 'call'; readonly go: (thread: Thread) => void };

/** One for each result; null for a defined one. */
export type UndefinedResults = readonly (Undefined | null)[];

/** The rest of an instruction as actions, for threads without and with undefined values. */
export interface Remainder {
  readonly run: Action;
  readonly careful: CarefulAction;
}

/** Runs the rest of an instruction. */
export function finish(rest: Remainder, thread: Thread): void {
  if (thread.shadow === null) rest.run(thread.frame);
  else rest.careful(thread.frame, thread);
}

/** An instruction that waits, in two parts. */
export interface Stopping {
  readonly stop: Action;
  readonly rest: Rest;
}

/** A function that called another and waits for it to return. */
export interface Caller {
  readonly frame: Frame;
  readonly shadow: Shadow | null;
  readonly pc: number;
  readonly base: number;
}

export interface Thread {
  readonly index: Dim3;
  /** x varies fastest, as in the order of warps. */
  readonly linear: number;
  /** Of the running function. */
  frame: Frame;
  /** Undefined values of the frame; null if there are none. */
  shadow: Shadow | null;
  /** Null if the kernel and the functions it calls have no local variables. */
  readonly local: Segment | null;
  /** Start of the running function's variables in local memory. */
  base: number;
  /** Open calls, innermost last. */
  calls: Caller[];
  pc: number;
  activity: Activity;
  /** Registers before the current instruction, if it is traced. */
  before: readonly Bits[] | null;
  /** The saved state that is still current; null if the thread has run since. */
  saved: ThreadState | null;
}

/** The thread continues with the instruction in which it waited. */
export function wake(thread: Thread): void {
  thread.activity = 'running';
  thread.saved = null;
}

export interface Block {
  readonly index: Dim3;
  readonly linear: number;
  readonly threads: readonly Thread[];
  readonly shared: Segment;
  readonly barriers: Barriers;
  readonly collectives: Collectives;
  /** Number of the next thread to run. */
  nextThread: number;
  /** Instructions that it has tried in its turn. */
  tried: number;
  /** How often it read memory that others may write, in its turn. */
  looks: number;
  /** Consecutive turns that ended because a thread seems to wait for memory that others write. */
  idleTurns: number;
}

/** How often a thread may read memory that others may write before they get their turn. */
export const looksPerTurn = 256;

/** The context of the functions of prepared instructions: the engine sets it before it calls them. */
export interface Cpu {
  thread: Thread;
  block: Block;
  /**
   * Reads of memory that others may write in this turn: watched loads, atomics, offers to let others run. A round of an
   * idle loop counts as several.
   */
  looks: number;
  /** Executed thread-instructions of the launch. */
  executed: number;
  /** The value of the timer in nanoseconds, minus `executed`. */
  timer: number;
  /** All functions of the kernel one after the other. */
  code: readonly Prepared[];
  /** Runs a built-in function whose arguments are in local memory at `base`, called on a line; its result follows them. */
  readonly builtin: (builtin: Builtin, local: Segment, base: number, line: number) => void;
}
