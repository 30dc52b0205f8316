/**
 * Which registers can differ between neighbouring threads that run in step, side by side in x. Everything else is the
 * same for all of them, and need be computed only once.
 */
import { samenessOf } from '../isa/registers.ts';
import { isSameFor } from '../isa/sameness.ts';
import { type AccessSpace, spaceSameness } from '../isa/spaces.ts';
import { flowOf, isGroupStep, looksAtOthers, memoryUses } from '../isa/steps/effects.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { usesOf } from './uses.ts';

/** Places of the registers that may differ. `hasLocal`: threads have local memory, which a generic address may mean. */
export function varyingPlaces(program: FunctionProgram, hasLocal: boolean): ReadonlySet<number> {
  const registers = new Set(program.registers.map(({ place }) => place));
  const varying = new Set<number>();
  const uses = program.instructions.map((instruction) => {
    const { reads, writes } = usesOf(instruction);
    return {
      reads: reads.filter((place) => registers.has(place)),
      writes: writes.filter((place) => registers.has(place)),
      differs: differs(instruction, hasLocal),
    };
  });
  for (let changed = true; changed; ) {
    changed = false;
    for (const { reads, writes, differs: always } of uses) {
      if (!always && !reads.some((place) => varying.has(place))) continue;
      for (const place of writes) {
        if (varying.has(place)) continue;
        varying.add(place);
        changed = true;
      }
    }
  }
  return varying;
}

/** The results may differ though no operand does, or each thread has to do the instruction for itself. */
export function differs({ specials, steps }: ProgramInstruction, hasLocal: boolean): boolean {
  if (specials.some(({ register, part }) => !isSameFor(samenessOf(register, part), 'gang'))) return true;
  const isOwn = (space: AccessSpace): boolean =>
    space === 'generic' ? hasLocal : !isSameFor(spaceSameness[space], 'gang');
  return steps.some((step) => {
    if (isGroupStep(step) || flowOf(step) === 'call') return true;
    const uses = memoryUses(step);
    if (uses.some(({ access, space }) => access === 'update' || isOwn(space))) return true;
    // Where the space decides, it has been asked: without local memory a generic address is the same place for all.
    return looksAtOthers(step) && uses.length > 0;
  });
}
