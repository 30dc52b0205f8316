/** Uses functions for four threads in code that runs one thread at a time. */
import type { Ref } from '../../isa/steps/ref.ts';
import type { Lowering } from '../lowering.ts';

/** Writes a call to a function that takes and returns vectors of four words, and keeps the first word of the result. */
export function lowerByFour(index: number, from: readonly Ref[], to: Ref, { code, values }: Lowering): void {
  for (const ref of from) {
    values.get(ref, 'i32');
    code.vector('i32x4.splat');
  }
  code.call(index).lane('i32x4.extract_lane', 0);
  values.set(to, 'i32');
}
