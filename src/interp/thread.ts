/** The state of a block while it runs. */
import type { Bits } from '../base/bits.ts';
import type { Barriers, Opened } from '../machine/barriers.ts';
import type { Collectives } from '../machine/collectives.ts';
import type { CollectiveFunction } from '../isa/steps.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { Segment } from '../machine/segment.ts';
import type { Builtin } from '../program/builtins.ts';
import type { Frame } from './value-steps.ts';

export type ThreadState = 'running' | 'waiting' | 'exited';

/** What a thread that waits for others of its warp brought, and what it does with the result. */
export interface Offer {
  readonly fn: CollectiveFunction;
  readonly values: readonly Bits[];
  readonly take: (results: readonly Bits[]) => void;
}

/** A function that called another and waits for it to return. */
export interface Caller {
  readonly frame: Frame;
  readonly pc: number;
  readonly base: number;
  /** Takes what was returned. */
  readonly finish: () => void;
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
  readonly calls: Caller[];
  pc: number;
  state: ThreadState;
  /** Set while the thread waits in a collective. */
  offer: Offer | null;
  /** What the thread does when the barrier that it waits at opens. */
  pass: ((opened: Opened) => void) | null;
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
  /** Runs a built-in function whose arguments lie in local memory at `base`, its result behind them. */
  readonly builtin: (builtin: Builtin, local: Segment, base: number) => void;
}
