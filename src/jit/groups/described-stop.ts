/** Describes the stop at the end of a basic block. */
import type { Ref } from '../../isa/steps/ref.ts';
import { constantAt } from '../../program/constant-at.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { FrameLayout } from '../regions/frame.ts';
import { carriersAt, type Stop, stopOf } from './stop.ts';

/**
 * @param region the region in which the threads continue
 * @param registers the widths of the registers that are used
 */
export function describeStop(
  program: FunctionProgram,
  instruction: ProgramInstruction,
  region: number,
  frame: FrameLayout,
  registers: ReadonlyMap<number, number>,
): Stop {
  const step = stopOf(instruction);
  if (step === null) throw new Error(`the instruction on line ${instruction.line} has no stop`);
  const { sends, receives: all } = carriersAt(frame, step);
  const receives = all.map((carrier, i) => (isUsed(instruction, step.to[i], registers) ? carrier : null));
  const mask = step.kind === 'collective' && step.mask !== null ? instruction.places.get(step.mask) : undefined;
  const constant = mask === undefined ? null : constantAt(program, mask);
  const constantMask = constant === null ? null : constant | 0;
  return {
    step,
    program,
    instruction,
    sends,
    receives,
    region,
    constantMask,
    plainBarrier: plainBarrier(program, instruction),
  };
}

/** Whether any instruction uses a result of the step at which threads stop. */
function isUsed(
  { steps, places, writes }: ProgramInstruction,
  ref: Ref | undefined,
  registers: ReadonlyMap<number, number>,
): boolean {
  const place = ref === undefined ? undefined : places.get(ref);
  if (steps.length > 1 || writes.some(({ operand }) => operand === place)) return true;
  return place !== undefined && registers.has(place);
}

function plainBarrier(program: FunctionProgram, instruction: ProgramInstruction): number | null {
  const step = stopOf(instruction);
  if (step?.kind !== 'barrier' || step.count !== null || !step.waits || step.reduce !== null) return null;
  return constantAt(program, instruction.places.get(step.barrier) ?? -1);
}
