/** Finds registers by their slots. */
import type { NamedRegister } from './frame.ts';
import type { FunctionProgram } from './function-program.ts';

const known = new WeakMap<FunctionProgram, ReadonlyMap<number, NamedRegister>>();

/** The registers of a function, by their slots. */
export function registersByPlace(program: FunctionProgram): ReadonlyMap<number, NamedRegister> {
  const found = known.get(program);
  if (found !== undefined) return found;
  const made = new Map(program.registers.map((register) => [register.place, register] as const));
  known.set(program, made);
  return made;
}
