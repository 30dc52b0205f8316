/** The instructions at which four threads that run together may part, after which each of them runs alone. */
import { flowOf } from '../../isa/steps/effects.ts';
import type { DirectFunctions } from '../../program/direct-functions.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';

/**
 * Maximum number of instructions at which threads may part. Each of these instructions needs its own entry point, at
 * which single threads continue after they have parted. If a kernel contains more of them, its threads therefore run
 * one by one.
 */
export const mostPartings = 48;

/**
 * Returns the positions of the instructions at which threads in lockstep may part: those that depend on a predicate whose
 * value may differ between the threads, and those at which threads always part.
 */
export function partingsOf(
  instructions: readonly ProgramInstruction[],
  varying: ReadonlySet<number>,
  direct: DirectFunctions,
): ReadonlySet<number> {
  const found = instructions.flatMap((instruction, i) => {
    const { guard } = instruction;
    return alwaysParts(instruction, direct) || (guard !== null && varying.has(guard.register)) ? [i] : [];
  });
  return new Set(found);
}

/**
 * Whether threads that execute an instruction always part before it. They part at most calls, so that one thread after
 * the other executes what it calls, and prints what it prints, as in code for one thread at a time.
 */
export function alwaysParts({ steps, call }: ProgramInstruction, { alone }: DirectFunctions): boolean {
  if (call?.callee.kind === 'direct' && alone.has(call.callee.function)) return false;
  return steps.some((step) => step.kind === 'switch' || flowOf(step) === 'call');
}
