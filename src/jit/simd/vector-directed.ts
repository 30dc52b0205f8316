/**
 * Implements f32 sums and products with directed rounding (`.rz`, `.rm` and `.rp`) for four threads at once. The result
 * is computed in f64: products are exact there, and sums are rounded to odd. It is then rounded to the nearest f32, and
 * moved to the neighboring f32 if it lies on the wrong side of the f64 result.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { pushOddSum } from './exact-sums.ts';
import { fourByOne, repeatIf } from './four-by-one.ts';
import { canonical, clamp, type Operand, operandsOf, widen } from './vector-float.ts';
import { pushDoubleWords, type VectorLowering, type Writer } from './vector-lowering.ts';
import { single, splat } from './vector-words.ts';
import { evenWords, lowPairs, upperPair } from './word-shuffles.ts';

type Directed = 'rz' | 'rm' | 'rp';

/**
 * The comparison that is true if the nearest f32 lies on the wrong side of the f64 result. For `.rz`, it compares
 * magnitudes.
 */
const wrong: Readonly<Record<Directed, VectorOpcode>> = { rz: 'f64x2.gt', rm: 'f64x2.gt', rp: 'f64x2.lt' };

function isDirected(rounding: string): rounding is Directed {
  return Object.hasOwn(wrong, rounding);
}

export function vectorDirected(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, mode } = step;
  const { rounding } = mode;
  if (!isDirected(rounding) || (fn !== 'add' && fn !== 'sub' && fn !== 'mul' && fn !== 'fma')) return null;
  return () => writeDirected(step, rounding, lowering);
}

function writeDirected(step: StepOf<'float'>, rounding: Directed, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const locals = operandsOf(step, lowering);
  const operands = locals.map((local, i) => ({ local, isSame: vectors.isSame(elementAt(step.from, i)) }));
  const exact = ([0, 1] as const).map((half) => {
    const local = vectors.temporary();
    pushExact(step.fn, operands, half, lowering);
    code.set(local);
    return local;
  });
  const [low, high] = [elementAt(exact, 0), elementAt(exact, 1)];
  const result = vectors.temporary();
  code.get(low).vector('f32x4.demote_f64x2_zero').get(high).vector('f32x4.demote_f64x2_zero');
  code.shuffle(lowPairs).set(result);
  const masks = vectors.temporary();
  code.get(result);
  pushWrong(code, low, rounding);
  code.get(result).get(result).shuffle(upperPair);
  pushWrong(code, high, rounding);
  code.shuffle(evenWords).set(masks);
  move(code, rounding, result, masks);
  repeatUnusual(step, locals, result, lowering);
  if (step.mode.sat) clamp(code, result);
  else if (!lowering.hidesNan) canonical(code, result);
  vectors.set(step.to, { type: 'i32', locals: [result] });
}

/** Pushes two of the four results as f64 values. If they were rounded, they were rounded to odd. */
function pushExact(
  fn: StepOf<'float'>['fn'],
  operands: readonly Operand[],
  half: 0 | 1,
  { code, vectors }: VectorLowering,
): void {
  const push = (index: number): Code => widen(code, elementAt(operands, index), half);
  const pushProduct = (): Code => {
    push(0);
    return push(1).vector('f64x2.mul');
  };
  if (fn === 'mul') {
    pushProduct();
    return;
  }
  const local = (): number => vectors.temporary();
  const terms = [local(), local()] as const;
  if (fn === 'fma') pushProduct().set(terms[0]);
  else push(0).set(terms[0]);
  push(fn === 'fma' ? 2 : 1);
  if (fn === 'sub') pushDoubleWords(code, 1n << 63n).vector('v128.xor');
  code.set(terms[1]);
  pushOddSum(code, 'f64x2', terms, local);
}

/**
 * Replaces the two low f32 values on the stack with masks. A mask is set if the value is on the wrong side of its f64
 * result.
 */
function pushWrong(code: Code, exact: number, rounding: Directed): void {
  code.vector('f64x2.promote_low_f32x4');
  if (rounding === 'rz') code.vector('f64x2.abs').get(exact).vector('f64x2.abs');
  else code.get(exact);
  code.vector(wrong[rounding]);
}

/**
 * Moves the values in the lanes of `masks` to the neighboring f32 value: toward zero for `.rz`, down for `.rm`, and up
 * for `.rp`. The bits of floats with the same sign are ordered by magnitude, so the neighbor's bits differ by 1.
 */
function move(code: Code, rounding: Directed, result: number, masks: number): void {
  code.get(result);
  if (rounding === 'rz') {
    code.get(masks).vector('i32x4.add').set(result);
    return;
  }
  // -1 in lanes with negative values, and 1 in the others.
  splat(code.get(result).i32(31).vector('i32x4.shr_s'), 1).vector('v128.or');
  code
    .get(masks)
    .vector('v128.and', rounding === 'rm' ? 'i32x4.sub' : 'i32x4.add')
    .set(result);
}

/**
 * Computes the results again, one by one, in two rare cases. With .ftz, whether a result is flushed depends on its
 * value before rounding. With `.rm`, a sum of zero is negative if one of its terms is negative.
 */
function repeatUnusual(
  step: StepOf<'float'>,
  operands: readonly number[],
  result: number,
  { code, scalar }: VectorLowering,
): void {
  const { fn, mode } = step;
  const signsZero = mode.rounding === 'rm' && fn !== 'mul';
  if (!mode.flush && !signsZero) return;
  if (mode.flush) {
    splat(code.get(result).vector('f32x4.abs'), single.leastNormal).vector('f32x4.le');
    if (!signsZero) splat(code.get(result), 0).vector('f32x4.ne', 'v128.and');
  } else splat(code.get(result), 0).vector('f32x4.eq');
  code.vector('v128.any_true');
  repeatIf(code, fourByOne(scalar.helpers, step, operands.length), operands, [result]);
}
