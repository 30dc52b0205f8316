/**
 * Finds the registers whose values may differ between threads that run in lockstep. The indices of these threads differ
 * only in x. All other registers have the same value in these threads, so they need to be computed only once.
 */
import { samenessOf } from '../isa/registers.ts';
import { isSameFor } from '../isa/sameness.ts';
import { flowOf, isGroupStep, looksAtOthers, memoryUses, samenessOfSpace } from '../isa/steps/effects.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { samenessOfRegisters } from './sameness.ts';

/**
 * Returns the slots of the registers whose values may differ between threads. `hasLocal` is true if threads have local
 * memory, so that a generic address may point to it. The registers in `mixed` may differ in any case.
 */
export function varyingPlaces(
  program: FunctionProgram,
  hasLocal: boolean,
  mixed: Iterable<number> = [],
): ReadonlySet<number> {
  const sameness = samenessOfRegisters(program, hasLocal, mixed);
  return new Set([...sameness].flatMap(([place, among]) => (isSameFor(among, 'gang') ? [] : [place])));
}

/**
 * True if threads with identical operands may get different results, or if each thread must execute the instruction
 * separately.
 */
export function differs({ specials, steps }: ProgramInstruction, hasLocal: boolean): boolean {
  if (specials.some(({ register, part }) => !isSameFor(samenessOf(register, part), 'gang'))) return true;
  return steps.some((step) => {
    if (isGroupStep(step) || flowOf(step) === 'call') return true;
    const uses = memoryUses(step);
    const isOwn = uses.some(({ space }) => !isSameFor(samenessOfSpace(space, hasLocal), 'gang'));
    return isOwn || uses.some(({ access }) => access === 'update') || (looksAtOthers(step) && uses.length > 0);
  });
}
