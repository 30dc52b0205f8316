/**
 * The part of shared memory that devices since sm_80 keep for the system (PTX ISA 9.1, chapter 10: %reserved_smem_offset).
 * Cooperative groups of nvcc's headers synchronise tiles of more than a warp in it. It is there, before all variables, in
 * kernels that read where it is.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import type { ProgramInstruction } from './function-program.ts';
import { hiddenVariable } from './hidden-variable.ts';

/** Bytes of it, on every device so far. */
export const reservedShared = 1024;

export const reservedSymbol: VariableSymbol = hiddenVariable('reserved shared memory', '.shared', reservedShared);

/** What says where it is. Of the numbered places drivers alone know where they are; the second is for cooperative groups. */
export const reservedOffsets: Readonly<Record<string, number>> = {
  '%reserved_smem_offset_begin': 0,
  '%reserved_smem_offset_end': reservedShared,
  '%reserved_smem_offset_cap': reservedShared,
  '%reserved_smem_offset_0': 0,
  '%reserved_smem_offset_1': 128,
};

/** True for a function that asks where it is. */
export function usesReserved(instructions: readonly ProgramInstruction[]): boolean {
  return instructions.some(({ specials }) => specials.some(({ register }) => register in reservedOffsets));
}
