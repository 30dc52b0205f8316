/**
 * Computes ex2, tanh, sin, cos and rsqrt of f32, f16 and bf16 for four threads at once. As in arithmetic/elementary.ts,
 * each result is computed in f64 with a small error, and both ends of its error interval are rounded. If the two
 * rounded values differ for any of the four threads, or if an argument is unusual, all four results are computed by the
 * functions for single threads.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import type { FloatFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { type Doubles, twoDoubles } from '../arithmetic/doubles.ts';
import { ends } from '../arithmetic/elementary.ts';
import { cosine, pushPolynomial, pushPower, pushTangent, sine, takeWhole } from '../arithmetic/elementary-series.ts';
import { masksOf } from '../arithmetic/float-bits.ts';
import { nearAngle, quarterTurn, smallRest } from '../arithmetic/quarter-turns.ts';
import type { Helpers } from '../helpers.ts';
import { fourByOne } from './four-by-one.ts';
import { flushed } from './vector-choices.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { type NarrowFormat, pushNarrowed, pushWidened } from './vector-narrow.ts';
import { single, splat } from './vector-words.ts';
import { lowPairs, upperPair } from './word-shuffles.ts';

/**
 * Pushes two values of a function, and ORs a mask into the local `unusual`. Each value has a relative error below
 * 2^-44, unless the mask marks its argument as one for which this error cannot be guaranteed.
 */
type Series = (doubles: Doubles, value: number, unusual: number) => void;

const one = 0x3ff0_0000_0000_0000n;

const allSeries: Readonly<Partial<Record<FloatFunction, Series>>> = {
  ex2: pushPower,
  tanh: pushTangent,
  sin: (doubles, value, unusual) => pushCircular(doubles, value, unusual, 0n),
  cos: (doubles, value, unusual) => pushCircular(doubles, value, unusual, 1n),
  rsqrt: (doubles, value) => {
    doubles.constant(one).get(value);
    doubles.op('sqrt', 'div');
  },
};

export function vectorElementary(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, format, mode, from, to } = step;
  const { code, vectors, scalar } = lowering;
  const series = allSeries[fn];
  if (series === undefined || format === 'f64' || mode.rounding !== 'rn' || mode.sat) return null;
  return () => {
    for (const ref of from) code.get(vectors.get(ref, 'i32').locals[0]);
    code.call(elementaryFunction(scalar.helpers, step, series));
    const result = vectors.temporary();
    code.set(result);
    vectors.set(to, { type: 'i32', locals: [result] });
  };
}

/** Returns the index of the function that computes four results. */
function elementaryFunction(helpers: Helpers, step: StepOf<'float'>, series: Series): number {
  const { fn, format, mode } = step;
  const key = `four ${fn} ${format} ${JSON.stringify(mode)}`;
  const type = { parameters: ['v128'], results: ['v128'] } as const;
  return helpers.function(key, type, (code) => writeElementary(code, helpers, step, series), true);
}

function writeElementary(code: Code, helpers: Helpers, step: StepOf<'float'>, series: Series): void {
  const { format, mode } = step;
  const doubles = twoDoubles(code, helpers.fuses);
  const lanes = { code, format, masks: masksOf(format), local: () => code.local('v128') };
  // sin treats subnormal operands as zeros even without .ftz.
  const given = mode.flush || step.fn === 'sin' ? flushed(lanes, 0) : 0;
  const wide = format === 'f32' ? given : code.local('v128');
  if (format === 'f16' || format === 'bf16') pushWidened(code, helpers, format, given).set(wide);
  const [low, high, value] = [code.local('v128'), code.local('v128'), code.local('v128')];
  const unusual = code.local('v128');
  const halves = ([0, 1] as const).map((half) => {
    code.get(wide);
    if (half === 1) code.get(wide).shuffle(upperPair);
    code.vector('f64x2.promote_low_f32x4').set(value);
    const result = code.local('v128');
    series(doubles, value, unusual);
    code.set(result);
    return result;
  });
  for (const [which, end] of [low, high].entries()) {
    for (const half of halves) {
      code.get(half);
      doubles.constant(which === 0 ? ends[0] : ends[1]);
      doubles.op('mul').vector('f32x4.demote_f64x2_zero');
    }
    code.shuffle(lowPairs).set(end);
  }
  returnIfSettled(code, step, [low, high, unusual]);
  code.get(0).call(fourByOne(helpers, step, 1));
}

/**
 * Writes code that returns the four results if, for each of them, both ends of the error interval round to the same
 * number. NaNs never meet this condition, because a NaN is not equal to itself.
 */
function returnIfSettled(
  code: Code,
  { format, mode }: StepOf<'float'>,
  [low, high, unusual]: readonly [low: number, high: number, unusual: number],
): void {
  const result = format === 'f32' ? low : code.local('v128');
  if (format === 'f32') code.get(low).get(high).vector('f32x4.eq');
  else if (format !== 'f64') pushIsNarrowSettled(code, format, [low, high, result]);
  code
    .get(unusual)
    .vector('v128.andnot', 'i32x4.all_true')
    .if(() => {
      const lanes = { code, format, masks: masksOf(format), local: () => code.local('v128') };
      // Flushing f32 results after rounding is correct, as arithmetic/elementary.ts explains.
      code.get(format === 'f32' && mode.flush ? flushed(lanes, result) : result).op('return');
    });
}

/**
 * A mask of the f32 bits that are below the last bit of a narrow format. If an f32 is a tie between two narrow numbers,
 * only the highest of these bits is set.
 */
const below: Readonly<Record<NarrowFormat, number>> = { f16: 0x1fff, bf16: 0xffff };

/**
 * Sets the local `result` to the results in a narrow format, and pushes a mask of the lanes in which they are certain.
 * Because the f32 value has itself been rounded, a result is not certain if this value may be a tie between two numbers
 * of the narrow format, or if it lies below the normal numbers of that format.
 */
function pushIsNarrowSettled(
  code: Code,
  format: NarrowFormat,
  [low, high, result]: readonly [low: number, high: number, result: number],
): void {
  pushNarrowed(code, format, low).set(result);
  pushNarrowed(code, format, high).get(result).vector('i32x4.eq');
  code.get(low).get(low).vector('f32x4.eq', 'v128.and');
  for (const end of [low, high]) {
    splat(splat(code.get(end), below[format]).vector('v128.and'), (below[format] + 1) / 2).vector(
      'i32x4.ne',
      'v128.and',
    );
  }
  const least = format === 'f16' ? 0x3880_0000 : single.leastNormal;
  splat(code.get(low).vector('f32x4.abs'), least).vector('f32x4.gt');
  splat(code.get(low), 0).vector('f32x4.eq', 'v128.or', 'v128.and');
}

/** Adds `quarter` quarter turns to each angle, and pushes the sines of the sums. */
function pushCircular(doubles: Doubles, angle: number, unusual: number, quarter: bigint): void {
  const { code, op, constant, local } = doubles;
  const [rest, square, turns] = [local(), local(), local()];
  code.get(angle);
  constant(quarterTurn.inverse);
  op('mul');
  const { whole, bits } = takeWhole(doubles);
  code.get(angle).get(whole);
  constant(quarterTurn.high);
  op('mul', 'sub').get(whole);
  constant(quarterTurn.low);
  op('mul', 'sub').set(rest);
  pushIsUnusual(doubles, [angle, whole, rest]);
  code.get(unusual).vector('v128.or').set(unusual);
  constant(quarter).get(bits).vector('i64x2.add').set(turns);
  code.get(rest).get(rest);
  op('mul').set(square);
  pushPolynomial(doubles, square, cosine);
  pushPolynomial(doubles, square, sine);
  code.get(rest);
  op('mul');
  // The lowest bit of the number of turns selects the series, and the next bit determines the sign.
  code.get(turns).i32(63).vector('i64x2.shl').i32(63).vector('i64x2.shr_s', 'v128.bitselect');
  code.get(turns).i32(1).vector('i64x2.shr_u').i32(63).vector('i64x2.shl', 'v128.xor');
}

/** Pushes a mask of the angles that are too large for this reduction or too close to a multiple of a quarter turn. */
function pushIsUnusual(doubles: Doubles, [angle, whole, rest]: readonly [number, number, number]): void {
  const { code, op, constant } = doubles;
  code.get(angle);
  op('abs');
  constant(nearAngle).vector('f64x2.lt', 'v128.not').get(rest);
  op('abs');
  constant(smallRest).vector('f64x2.lt').get(whole);
  constant(0n).vector('f64x2.ne', 'v128.and', 'v128.or');
}
