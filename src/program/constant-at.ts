import type { FunctionProgram } from './function-program.ts';

/** Returns the value in the slot of a constant operand; null for other slots. */
export function constantAt(program: FunctionProgram, place: number): number | null {
  const value = program.constants.has(place) ? program.initialFrame[place] : undefined;
  return value === undefined ? null : Number(value);
}
