/** Computes float operations for four threads one after the other, for operands that vector code cannot handle. */
import type { StepOf } from '../../isa/steps/step.ts';
import { narrowFunction } from '../arithmetic/narrow-arithmetic.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import { laneCount } from './vectors.ts';

/**
 * Writes code that tests the condition on the stack. If the condition is true, the code calls the function with the
 * given index, which computes the results again.
 */
export function repeatIf(code: Code, index: number, operands: readonly number[], results: readonly number[]): void {
  code.unlikely().if(() => {
    for (const operand of operands) code.get(operand);
    code.call(index);
    for (const result of results.toReversed()) code.set(result);
  });
}

/**
 * Returns the index of a function that takes a vector for each of `count` operands, and returns a vector with the four
 * results. The format must have at most 32 bits.
 */
export function fourByOne(
  helpers: Helpers,
  { fn, format, mode }: Pick<StepOf<'float'>, 'fn' | 'format' | 'mode'>,
  count: number,
): number {
  const parameters = Array.from({ length: count }, () => 'v128' as const);
  const exact = narrowFunction(helpers, fn, format, mode, count);
  return helpers.function(`four ${exact}`, { parameters, results: ['v128'] }, (code) => {
    const result = code.local('v128');
    for (let lane = 0; lane < laneCount; lane++) {
      code.get(result);
      parameters.forEach((_, i) => code.get(i).lane('i32x4.extract_lane', lane));
      code.call(exact).lane('i32x4.replace_lane', lane).set(result);
    }
    code.get(result);
  });
}
