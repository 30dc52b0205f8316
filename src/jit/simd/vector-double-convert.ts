/**
 * Conversions of f64 to and from f32 and 32-bit integers, and rounding of f64 to integers, for four threads at once. If
 * one of the numbers is a NaN, all four are converted one after the other, because PTX prescribes the bits of the result
 * for a NaN.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { converter } from '../arithmetic/convert.ts';
import type { Helpers } from '../helpers.ts';
import { repeatIf } from './four-by-one.ts';
import { hasIntegralName, integralName } from './vector-convert.ts';
import { pushHasNan } from './vector-double.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { laneCount, laneOf, type Vector } from './vectors.ts';
import { lowPairs, upperPair } from './word-shuffles.ts';

type Write = (step: StepOf<'convert'>, lowering: VectorLowering) => void;

const writers: Readonly<Record<string, Write>> = {
  'f32 to f64': widen,
  'f64 to f32': shorten,
  's32 to f64': fromWords,
  'u32 to f64': fromWords,
};

const integralWriters: Readonly<Record<string, Write>> = {
  'f64 to f64': makeIntegral,
  'f64 to s32': toWords,
  'f64 to u32': toWords,
};

/** Returns null if the conversion has no vector form. */
export function vectorDoubleConvert(step: StepOf<'convert'>, lowering: VectorLowering): Writer | null {
  const { conversion: c } = step;
  const write = (c.integral ? integralWriters : writers)[`${c.from} to ${c.to}`];
  if (write === undefined || !(c.integral ? isPlainIntegral(c) : isPlain(c))) return null;
  return () => write(step, lowering);
}

function isPlain(c: Conversion): boolean {
  return isPlainRounding(c) && !c.satfinite && (c.rounding === null || c.rounding === 'rn');
}

/** Whether the conversion does nothing but round to an integer. Integer results are always clamped. */
function isPlainIntegral({ to, sat, rounding }: Conversion): boolean {
  return (to !== 'f64' || !sat) && hasIntegralName(rounding ?? 'rn');
}

/** Pushes the values in a vector, rounded to integers. */
function pushWhole(code: Code, { rounding }: Conversion, source: number): Code {
  return code.get(source).vector(`f64x2.${integralName(rounding ?? 'rn')}`);
}

function makeIntegral({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const sources = pairOf(vectors.get(from, 'i64').locals);
  const whole = vectors.made('i64', (half) => pushWhole(code, conversion, elementAt(sources, half)));
  pushHasNan(code, sources);
  repeatIf(code, oneByOne(scalar.helpers, conversion), sources, whole.locals);
  vectors.set(to, whole);
}

function toWords({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const sources = pairOf(vectors.get(from, 'i64').locals);
  const opcode = conversion.to === 's32' ? 'i32x4.trunc_sat_f64x2_s_zero' : 'i32x4.trunc_sat_f64x2_u_zero';
  const words = vectors.made('i32', () => {
    for (const source of sources) pushWhole(code, conversion, source).vector(opcode);
    code.shuffle(lowPairs);
  });
  pushHasNan(code, sources);
  repeatIf(code, oneByOne(scalar.helpers, conversion), sources, words.locals);
  vectors.set(to, words);
}

function fromWords({ conversion, from, to }: StepOf<'convert'>, { code, vectors }: VectorLowering): void {
  const [source] = vectors.get(from, 'i32').locals;
  const opcode = conversion.from === 's32' ? 'f64x2.convert_low_i32x4_s' : 'f64x2.convert_low_i32x4_u';
  vectors.set(
    to,
    vectors.made('i64', (half) => pushPair(code, source, half).vector(opcode)),
  );
}

/** Pushes a vector whose first two words are the first or the last two words of another. */
function pushPair(code: Code, source: number, half: number): Code {
  code.get(source);
  return half === 0 ? code : code.get(source).shuffle(upperPair);
}

function widen({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const [source] = vectors.get(from, 'i32').locals;
  const wide = vectors.made('i64', (half) => pushPair(code, source, half).vector('f64x2.promote_low_f32x4'));
  code.get(source).get(source).vector('f32x4.ne', 'v128.any_true');
  repeatIf(code, oneByOne(scalar.helpers, conversion), [source], wide.locals);
  vectors.set(to, wide);
}

function shorten({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const sources = vectors.get(from, 'i64').locals;
  const short = vectors.made('i32', () => {
    for (const source of sources) code.get(source).vector('f32x4.demote_f64x2_zero');
    code.shuffle(lowPairs);
  });
  const [result] = short.locals;
  code.get(result).get(result).vector('f32x4.ne', 'v128.any_true');
  repeatIf(code, oneByOne(scalar.helpers, conversion), sources, short.locals);
  vectors.set(to, short);
}

/**
 * Returns the index of a function that converts four values one after the other. Values of 64 bits are in two vectors,
 * others in one.
 */
function oneByOne(helpers: Helpers, conversion: Conversion): number {
  const source = vectorOf(conversion.from, (half) => half);
  const parameters = source.locals.map(() => 'v128' as const);
  const results = vectorOf(conversion.to, (half) => half).locals.map(() => 'v128' as const);
  return helpers.function(`convert one by one ${JSON.stringify(conversion)}`, { parameters, results }, (code) => {
    const target = vectorOf(conversion.to, () => code.local('v128'));
    for (let lane = 0; lane < laneCount; lane++) {
      const [from, place, shape] = laneOf(source, lane);
      const [to, toPlace, toShape] = laneOf(target, lane);
      code.get(to).get(from).lane(`${shape}.extract_lane`, place);
      // The function for single threads also takes random bits and a scale.
      code.i32(0).i32(0x7f).call(converter(helpers, conversion));
      code.lane(`${toShape}.replace_lane`, toPlace).set(to);
    }
    for (const local of target.locals) code.get(local);
  });
}

function vectorOf(format: FormatName, local: (half: number) => number): Vector {
  if (formats[format].width === 64) return { type: 'i64', locals: [local(0), local(1)] };
  return { type: 'i32', locals: [local(0)] };
}
