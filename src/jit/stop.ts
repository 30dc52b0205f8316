/** Where threads stop for each other: what they bring, and where they go on. */
import { type Collective, exchangedBy } from '../isa/collective.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import type { Carrier, FrameLayout } from './frame.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';

export type StopStep = Extract<Step, { readonly kind: 'barrier' | 'collective' }>;

export interface Stop {
  readonly step: StopStep;
  readonly program: FunctionProgram;
  readonly instruction: ProgramInstruction;
  /** Where the thread leaves what it brings. */
  readonly brings: readonly Carrier[];
  /** Where it finds what it gets; null for what nobody wants. */
  readonly gets: readonly (Carrier | null)[];
  /** Region where the thread goes on. */
  readonly region: number;
  /** The mask of a collective where it is a constant. */
  readonly constantMask: number | null;
  /** A constant barrier for all threads of the block, without a reduction: its number. Null for every other stop. */
  readonly plainBarrier: number | null;
}

/** The step at which an instruction stops; null where it does not. */
export function stopOf({ steps }: ProgramInstruction): StopStep | null {
  for (const step of steps) if (step.kind === 'barrier' || step.kind === 'collective') return step;
  return null;
}

export interface Carriers {
  readonly brings: readonly Carrier[];
  readonly gets: readonly Carrier[];
}

/** Arrays for what threads bring to a collective and get there: the same for all that do this. */
export function carriersOf(frame: FrameLayout, collective: Collective): Carriers {
  const { brings, gets } = exchangedBy(collective);
  return { brings: frame.carry('brings', brings), gets: frame.carry('gets', gets) };
}

/** At a stop; a barrier's number and count come first. */
export function carriersAt(frame: FrameLayout, step: StopStep): Carriers {
  if (step.kind === 'collective') return carriersOf(frame, step.fn);
  const predicates = step.from.map(() => 1);
  return {
    brings: frame.carry('brings', [32, 32, ...predicates]),
    gets: frame.carry(
      'gets',
      step.to.map(() => 32),
    ),
  };
}

/** Names of what a thread brings, in the order of the arrays; null for what the stop does without. */
export function broughtTo(step: StopStep): readonly (Ref | null)[] {
  return step.kind === 'barrier' ? [step.barrier, step.count, ...step.from] : step.from;
}
