/** Reads the results of a call to the engine from the context of the block. */
import type { Ref } from '../isa/steps/ref.ts';
import { context } from './layout.ts';
import type { Lowering } from './lowering.ts';

/** Loads the results of an engine call into at most four 32-bit values. */
export function loadResults(to: readonly Ref[], { code, values, locals, layout }: Lowering): void {
  to.forEach((ref, i) => {
    code.get(locals.context).memory('i32.load', layout.origin + context.results + 4 * i);
    values.set(ref, 'i32');
  });
}
