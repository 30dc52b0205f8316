/** Finds the slots that an instruction reads and writes. */
import { elementAt } from '../base/element-at.ts';
import { outputsOf } from '../isa/steps/effects.ts';
import { type Ref, sharedRefs } from '../isa/steps/ref.ts';
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
  const results = steps.length === 1 ? outputsOf(elementAt(steps, 0)) : new Set(steps.flatMap(outputsOf));
  const isResult = (ref: Ref): boolean => (results instanceof Set ? results.has(ref) : results.includes(ref));
  const read: number[] = [];
  const written: number[] = [];
  if (guard !== null) read.push(guard.register);
  for (const { register } of reads) read.push(register);
  for (const { base } of addresses) if (base.kind === 'register') read.push(base.register);
  for (const { register } of writes) written.push(register);
  if (call !== null) {
    read.push(...registersOf(call.parameters));
    if (call.callee.kind === 'indirect') read.push(call.callee.register);
    written.push(...registersOf(call.results));
  }
  // A name that a step writes is treated only as a result: if the instruction also reads the same register, it does so
  // under a different name. The names in `sharedRefs` are exceptions, because they can be both read and written.
  for (const [ref, place] of places) {
    if (sharedRefs.has(ref)) read.push(place);
    (isResult(ref) ? written : read).push(place);
  }
  return { reads: read, writes: written };
}

function registersOf(moved: readonly Moved[]): readonly number[] {
  return moved.flatMap(({ value }) => (value.kind === 'register' ? [value.place] : []));
}
