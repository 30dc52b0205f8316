/** Finds the slots that an instruction reads and writes. */
import { outputsOf } from '../isa/steps/effects.ts';
import { sharedRefs } from '../isa/steps/ref.ts';
import type { Moved } from './call-site.ts';
import type { ProgramInstruction } from './function-program.ts';

export interface Uses {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

const known = new WeakMap<ProgramInstruction, Uses>();

/** Returns the slots that an instruction reads and writes, including slots that do not belong to registers. */
export function usesOf(instruction: ProgramInstruction): Uses {
  const found = known.get(instruction);
  if (found !== undefined) return found;
  const made = findUses(instruction);
  known.set(instruction, made);
  return made;
}

function findUses({ guard, reads, writes, addresses, steps, places, call }: ProgramInstruction): Uses {
  const results = new Set(steps.flatMap(outputsOf));
  const read = [
    ...(guard === null ? [] : [guard.register]),
    ...reads.map(({ register }) => register),
    ...addresses.flatMap(({ base }) => (base.kind === 'register' ? [base.register] : [])),
    ...(call === null ? [] : registersOf(call.parameters)),
    ...(call?.callee.kind === 'indirect' ? [call.callee.register] : []),
  ];
  const written = [...writes.map(({ register }) => register), ...(call === null ? [] : registersOf(call.results))];
  // A name that a step writes is treated only as a result: if the instruction also reads the same register, it does so
  // under a different name. The names in `sharedRefs` are exceptions, because they can be both read and written.
  for (const [ref, place] of places) {
    if (sharedRefs.has(ref)) read.push(place);
    (results.has(ref) ? written : read).push(place);
  }
  return { reads: read, writes: written };
}

function registersOf(moved: readonly Moved[]): readonly number[] {
  return moved.flatMap(({ value }) => (value.kind === 'register' ? [value.place] : []));
}
