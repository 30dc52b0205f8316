/**
 * Describes the places where threads stop to wait for each other: the values that the threads send there, and the
 * region in which they continue.
 */
import { type Collective, exchangedBy } from '../../isa/collective.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { Step } from '../../isa/steps/step.ts';
import type { Carrier, FrameLayout } from '../regions/frame.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';

export type StopStep = Extract<Step, { readonly kind: 'barrier' | 'collective' }>;

export interface Stop {
  readonly step: StopStep;
  readonly program: FunctionProgram;
  readonly instruction: ProgramInstruction;
  /** The arrays in which threads store their values for the other threads. */
  readonly sends: readonly Carrier[];
  /** The arrays where a thread finds its results; null for results that are not read. */
  readonly receives: readonly (Carrier | null)[];
  /** The region where the thread continues. */
  readonly region: number;
  /** The mask of a collective, if it is constant; otherwise null. */
  readonly constantMask: number | null;
  /**
   * The number of the barrier if the stop is a simple barrier: its number is constant, all threads of the block take
   * part in it, and it performs no reduction. Null for every other stop.
   */
  readonly plainBarrier: number | null;
}

/** Returns the step that makes threads stop at an instruction; null if they do not stop there. */
export function stopOf({ steps }: ProgramInstruction): StopStep | null {
  for (const step of steps) if (step.kind === 'barrier' || step.kind === 'collective') return step;
  return null;
}

export interface Carriers {
  readonly sends: readonly Carrier[];
  readonly receives: readonly Carrier[];
}

/**
 * Returns the arrays for the values that threads send to a collective and for the values that they receive from it. The
 * arrays are shared by all stops of the same kind.
 */
export function carriersOf(frame: FrameLayout, collective: Collective): Carriers {
  const { sends, receives } = exchangedBy(collective);
  return { sends: frame.carry('sends', sends), receives: frame.carry('receives', receives) };
}

/**
 * Returns the arrays for a stop. If the stop is a barrier, the first two arrays hold the barrier's number and its
 * thread count.
 */
export function carriersAt(frame: FrameLayout, step: StopStep): Carriers {
  if (step.kind === 'collective') return carriersOf(frame, step.fn);
  const predicates = step.from.map(() => 1);
  return {
    sends: frame.carry('sends', [32, 32, ...predicates]),
    receives: frame.carry(
      'receives',
      step.to.map(() => 32),
    ),
  };
}

/**
 * Returns the names of the values that a thread sends, in the order of the arrays; null for values that the stop does
 * not use.
 */
export function broughtTo(step: StopStep): readonly (Ref | null)[] {
  return step.kind === 'barrier' ? [step.barrier, step.count, ...step.from] : step.from;
}
