/** Lowers conditions that must be true for an instruction to continue. */
import type { StepOf } from '../../isa/steps/step.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { laneCount } from './vectors.ts';

/** Writes code that raises a fault for the first of the four threads whose condition is false. */
export function vectorRequire(
  { condition, what }: StepOf<'require'>,
  { code, vectors, scalar }: VectorLowering,
): Writer {
  return () => {
    const [truth] = vectors.get(condition, 'i32').locals;
    const call = scalar.recordCall({ kind: 'require', what });
    const { thread, fuel } = scalar.locals;
    code.get(truth).vector('i32x4.all_true').op('i32.eqz').unlikely();
    code.if(() => {
      for (let lane = 0; lane < laneCount; lane++) {
        code.get(truth).lane('i32x4.extract_lane', lane).op('i32.eqz');
        code.if(() => {
          code.i32(call).i64(0n).get(thread).i32(lane).op('i32.add').get(fuel);
          code.call(scalar.helpers.import('raise')).op('unreachable');
        });
      }
    });
  };
}
