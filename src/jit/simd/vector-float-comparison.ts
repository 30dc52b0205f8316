/** Compares f32 and f64 values for four threads at once. */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Comparison, FloatArithmeticFormat } from '../../numerics/operations.ts';
import { masksOf } from '../arithmetic/float-bits.ts';
import { flushed } from './vector-choices.ts';
import { pushWidened } from './vector-narrow.ts';
import { pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';

type Orders = Readonly<Partial<Record<Comparison, 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'>>>;

const orders: Orders = { eq: 'eq', lt: 'lt', le: 'le', gt: 'gt', ge: 'ge', neu: 'ne' };

/**
 * Some comparisons are computed as the negation of another comparison. This table maps each of them to the comparison
 * that is negated.
 */
const opposites: Orders = { ltu: 'ge', leu: 'gt', gtu: 'le', geu: 'lt' };

type Comparable = Extract<StepOf<'compare'>['type'], FloatArithmeticFormat>;

export function vectorFloatComparison(
  step: StepOf<'compare'>,
  format: Comparable,
  lowering: VectorLowering,
): Writer | null {
  const { code, vectors } = lowering;
  const { comparison, flush, from, to } = step;
  const opposite = opposites[comparison];
  const order = orders[comparison] ?? opposite;
  if (order === undefined) return null;
  const [type, shape] = format === 'f64' ? (['i64', 'f64x2'] as const) : (['i32', 'f32x4'] as const);
  return () => {
    const [a, b] = pairOf(from.map((ref) => comparableOf(ref, format, flush, lowering)));
    const truth = vectors.made(type, (half) => {
      code.get(elementAt(a, half)).get(elementAt(b, half)).vector(`${shape}.${order}`);
      if (opposite !== undefined) code.vector('v128.not');
    });
    pushTruth(truth, lowering);
    setWord(to, lowering);
  };
}

/** Returns the vectors of an operand. f16 and bf16 are converted to f32. */
function comparableOf(
  ref: Ref,
  format: Comparable,
  flush: boolean,
  { code, vectors, scalar }: VectorLowering,
): readonly number[] {
  if (format === 'f64') return vectors.get(ref, 'i64').locals;
  const [given] = vectors.get(ref, 'i32').locals;
  const lanes = { code, format, masks: masksOf(format), local: () => vectors.temporary() };
  const operand = flush ? flushed(lanes, given) : given;
  if (format === 'f32') return [operand];
  return vectors.made('i32', () => pushWidened(code, scalar.helpers, format, operand)).locals;
}
