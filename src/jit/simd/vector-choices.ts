/**
 * Lowers neg, abs, min and max of floats for four threads at once. As in arithmetic/float-bits.ts, these steps operate
 * on bit patterns.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import { masksOf } from '../arithmetic/float-bits.ts';
import { pushDoubleWords, type VectorLowering, type Writer } from './vector-lowering.ts';
import { splat } from './vector-words.ts';

type Masks = ReturnType<typeof masksOf>;
type Format = StepOf<'float'>['format'];

/** The context for writing code for one vector. Each lane is as wide as the format's holder. */
interface Lanes {
  readonly code: Code;
  readonly format: Format;
  readonly masks: Masks;
  /** Returns a new local. */
  readonly local: () => number;
}

export function vectorChoice(step: StepOf<'float'>, { code, vectors }: VectorLowering): Writer {
  const { fn, format, mode, from, to } = step;
  const masks = masksOf(format);
  const lanes: Lanes = { code, format, masks, local: () => vectors.temporary() };
  return () => {
    const all = from.map((ref) => vectors.get(ref, masks.type).locals);
    const results = vectors.made(masks.type, (half) => {
      const operands = all.map((locals) => {
        const local = elementAt(locals, half);
        return mode.flush && format !== 'f64' ? flushed(lanes, local) : local;
      });
      const [a = 0, b = a] = operands;
      if (fn === 'neg' || fn === 'abs') pushSignChange(lanes, fn, a);
      else pushExtremum(lanes, step, a, b);
    });
    vectors.set(to, results);
  };
}

/** Pushes a vector that contains a constant in every lane. */
function constant({ code, masks }: Lanes, value: bigint): Code {
  return masks.type === 'i64' ? pushDoubleWords(code, value) : splat(code, Number(value));
}

/** Pushes a mask of the lanes that hold a NaN. */
function pushIsNan(lanes: Lanes, local: number): Code {
  const { code, format, masks } = lanes;
  if (format === 'f32') return code.get(local).get(local).vector('f32x4.ne');
  if (format === 'f64') return code.get(local).get(local).vector('f64x2.ne');
  constant(lanes, masks.magnitude).get(local).vector('v128.and');
  return constant(lanes, masks.infinity).vector('i32x4.gt_s');
}

/** Returns a local in which subnormals are replaced with zeros of the same sign. */
export function flushed(lanes: Lanes, given: number): number {
  const { masks, local } = lanes;
  const result = local();
  constant(lanes, masks.infinity).get(given).vector('v128.and');
  constant(lanes, 0n).vector('i32x4.ne');
  constant(lanes, masks.sign).vector('v128.or').get(given).vector('v128.and').set(result);
  return result;
}

/**
 * Pushes the negated or absolute value. A 64-bit NaN is made quiet; a narrower NaN is replaced with the NaN that
 * hardware produces.
 */
function pushSignChange(lanes: Lanes, fn: 'neg' | 'abs', a: number): void {
  const { code, format, masks } = lanes;
  if (format === 'f64') constant(lanes, masks.quiet).get(a).vector('v128.or');
  else constant(lanes, masks.magnitude);
  code.get(a);
  if (fn === 'neg') constant(lanes, masks.sign).vector('v128.xor');
  else constant(lanes, masks.magnitude).vector('v128.and');
  pushIsNan(lanes, a).vector('v128.bitselect');
}

function pushExtremum(lanes: Lanes, { fn, mode }: StepOf<'float'>, givenA: number, givenB: number): void {
  const { code, format, masks, local } = lanes;
  const [nanA, nanB, made] = [local(), local(), local()];
  pushIsNan(lanes, givenA).set(nanA);
  pushIsNan(lanes, givenB).set(nanB);
  if (format === 'f64') {
    // The result is the last operand that is a NaN, made quiet.
    code.get(givenB).get(givenA).get(nanB).vector('v128.bitselect');
    constant(lanes, masks.quiet).vector('v128.or').set(made);
  } else constant(lanes, masks.magnitude).set(made);
  const [a, b] = mode.xorSign ? [magnitudeOf(lanes, givenA), magnitudeOf(lanes, givenB)] : [givenA, givenB];
  const [less, more] = fn === 'min' ? [a, b] : [b, a];
  // If one operand is a NaN, the result is the other operand.
  code.get(made).get(b).get(a).get(less).get(more);
  pushKey(lanes, a);
  pushKey(lanes, b).vector(masks.type === 'i64' ? 'i64x2.lt_s' : 'i32x4.lt_s', 'v128.bitselect');
  code.get(nanB).vector('v128.bitselect').get(nanA).vector('v128.bitselect');
  if (mode.xorSign) {
    code.get(givenA).get(givenB).vector('v128.xor');
    constant(lanes, masks.sign).vector('v128.and', 'v128.or');
  }
  code
    .get(nanA)
    .get(nanB)
    .vector(mode.nan ? 'v128.or' : 'v128.and', 'v128.bitselect');
}

function magnitudeOf(lanes: Lanes, given: number): number {
  const result = lanes.local();
  constant(lanes, lanes.masks.magnitude).get(given).vector('v128.and').set(result);
  return result;
}

/**
 * Pushes signed integers that represent the floats in comparisons: the integers are in the same order as the floats,
 * with -0 below +0.
 */
function pushKey({ code, masks: { type, width } }: Lanes, given: number): Code {
  const shape = type === 'i64' ? 'i64x2' : 'i32x4';
  const push = (): Code => {
    code.get(given);
    return width === 16 ? code.i32(16).vector('i32x4.shl') : code;
  };
  push();
  push()
    .i32(type === 'i64' ? 63 : 31)
    .vector(`${shape}.shr_s`)
    .i32(1)
    .vector(`${shape}.shr_u`);
  return code.vector('v128.xor');
}
