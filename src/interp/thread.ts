/** Instructions as the engine's loop sees them, and the state of a block while it runs. */
import type { Bits } from '../base/bits.ts';
import type { Collective } from '../isa/collective.ts';
import type { BarrierReduction } from '../isa/steps/group.ts';
import type { Barriers } from '../machine/barriers.ts';
import type { Collectives } from '../machine/collectives.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { Segment } from '../machine/segment.ts';
import type { Activity, ThreadState } from '../machine/state.ts';
import type { Builtin } from '../program/builtins.ts';
import type { Action, Frame } from './value-steps.ts';

export interface Prepared {
  /** Place of the guard's predicate; -1 without one. */
  readonly guard: number;
  /** Value of the predicate that lets the instruction run. */
  readonly guardValue: number;
  readonly run: Action;
  /** `ret` is not counted as an executed instruction. */
  readonly counted: boolean;
  /** How a thread goes on that waits in the instruction; null where none ever does. */
  readonly rest: Rest | null;
}

/**
 * The rest of an instruction in which a thread waits: for its group, which gives it results, for a barrier, or for the
 * function that it called. All that the thread keeps meanwhile is its frame and its place in the code.
 */
export type Rest =
  | {
      readonly kind: 'collective';
      readonly fn: Collective;
      /** Places of what the thread brought. */
      readonly from: readonly number[];
      readonly go: (thread: Thread, results: readonly Bits[]) => void;
    }
  | {
      readonly kind: 'barrier';
      readonly reduce: BarrierReduction | null;
      /** `result` is that of the reduction, or 0. */
      readonly go: (thread: Thread, result: number) => void;
    }
  | { readonly kind: 'call'; readonly go: (thread: Thread) => void };

/** An instruction that waits, in two parts. */
export interface Stopping {
  readonly stop: Action;
  readonly rest: Rest;
}

/** A function that called another and waits for it to return. */
export interface Caller {
  readonly frame: Frame;
  readonly pc: number;
  readonly base: number;
}

export interface Thread {
  readonly index: Dim3;
  /** x fastest, as warps are cut. */
  readonly linear: number;
  /** Of the function that runs. */
  frame: Frame;
  /** Null where the kernel and what it calls have no local variables. */
  readonly local: Segment | null;
  /** Where the function that runs has its variables in local memory. */
  base: number;
  /** Open calls, the innermost last. */
  calls: Caller[];
  pc: number;
  activity: Activity;
  /** Registers before the instruction that it is in, where that is traced. */
  before: readonly Bits[] | null;
  /** The state that it is still in; null where it has run since one was taken. */
  saved: ThreadState | null;
}

/** The thread runs on in the instruction in which it waited. */
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
  /** Number of the thread that runs next. */
  nextThread: number;
  /** Instructions that it has tried in its turn. */
  tried: number;
  /** Looks at what others may write, in its turn. */
  looks: number;
  /** Turns in a row that ended because a thread seems to wait for what others write. */
  idleTurns: number;
}

/** What the functions of prepared instructions act on: set by the engine before it calls them. */
export interface Cpu {
  thread: Thread;
  block: Block;
  /** Looks at what others may write, in this turn: watched loads, atomics, offers to let others run. */
  looks: number;
  /** Executed thread-instructions of the launch. */
  executed: number;
  /** What the timer shows in nanoseconds, less `executed`. */
  timer: number;
  /** All functions of the kernel one after the other. */
  code: readonly Prepared[];
  /** Runs a built-in function whose arguments lie in local memory at `base`, its result after them. */
  readonly builtin: (builtin: Builtin, local: Segment, base: number) => void;
}
