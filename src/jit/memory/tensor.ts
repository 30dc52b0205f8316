/** Lowers products in tensor memory. The engine computes them, so compiled code only passes the operands. */
import type { StepOf } from '../../isa/steps/step.ts';
import type { Lowering } from '../lowering.ts';

export function lowerTensorProduct(step: StepOf<'tensor-product'>, lowering: Lowering): void {
  const { code, values, helpers, locals, recordCall } = lowering;
  code.i32(recordCall({ kind: 'tensor-product', product: step.product }));
  code.get(locals.thread).get(locals.fuel);
  for (const ref of [step.d, step.a, step.b]) values.get(ref, 'i64');
  for (const ref of [step.instruction, step.adds, step.scale, ...step.unchanged]) values.get(ref, 'i32');
  code.call(helpers.import('tensorProduct'));
}
