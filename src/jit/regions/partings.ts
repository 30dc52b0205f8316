/**
 * Finds the instructions at which four threads that run together may diverge. From there on, each of them runs alone.
 */
import { flowOf } from '../../isa/steps/effects.ts';
import type { DirectFunctions } from '../../program/direct-functions.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import { canBeMasked, convertBranches } from '../../program/if-conversion.ts';
import { varyingPlaces } from '../../program/varying.ts';

/**
 * Maximum number of instructions at which threads may diverge. Each of these instructions needs its own entry point, at
 * which single threads continue after they have diverged. If a kernel contains more than this number, its threads run
 * one by one.
 */
export const mostPartings = 48;

/** The program that four threads run together, and the registers that may differ between these threads. */
interface ForFours {
  readonly program: FunctionProgram;
  readonly varying: ReadonlySet<number>;
}

const known = new WeakMap<FunctionProgram, ForFours>();

/**
 * @param hasLocal whether threads have local memory; always the same for a given kernel
 * @param mixed registers that are already known to vary
 */
export function forFours(original: FunctionProgram, hasLocal: boolean, mixed: ReadonlySet<number> = none): ForFours {
  const found = mixed.size === 0 ? known.get(original) : undefined;
  if (found !== undefined) return found;
  const varying = varyingPlaces(original, hasLocal, mixed);
  const program = convertBranches(original, varying);
  const made = { program, varying: program === original ? varying : varyingPlaces(program, hasLocal, mixed) };
  if (mixed.size === 0) known.set(original, made);
  return made;
}

const none: ReadonlySet<number> = new Set();

/**
 * Returns the positions of the instructions at which threads in lockstep may diverge: instructions that depend on a
 * predicate whose value may differ between the threads, and instructions at which threads always run one by one.
 */
export function partingsOf(
  instructions: readonly ProgramInstruction[],
  varying: ReadonlySet<number>,
  direct: DirectFunctions,
): ReadonlySet<number> {
  const found = instructions.flatMap((instruction, i) =>
    alwaysParts(instruction, direct) || (mayDiffer(instruction, varying) && !canBeMasked(instruction)) ? [i] : [],
  );
  return new Set(found);
}

/** Whether threads execute an instruction together even though its guard may differ between them. */
export function isMasked(instruction: ProgramInstruction, varying: ReadonlySet<number>): boolean {
  return mayDiffer(instruction, varying) && canBeMasked(instruction);
}

function mayDiffer({ guard }: ProgramInstruction, varying: ReadonlySet<number>): boolean {
  return guard !== null && varying.has(guard.register);
}

/**
 * Whether threads always run one by one from this instruction on. This is the case for most calls, so that functions
 * are called, and output is printed, in the same order as in single-thread code.
 */
export function alwaysParts({ steps, call }: ProgramInstruction, { alone }: DirectFunctions): boolean {
  if (call?.callee.kind === 'direct' && alone.has(call.callee.function)) return false;
  return steps.some((step) => step.kind === 'switch' || flowOf(step) === 'call');
}

/** Whether an instruction is a branch. */
export function jumps(instruction: ProgramInstruction | undefined): boolean {
  return instruction?.steps.some((step) => flowOf(step) === 'branch' || flowOf(step) === 'switch') === true;
}
