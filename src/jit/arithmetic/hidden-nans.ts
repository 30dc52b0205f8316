/**
 * Finds f32 results that are read only by other f32 arithmetic. PTX prescribes the bits of a NaN, but if such a result
 * is a NaN, its bits do not matter: the arithmetic that reads it produces another NaN. Only the last NaN in such a
 * chain must have the prescribed bits.
 */
import type { ProgramInstruction } from '../../program/function-program.ts';
import { usesOf } from '../../program/uses.ts';
import { isSingle } from './single-arithmetic.ts';

/**
 * Returns those f32 instructions of a block that meet this condition: until the result of the instruction is
 * overwritten, only f32 arithmetic in the same block reads it.
 *
 * @param crosses whether a register is live at the start of any block
 */
export function hiddenNans(
  instructions: readonly ProgramInstruction[],
  crosses: (place: number) => boolean,
): ReadonlySet<ProgramInstruction> {
  const hidden = new Set<ProgramInstruction>();
  // Whether the bits of a register matter after the current instruction. A register has no entry if no later
  // instruction of the block determines this; the result of `crosses` then applies.
  const isVisible = new Map<number, boolean>();
  const isSeen = (place: number): boolean => isVisible.get(place) ?? crosses(place);
  for (const instruction of instructions.toReversed()) {
    const { reads, writes } = usesOf(instruction);
    const isArithmetic = isF32Arithmetic(instruction);
    if (isArithmetic && !writes.some(isSeen)) hidden.add(instruction);
    // A guarded instruction may leave the old value in place.
    if (instruction.guard === null) for (const place of writes) isVisible.set(place, false);
    if (!isArithmetic) for (const place of reads) isVisible.set(place, true);
  }
  return hidden;
}

/**
 * Whether an instruction is a single f32 operation on 32-bit registers that returns a NaN whenever an operand is a NaN.
 */
function isF32Arithmetic({ steps, reads, writes }: ProgramInstruction): boolean {
  const [step, another] = steps;
  return step?.kind === 'float' && another === undefined && reads.length + writes.length === 0 && isSingle(step);
}
