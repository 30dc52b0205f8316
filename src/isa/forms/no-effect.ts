/** The steps of instructions whose effect cannot be observed in ptxlab. */
import type { Step } from '../steps/step.ts';

/** Lets other threads run, so that a loop that waits for them can end. */
export const noEffect: readonly Step[] = [{ kind: 'yield' }];
