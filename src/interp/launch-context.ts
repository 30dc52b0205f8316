/** What preparing instructions needs besides them: facts about the launch, and about the function around them. */
import type { VariableSymbol } from '../check/symbols.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { KernelProgram } from '../program/link.ts';
import type { Memories } from './memory-steps.ts';
import type { LaunchFacts } from './specials.ts';
import type { Cpu } from './thread.ts';
import type { Tracing } from './trace.ts';

/** Facts about the launch that instructions may need. */
export interface LaunchContext {
  readonly kernel: KernelProgram;
  readonly memories: Memories;
  readonly facts: LaunchFacts;
  readonly cpu: Cpu;
  /** Address or offset of a module's variable. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** Null if the launch is not traced. */
  readonly tracing: Tracing | null;
  /** Whether shared and local memory know what was written. */
  readonly tracksWrites: boolean;
  /** Throws if the launch has been ended or its time is over. */
  readonly look: () => void;
}

export interface FunctionContext extends LaunchContext {
  readonly program: FunctionProgram;
  /** Where the functions of the kernel begin in the code, and where this one does. */
  readonly starts: readonly number[];
  readonly start: number;
  /** Slots of registers; all others hold constants and temporaries. */
  readonly registers: ReadonlySet<number>;
  /** First instructions of loops that a thread repeats only while it waits. */
  readonly idleLoops: ReadonlySet<number>;
}
