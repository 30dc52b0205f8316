/**
 * The part of an activation from which alloca allocates memory. It is represented by a hidden variable that follows the
 * function's own variables.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import { stackBase, stackLimit } from '../isa/steps/ref.ts';
import type { ProgramInstruction } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

/**
 * The hidden variable. All functions share this symbol, but each function places the variable at a different address.
 */
export const stackSymbol: VariableSymbol = hiddenVariable('alloca', '.local', stackLimit);

/** True if a function uses alloca. */
export function usesStack(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ places }) => places.has(stackBase));
}
