/** Atomic steps: elements are read, steps make new ones of them, and these are written back. */
import type { Step } from '../isa/steps.ts';
import { loads, locate, opcodeFor, stores } from './access.ts';
import type { Lowering, StepOf } from './lowering.ts';
import { holder } from './values.ts';

/** The threads of a block run one after the other, so nobody comes between a read and its write. */
export function lowerAtomic(step: StepOf<'atomic'>, lowering: Lowering, lowerStep: (step: Step) => void): void {
  const { code, values, layout } = lowering;
  const { width, old, next, space } = step;
  const at = locate(lowering, space, 'store', (width / 8) * old.length, step.address);
  const offsetOf = (i: number): number => layout.origin + (i * width) / 8;
  old.forEach((ref, i) => {
    code.get(at).memory(opcodeFor(loads, width), offsetOf(i));
    values.set(ref, holder(width));
  });
  for (const inner of step.steps) lowerStep(inner);
  next.forEach((ref, i) => {
    code.get(at);
    values.get(ref, holder(width));
    code.memory(opcodeFor(stores, width), offsetOf(i));
  });
}
