/**
 * The part of shared memory that devices since sm_80 reserve for the system (%reserved_smem_offset in chapter 10 of PTX
 * ISA 9.1). Cooperative groups, which nvcc's headers implement, use it to synchronize tiles that are larger than a
 * warp. In kernels that read the offset of this part, it comes before all variables.
 */
import { reservedSharedBytes } from '../isa/registers.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { ProgramInstruction } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

export const reservedSymbol: VariableSymbol = hiddenVariable('reserved shared memory', '.shared', reservedSharedBytes);

/** True if a function reads the offset of this part. */
export function usesReserved(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ specials }) =>
    specials.some(({ register }) => register.grant === 'reserved shared memory'),
  );
}
