/**
 * Lowers float steps. There are several ways to compute operations that round, each implemented in its own file. This
 * file selects the right one for the format and the rounding mode.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { lowerDouble } from './double-arithmetic.ts';
import { lowerChoice } from './float-bits.ts';
import type { Lowering } from '../lowering.ts';
import { narrowFunction } from './narrow-arithmetic.ts';
import { narrowOperation } from '../simd/vector-narrow.ts';
import { isSingle, lowerSingle } from './single-arithmetic.ts';

export function lowerFloat(step: StepOf<'float'>, lowering: Lowering): void {
  const { fn, format } = step;
  if (fn === 'neg' || fn === 'abs' || fn === 'min' || fn === 'max') lowerChoice(step, lowering);
  else if (format === 'f64') lowerDouble(step, lowering);
  else if (isSingle(step)) lowerSingle(step, lowering);
  else lowerByHelper(step, lowering);
}

function lowerByHelper(step: StepOf<'float'>, { code, values, helpers }: Lowering): void {
  const four = narrowOperation(helpers, step);
  const index = four ?? narrowFunction(helpers, step.fn, step.format, step.mode, step.from.length);
  for (const ref of step.from) {
    values.get(ref, 'i32');
    if (four !== null) code.vector('i32x4.splat');
  }
  code.call(index);
  if (four !== null) code.lane('i32x4.extract_lane', 0);
  values.set(step.to, 'i32');
}
