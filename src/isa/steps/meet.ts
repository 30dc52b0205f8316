/** A step in which the threads of a warp only wait for each other. */
import type { Step } from './step.ts';

export const meet: Step = { kind: 'collective', fn: { form: 'sync' }, to: [], from: [], mask: null };
