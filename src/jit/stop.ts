/** Where threads stop for each other: what they bring, and where they go on. */
import type { Step } from '../isa/steps/step.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';

export type StopStep = Extract<Step, { readonly kind: 'barrier' | 'collective' }>;

export interface Stop {
  readonly step: StopStep;
  readonly program: FunctionProgram;
  readonly instruction: ProgramInstruction;
  /** Region where the thread goes on. */
  readonly region: number;
  /** A constant barrier for all threads of the block, without a reduction: its number. Null for every other stop. */
  readonly plainBarrier: number | null;
}

/** The step at which an instruction stops; null where it does not. */
export function stopOf({ steps }: ProgramInstruction): StopStep | null {
  for (const step of steps) if (step.kind === 'barrier' || step.kind === 'collective') return step;
  return null;
}
