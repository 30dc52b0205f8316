/**
 * Lowers float steps. There are several ways to compute operations that round, each implemented in its own file. This
 * file selects the right one for the format and the rounding mode.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { lowerDouble } from './double-arithmetic.ts';
import { lowerChoice } from './float-bits.ts';
import type { Lowering } from '../lowering.ts';
import { narrowFunction } from './narrow-arithmetic.ts';
import { lowerByFour } from '../simd/first-of-four.ts';
import { narrowOperation } from '../simd/vector-narrow.ts';
import { isSingle, lowerSingle } from './single-arithmetic.ts';

export function lowerFloat(step: StepOf<'float'>, lowering: Lowering): void {
  const { fn, format } = step;
  if (fn === 'neg' || fn === 'abs' || fn === 'min' || fn === 'max') lowerChoice(step, lowering);
  else if (format === 'f64') lowerDouble(step, lowering);
  else if (isSingle(step)) lowerSingle(step, lowering);
  else lowerByHelper(step, lowering);
}

function lowerByHelper(step: StepOf<'float'>, lowering: Lowering): void {
  const { code, values, helpers } = lowering;
  const four = narrowOperation(helpers, step);
  if (four !== null) {
    lowerByFour(four, step.from, step.to, lowering);
    return;
  }
  for (const ref of step.from) values.get(ref, 'i32');
  code.call(narrowFunction(helpers, step.fn, step.format, step.mode, step.from.length));
  values.set(step.to, 'i32');
}
