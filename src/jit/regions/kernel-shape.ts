/** A kernel and the functions that it may call, split into regions, with the data that all regions share. */
import { elementAt, valueAt } from '../../base/element-at.ts';
import { threadLimit } from '../../isa/sm-limits.ts';
import { looksAtOthers } from '../../isa/steps/effects.ts';
import { type DirectFunctions, noDirectFunctions } from '../../program/direct-functions.ts';
import { builtinsOf, type KernelProgram } from '../../program/link.ts';
import type { LinkedFunction } from '../../program/linked-function.ts';
import { accessesInLockstep } from '../../program/lockstep.ts';
import { looksAtBlocks } from '../../program/waiting-loops.ts';
import { callStackBytes } from '../calls/call-stack.ts';
import { CodeSize } from '../code-limits.ts';
import type { EngineCall } from '../engine-call.ts';
import type { Stop } from '../groups/stop.ts';
import { Helpers } from '../helpers.ts';
import type { LaunchLayout } from '../layout.ts';
import { FrameLayout } from './frame.ts';
import { type FunctionShape, functionShape } from './function-shape.ts';

export interface KernelShape {
  readonly kernel: KernelProgram;
  readonly layout: LaunchLayout;
  readonly helpers: Helpers;
  /**
   * The functions, in the order of their indices in the kernel program; null for built-in functions. The kernel comes
   * first.
   */
  readonly functions: readonly (FunctionShape | null)[];
  readonly direct: DirectFunctions;
  readonly stops: readonly Stop[];
  /** Whether the threads that run a region together may be in different states at its end. */
  readonly hasStates: boolean;
  /**
   * Whether threads run warp by warp, and some lanes of a warp may run while the others wait. This is the case if
   * threads of a warp exchange values or reconverge at certain instructions.
   */
  readonly inWarps: boolean;
  /** Whether the threads of a warp reconverge at certain instructions (program/lockstep.ts). */
  readonly catchesUp: boolean;
  /**
   * Whether a thread may wait for another thread in a loop that extends over several regions, because the loop contains
   * a call or an instruction at which threads reconverge. In that case, a thread sometimes pauses at such a place to
   * let other threads run.
   */
  readonly waitsAcrossRegions: boolean;
  /** Whether a thread may reach a loop in which it waits for another thread. */
  readonly waits: boolean;
  /**
   * Whether a loop with a stop may wait for another block. A thread does not pause in such a loop, because it begins a
   * new region at each stop. Instead, the whole block lets other blocks run after a certain number of stops.
   */
  readonly yieldsAtStops: boolean;
  /**
   * The regions that begin with a loop in which a thread only waits for its cluster, with the PTX source lines of the
   * loops. Empty if threads may also pause outside loops.
   */
  readonly spins: ReadonlyMap<number, number>;
  readonly frame: FrameLayout;
  /** Maximum number of bytes that a thread's call stack may occupy. */
  readonly callBytes: number;
  readonly engineCalls: EngineCall[];
}

export function kernelShapeOf(kernel: KernelProgram, layout: LaunchLayout): KernelShape {
  const frame = new FrameLayout(Math.min(kernel.entry.mostThreads ?? threadLimit, threadLimit));
  const stops: Stop[] = [];
  const builtins = builtinsOf(kernel);
  const direct = directFunctionsOf(kernel, layout);
  const atOnce = new Set([...builtins, ...direct.all]);
  let firstRegion = 0;
  const size = new CodeSize(kernel.entry.name);
  const functions = kernel.functions.map((fn, index): FunctionShape | null => {
    if (fn.kind === 'builtin') return null;
    const { stackBytes } = kernel;
    const shape = functionShape(fn.program, { size, atOnce, direct, firstRegion, stops, frame, stackBytes, layout });
    if (!direct.all.has(index)) firstRegion += shape.regions.length;
    return shape;
  });
  const catchesUp = functions.some((fn) => fn !== null && fn.lockstep.size > 0);
  const waitsAcrossRegions = (catchesUp || functions.length > atOnce.size + 1) && kernel.functions.some(looks);
  const waits = waitsAcrossRegions || functions.some((fn) => fn !== null && fn.pauses.size > 0);
  return {
    kernel,
    layout,
    functions,
    direct,
    stops,
    frame,
    helpers: new Helpers(layout.sharedMemory, layout.fuses),
    hasStates:
      catchesUp ||
      functions.length > atOnce.size + 1 ||
      functions.some((fn) => fn !== null && fn.stopAt.size + fn.pauses.size > 0),
    inWarps: catchesUp || stops.some(({ step }) => step.kind === 'collective'),
    catchesUp,
    waitsAcrossRegions,
    spins: catchesUp || waitsAcrossRegions ? new Map() : spinsOf(functions),
    waits,
    yieldsAtStops: stops.length > 0 && waits && looksAtBlocks(kernel),
    callBytes: callStackBytes(kernel, functions),
    engineCalls: [],
  };
}

/**
 * Returns the functions that generated code calls directly. If threads perform accesses in lockstep, no function is
 * called directly, because all threads of a warp have to enter each function and return from it together.
 */
function directFunctionsOf({ functions, direct }: KernelProgram, { inLockstep }: LaunchLayout): DirectFunctions {
  const exchanges = functions.some((fn) => fn.kind === 'program' && accessesInLockstep(fn.program, inLockstep));
  return exchanges ? noDirectFunctions : direct;
}

function spinsOf(functions: readonly (FunctionShape | null)[]): ReadonlyMap<number, number> {
  const spins = new Map<number, number>();
  for (const fn of functions) {
    for (const [block, { waiting }] of fn?.pauses ?? []) {
      if (fn === null || waiting !== 'spin') continue;
      const { start } = elementAt(fn.blocks, block);
      spins.set(valueAt(fn.regionAt, block), elementAt(fn.program.instructions, start).line);
    }
  }
  return spins;
}

/** Whether a function contains a step that may read data that other threads have written. */
function looks(fn: LinkedFunction): boolean {
  return fn.kind !== 'builtin' && fn.program.instructions.some(({ steps }) => steps.some(looksAtOthers));
}
