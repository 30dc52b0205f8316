/** The instructions at which four threads that run together may part, after which each of them runs alone. */
import { flowOf } from '../../isa/steps/effects.ts';
import type { DirectFunctions } from '../../program/direct-functions.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import { isCheap } from '../../program/if-conversion.ts';

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
    return alwaysParts(instruction, direct) || mayPart(instruction, varying) ? [i] : [];
  });
  return new Set(found);
}

function mayPart(instruction: ProgramInstruction, varying: ReadonlySet<number>): boolean {
  const { guard } = instruction;
  return guard !== null && varying.has(guard.register) && !isMasked(instruction, varying);
}

/**
 * Whether all threads execute an instruction whose guard may differ between them, and only those whose guard is true
 * keep the results.
 */
export function isMasked(instruction: ProgramInstruction, varying: ReadonlySet<number>): boolean {
  const { guard } = instruction;
  return guard !== null && varying.has(guard.register) && isCheap(instruction);
}

/**
 * Whether threads that execute an instruction always part before it. They part at most calls, so that one thread after
 * the other executes what it calls, and prints what it prints, as in code for one thread at a time.
 */
export function alwaysParts({ steps, call }: ProgramInstruction, { alone }: DirectFunctions): boolean {
  if (call?.callee.kind === 'direct' && alone.has(call.callee.function)) return false;
  return steps.some((step) => step.kind === 'switch' || flowOf(step) === 'call');
}
