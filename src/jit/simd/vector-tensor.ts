/** Loads and stores of words in tensor memory. */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { locateEach } from './vector-checks.ts';
import { loadLanes, storeLanes } from './vector-elements.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { laneCount } from './vectors.ts';

export function vectorTensorLoad(step: StepOf<'tensor-load'>, lowering: VectorLowering): Writer {
  const { vectors } = lowering;
  const access = { space: step.space, access: 'load', size: 4, width: 32, count: 1 } as const;
  return () => {
    const at = locate(step, lowering);
    step.to.forEach((ref, i) => {
      const word = vectors.fresh('i32');
      loadLanes(access, at, elementAt(step.offsets, i), word.locals, lowering);
      vectors.set(ref, word);
    });
  };
}

export function vectorTensorStore(step: StepOf<'tensor-store'>, lowering: VectorLowering): Writer {
  const { vectors } = lowering;
  const access = { space: step.space, access: 'store', size: 4, width: 32, count: 1 } as const;
  return () => {
    const at = locate(step, lowering);
    step.from.forEach((ref, i) => {
      storeLanes(access, at, elementAt(step.offsets, i), vectors.get(ref, 'i32').locals, lowering);
    });
  };
}

/** Returns locals that hold the global memory addresses of the four threads' accesses. */
function locate(step: Pick<StepOf<'tensor-load'>, 'address' | 'space'>, lowering: VectorLowering): readonly number[] {
  const at = Array.from({ length: laneCount }, () => lowering.scalar.values.temporary('i32'));
  locateEach(step, at, lowering);
  return at;
}
