/**
 * Which registers can differ between neighbouring threads that run in step, side by side in x. Everything else is the
 * same for all of them, and need be computed only once.
 */
import { samenessOf } from '../isa/registers.ts';
import { isSameFor } from '../isa/sameness.ts';
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

/** The results may differ though no operand does. */
export function differs({ specials, steps }: ProgramInstruction, hasLocal: boolean): boolean {
  if (specials.some(({ register, part }) => !isSameFor(samenessOf(register, part), 'gang'))) return true;
  return steps.some((step) => {
    switch (step.kind) {
      case 'atomic':
      case 'collective':
      case 'barrier':
      case 'call':
      case 'transfer':
        return true;
      case 'load':
        return step.watched || step.space === 'local' || (step.space === 'generic' && hasLocal);
      case 'store':
        return step.space === 'local' || (step.space === 'generic' && hasLocal);
      default:
        return false;
    }
  });
}
