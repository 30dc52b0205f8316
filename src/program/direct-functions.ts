/**
 * Finds the functions that a thread runs from start to end without waiting for other threads. Generated code can call
 * these functions directly. When a thread calls any other function, it has to save its registers first, so that it can
 * stop in the callee.
 */
import { flowOf, isGroupStep, looksAtOthers } from '../isa/steps/effects.ts';
import { calleesIn } from './call-chain.ts';
import type { FunctionProgram } from './function-program.ts';
import type { LinkedFunction } from './linked-function.ts';
import { longestWhole } from './seams.ts';

/** Indices in a kernel's list of functions. */
export interface DirectFunctions {
  readonly all: ReadonlySet<number>;
  /** The direct functions that call no built-in function, not even through other functions. */
  readonly alone: ReadonlySet<number>;
}

export const noDirectFunctions: DirectFunctions = { all: new Set(), alone: new Set() };

/**
 * Maximum depth of calls between direct functions. It is limited because each call takes up space on the host's stack.
 */
const mostNested = 16;

/**
 * Maximum number of registers. With more registers, generated code keeps some of them in memory
 * (jit/regions/values.ts).
 */
const mostRegisters = 256;

export function directFunctions(functions: readonly LinkedFunction[]): DirectFunctions {
  const all = new Set<number>();
  const alone = new Set<number>();
  const candidates = new Map<number, readonly number[]>();
  const reached = reachedThroughRegisters(functions);
  functions.forEach((fn, i) => {
    if (fn.kind === 'program' && !reached.has(i) && neverWaits(fn.program)) candidates.set(i, calleesIn(fn.program));
  });
  const isBuiltin = (index: number): boolean => functions[index]?.kind === 'builtin';
  for (let nested = 0; nested < mostNested; nested++) {
    const found = [...candidates].filter(([, callees]) => callees.every((one) => all.has(one) || isBuiltin(one)));
    if (found.length === 0) break;
    for (const [index, callees] of found) {
      candidates.delete(index);
      all.add(index);
      if (callees.every((one) => alone.has(one))) alone.add(index);
    }
  }
  return { all, alone };
}

/** The functions that may be called through a register. Compiled code calls them in a different way. */
function reachedThroughRegisters(functions: readonly LinkedFunction[]): ReadonlySet<number> {
  const reached = new Set<number>();
  for (const fn of functions) {
    if (fn.kind === 'builtin') continue;
    for (const { call } of fn.program.instructions) {
      if (call?.callee.kind === 'indirect') for (const index of call.callee.candidates) reached.add(index);
    }
  }
  return reached;
}

function neverWaits({ entry, instructions, registers }: FunctionProgram): boolean {
  if (entry || instructions.length > longestWhole || registers.length > mostRegisters) return false;
  return instructions.every(
    ({ steps, call }) =>
      call?.callee.kind !== 'indirect' &&
      steps.every((step) => !isGroupStep(step) && !looksAtOthers(step) && flowOf(step) !== 'exit'),
  );
}
