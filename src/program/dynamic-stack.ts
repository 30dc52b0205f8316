/** The part of an activation that alloca allocates from. It is a hidden variable after the function's own variables. */
import type { VariableSymbol } from '../check/symbols.ts';
import { stackBase, stackLimit } from '../isa/steps/ref.ts';
import type { ProgramInstruction } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

/** All functions share one object; each function gives it an address of its own. */
export const stackSymbol: VariableSymbol = hiddenVariable('alloca', '.local', stackLimit);

/** True if a function uses alloca. */
export function usesStack(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ places }) => places.has(stackBase));
}
