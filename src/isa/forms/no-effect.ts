/** The steps of instructions whose effect cannot be observed in ptxlab. */
import type { Step } from '../steps/step.ts';

/** Gives other threads a chance to run, so that a loop that waits for them ends. */
export const noEffect: readonly Step[] = [{ kind: 'yield' }];
