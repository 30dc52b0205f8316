/** Compares f32 and f64 values for four threads at once. */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Comparison } from '../../numerics/operations.ts';
import { pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';

type Orders = Readonly<Partial<Record<Comparison, 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'>>>;

const orders: Orders = { eq: 'eq', lt: 'lt', le: 'le', gt: 'gt', ge: 'ge', neu: 'ne' };

/** Maps each comparison that is computed as the negation of another one to that other comparison. */
const opposites: Orders = { ltu: 'ge', leu: 'gt', gtu: 'le', geu: 'lt' };

export function vectorFloatComparison(step: StepOf<'compare'>, lowering: VectorLowering): Writer | null {
  const { code, vectors } = lowering;
  const { comparison, flush } = step;
  const opposite = opposites[comparison];
  const order = orders[comparison] ?? opposite;
  if ((step.type !== 'f32' && step.type !== 'f64') || flush || order === undefined) return null;
  const [type, shape] = step.type === 'f64' ? (['i64', 'f64x2'] as const) : (['i32', 'f32x4'] as const);
  return () => {
    const [a, b] = pairOf(step.from.map((ref) => vectors.get(ref, type).locals));
    const truth = vectors.made(type, (half) => {
      code.get(elementAt(a, half)).get(elementAt(b, half)).vector(`${shape}.${order}`);
      if (opposite !== undefined) code.vector('v128.not');
    });
    pushTruth(truth, lowering);
    setWord(step.to, lowering);
  };
}
