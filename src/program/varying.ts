/**
 * Which registers can differ between neighbouring threads that run in step, side by side in x. Everything else is the
 * same for all of them, and need be computed only once.
 */
import { samenessOf } from '../isa/registers.ts';
import { isSameFor } from '../isa/sameness.ts';
import { flowOf, isGroupStep, looksAtOthers, memoryUses, samenessOfSpace } from '../isa/steps/effects.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { samenessOfRegisters } from './sameness.ts';

/** Places of the registers that may differ. `hasLocal`: threads have local memory, which a generic address may mean. */
export function varyingPlaces(program: FunctionProgram, hasLocal: boolean): ReadonlySet<number> {
  const sameness = samenessOfRegisters(program, hasLocal);
  return new Set([...sameness].flatMap(([place, among]) => (isSameFor(among, 'gang') ? [] : [place])));
}

/** The results may differ though no operand does, or each thread has to do the instruction for itself. */
export function differs({ specials, steps }: ProgramInstruction, hasLocal: boolean): boolean {
  if (specials.some(({ register, part }) => !isSameFor(samenessOf(register, part), 'gang'))) return true;
  return steps.some((step) => {
    if (isGroupStep(step) || flowOf(step) === 'call') return true;
    const uses = memoryUses(step);
    const isOwn = uses.some(({ space }) => !isSameFor(samenessOfSpace(space, hasLocal), 'gang'));
    return isOwn || uses.some(({ access }) => access === 'update') || (looksAtOthers(step) && uses.length > 0);
  });
}
