/** The part of an activation that alloca takes from: a hidden variable behind the function's own. */
import type { VariableSymbol } from '../check/symbols.ts';
import { stackBase, stackLimit } from '../isa/steps.ts';
import { typeOf } from '../isa/types.ts';
import type { ProgramInstruction } from './function-program.ts';

const nowhere = { start: 0, end: 0 };

/** The same for all functions: each places it for itself. */
export const stackSymbol: VariableSymbol = {
  kind: 'variable',
  name: 'alloca',
  space: '.local',
  takenFor: null,
  type: typeOf('.b8'),
  declared: nowhere,
  variable: {
    ...nowhere,
    name: 'alloca',
    nameStart: 0,
    nameEnd: 0,
    count: null,
    dimensions: [stackLimit],
    initializer: null,
    type: '.b8',
    typeStart: 0,
    typeEnd: 0,
    vector: null,
    align: 16,
    pointer: null,
  },
};

/** True for a function that takes bytes from its stack. */
export function usesStack(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ places }) => places.has(stackBase));
}
