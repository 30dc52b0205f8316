/**
 * The part of an activation in which alloca allocates memory. A hidden variable, which follows the function's own
 * variables, represents this part.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import { stackBase, stackLimit } from '../isa/steps/ref.ts';
import type { ProgramInstruction } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

/** The hidden variable. All functions share this symbol, although the variable has its own address in each function. */
export const stackSymbol: VariableSymbol = hiddenVariable('alloca', '.local', stackLimit);

/** True if a function uses alloca. */
export function usesStack(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ places }) => places.has(stackBase));
}
