/** The context for lowering a step, which includes the function's code, its values, and the module's helpers. */
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';
import type { Code } from '../wasm/code.ts';
import type { Helpers } from './helpers.ts';
import type { CheckedSpans } from './memory/checked-spans.ts';
import type { LaunchLayout } from './layout.ts';
import type { RecordEngineCall } from './engine-call.ts';
import type { Values } from './regions/values.ts';

/** Locals that exist in the function of every region. */
export interface RegionLocals {
  /** Address of the block's context (layout.ts). */
  readonly context: number;
  /** Index of the thread in its block. */
  readonly thread: number;
  /** Number of instructions that may still run before the code has to ask the engine for more fuel. */
  readonly fuel: number;
  /** `%tid` of the thread. */
  readonly index: readonly [x: number, y: number, z: number];
  /**
   * Start of the function's activation in the thread's local memory. Null in a kernel, whose activation starts at 0.
   */
  readonly base: number | null;
}

export interface Lowering {
  readonly code: Code;
  readonly values: Values;
  readonly helpers: Helpers;
  readonly layout: LaunchLayout;
  readonly locals: RegionLocals;
  readonly instruction: ProgramInstruction;
  /** The function that the instruction belongs to. */
  readonly program: FunctionProgram;
  /**
   * The spans whose accesses share a single check. Null in code that runs each instruction for one thread at a time,
   * because such code checks each access individually.
   */
  readonly spans: CheckedSpans | null;
  /**
   * Whether a NaN result of the instruction may have arbitrary bits, even if PTX prescribes its bits (see
   * arithmetic/hidden-nans.ts).
   */
  readonly hidesNan: boolean;
  /** Records a place where the engine may be called. */
  readonly recordCall: RecordEngineCall;
  /** Writes a call to a built-in function or a direct function, after which the thread continues immediately. */
  readonly callDirectly: () => void;
}
