/**
 * Conversions between f32 and f64 for four threads at once. If one of the numbers is a NaN, all four are converted one
 * after the other, because PTX prescribes the bits of the result for a NaN.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import type { Code } from '../../wasm/code.ts';
import { converter } from '../arithmetic/convert.ts';
import type { Helpers } from '../helpers.ts';
import { setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { laneCount } from './vectors.ts';
import { lowPairs, upperPair } from './word-shuffles.ts';

/** Returns null unless the step is a plain conversion between the two formats. */
export function vectorDoubleConvert(step: StepOf<'convert'>, lowering: VectorLowering): Writer | null {
  const { conversion: c } = step;
  if (!isPlainRounding(c) || c.satfinite || (c.rounding !== null && c.rounding !== 'rn')) return null;
  if (c.from === 'f32' && c.to === 'f64') return () => widen(step, lowering);
  return c.from === 'f64' && c.to === 'f32' ? () => shorten(step, lowering) : null;
}

function widen({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const [source] = vectors.get(from, 'i32').locals;
  const wide = vectors.made('i64', (half) => {
    code.get(source);
    if (half === 1) code.get(source).shuffle(upperPair);
    code.vector('f64x2.promote_low_f32x4');
  });
  const [low, high] = pairOf(wide.locals);
  code.get(source).get(source).vector('f32x4.ne', 'v128.any_true');
  code.unlikely().if(() => {
    code.get(source).call(widenOneByOne(scalar.helpers, conversion)).set(high).set(low);
  });
  vectors.set(to, wide);
}

function shorten({ conversion, from, to }: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors, scalar } = lowering;
  const [low, high] = pairOf(vectors.get(from, 'i64').locals);
  const result = vectors.temporary();
  for (const half of [low, high]) code.get(half).vector('f32x4.demote_f64x2_zero');
  code.shuffle(lowPairs).set(result).get(result).get(result).vector('f32x4.ne', 'v128.any_true');
  code.unlikely().if(() => {
    code.get(low).get(high).call(shortenOneByOne(scalar.helpers, conversion)).set(result);
  });
  code.get(result);
  setWord(to, lowering);
}

/** Converts the value on the stack with the function for single threads, which also takes random bits and a scale. */
function convertOne(code: Code, helpers: Helpers, conversion: Conversion): void {
  code.i32(0).i32(0x7f).call(converter(helpers, conversion));
}

function widenOneByOne(helpers: Helpers, conversion: Conversion): number {
  const type = { parameters: ['v128'], results: ['v128', 'v128'] } as const;
  return helpers.function(`widen four ${JSON.stringify(conversion)}`, type, (code) => {
    const results = [code.local('v128'), code.local('v128')];
    for (let lane = 0; lane < laneCount; lane++) {
      const result = elementAt(results, lane >> 1);
      code.get(result).get(0).lane('i32x4.extract_lane', lane);
      convertOne(code, helpers, conversion);
      code.lane('i64x2.replace_lane', lane & 1).set(result);
    }
    for (const result of results) code.get(result);
  });
}

function shortenOneByOne(helpers: Helpers, conversion: Conversion): number {
  const type = { parameters: ['v128', 'v128'], results: ['v128'] } as const;
  return helpers.function(`shorten four ${JSON.stringify(conversion)}`, type, (code) => {
    const result = code.local('v128');
    for (let lane = 0; lane < laneCount; lane++) {
      code
        .get(result)
        .get(lane >> 1)
        .lane('i64x2.extract_lane', lane & 1);
      convertOne(code, helpers, conversion);
      code.lane('i32x4.replace_lane', lane).set(result);
    }
    code.get(result);
  });
}
