/** The facts about the launch and the enclosing function that are needed to prepare instructions. */
import type { VariableSymbol } from '../check/symbols.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { InLockstep } from '../program/lockstep.ts';
import type { KernelProgram } from '../program/link.ts';
import type { Memories } from './memory-access.ts';
import type { LaunchFacts } from './specials.ts';
import type { Cpu } from './thread.ts';
import type { Tracing } from './trace.ts';

/** The facts about the launch that instructions may need. */
export interface LaunchContext {
  readonly kernel: KernelProgram;
  readonly memories: Memories;
  readonly facts: LaunchFacts;
  readonly cpu: Cpu;
  /** Address or offset of a module variable. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** What to trace; null if the launch is not traced. */
  readonly tracing: Tracing | null;
  /** Whether shared and local memory track which bytes were written. */
  readonly tracksWrites: boolean;
  /** Which accesses the threads of a warp perform in lockstep. */
  readonly inLockstep: InLockstep;
  /** Throws if the launch was aborted or has run out of time. */
  readonly look: () => void;
}

export interface FunctionContext extends LaunchContext {
  readonly program: FunctionProgram;
  /** The position of each of the kernel's functions in the engine's code. `start` is the position of this function. */
  readonly starts: readonly number[];
  readonly start: number;
  /** The slots that hold registers. All other slots hold constants and temporaries. */
  readonly registers: ReadonlySet<number>;
  /** Indices of the first instructions of idle loops. A thread repeats such a loop only while it waits. */
  readonly idleLoops: ReadonlySet<number>;
}
