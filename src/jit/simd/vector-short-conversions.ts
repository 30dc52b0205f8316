/**
 * Conversions for four threads at once that use WebAssembly's own conversion instructions
 * (arithmetic/short-conversions.ts does the same for one thread). If one of the numbers is a NaN, all four are
 * converted one after the other, because PTX prescribes the bits of the result for a NaN.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Conversion } from '../../numerics/conversion.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { converter, unscaled } from '../arithmetic/convert.ts';
import { integralName, roundingOf, shortConversion } from '../arithmetic/short-conversions.ts';
import type { Helpers } from '../helpers.ts';
import { repeatIf } from './four-by-one.ts';
import { pushHasNan } from './vector-double.ts';
import { extendWords, type VectorLowering, type Writer } from './vector-lowering.ts';
import { laneCount, laneOf, type Vector } from './vectors.ts';
import { lowPairs, upperPair } from './word-shuffles.ts';

type Write = (step: StepOf<'convert'>, lowering: VectorLowering) => void;

const words = ['s8', 'u8', 's16', 'u16', 's32', 'u32'] as const;

const writers: Readonly<Record<string, Write>> = {
  'f32 to f64': widen,
  'f64 to f32': shorten,
  'f32 to f32': makeWhole,
  'f64 to f64': makeWholePairs,
  'f32 to s32': toWords,
  'f32 to u32': toWords,
  'f64 to s32': pairsToWords,
  'f64 to u32': pairsToWords,
  ...Object.fromEntries(
    words.flatMap((type) => [
      [`${type} to f32`, fromWords],
      [`${type} to f64`, fromWordsToPairs],
    ]),
  ),
};

/** Returns a function that writes the code of the conversion; null if WebAssembly has no vector instructions for it. */
export function vectorShortConversion(step: StepOf<'convert'>, lowering: VectorLowering): Writer | null {
  const { conversion: c } = step;
  const write = writers[`${c.from} to ${c.to}`];
  return write === undefined || shortConversion(c) === null ? null : () => write(step, lowering);
}

// --- rounding to integers -------------------------------------------------------------------------------------------

/** Pushes the values in a vector, rounded to integers. */
function pushWhole(code: Code, conversion: Conversion, source: number): Code {
  const shape = conversion.from === 'f64' ? 'f64x2' : 'f32x4';
  return code.get(source).vector(`${shape}.${integralName(roundingOf(conversion))}`);
}

function makeWhole(step: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [source] = vectors.get(step.from, 'i32').locals;
  const whole = vectors.made('i32', () => pushWhole(code, step.conversion, source));
  replaceNans(step, source, whole, lowering);
}

function makeWholePairs({ conversion, from, to }: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors, scalar } = lowering;
  const sources = pairOf(vectors.get(from, 'i64').locals);
  const whole = vectors.made('i64', (half) => pushWhole(code, conversion, elementAt(sources, half)));
  pushHasNan(code, sources);
  repeatIf(code, oneByOne(scalar.helpers, conversion), sources, whole.locals);
  vectors.set(to, whole);
}

function toWords(step: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [source] = vectors.get(step.from, 'i32').locals;
  const opcode = step.conversion.to === 's32' ? 'i32x4.trunc_sat_f32x4_s' : 'i32x4.trunc_sat_f32x4_u';
  const integers = vectors.made('i32', () => pushWhole(code, step.conversion, source).vector(opcode));
  replaceNans(step, source, integers, lowering);
}

function pairsToWords({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const sources = pairOf(vectors.get(from, 'i64').locals);
  const opcode = conversion.to === 's32' ? 'i32x4.trunc_sat_f64x2_s_zero' : 'i32x4.trunc_sat_f64x2_u_zero';
  const integers = vectors.made('i32', () => {
    for (const source of sources) pushWhole(code, conversion, source).vector(opcode);
    code.shuffle(lowPairs);
  });
  pushHasNan(code, sources);
  repeatIf(code, oneByOne(scalar.helpers, conversion), sources, integers.locals);
  vectors.set(to, integers);
}

/** Sets the result of a step. If a word of the source is a NaN, the numbers are converted again one by one. */
function replaceNans(
  { conversion, to }: StepOf<'convert'>,
  source: number,
  result: Vector,
  { code, vectors, scalar }: VectorLowering,
): void {
  code.get(source).get(source).vector('f32x4.ne', 'v128.any_true');
  repeatIf(code, oneByOne(scalar.helpers, conversion), [source], result.locals);
  vectors.set(to, result);
}

// --- integers to floats ---------------------------------------------------------------------------------------------

/** Returns the local that holds the integers, extended to 32 bits. */
function extended({ conversion, from }: StepOf<'convert'>, { code, vectors }: VectorLowering): number {
  const format = formats[conversion.from];
  const [source] = vectors.get(from, 'i32').locals;
  if (format.kind !== 'integer' || !format.signed || format.width === 32) return source;
  const [local] = vectors.made('i32', () => {
    code.get(source);
    extendWords(code, format.width);
  }).locals;
  return local;
}

const isSigned = (name: FormatName): boolean => name.startsWith('s');

function fromWords(step: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const source = extended(step, lowering);
  const opcode = isSigned(step.conversion.from) ? 'f32x4.convert_i32x4_s' : 'f32x4.convert_i32x4_u';
  vectors.set(
    step.to,
    vectors.made('i32', () => code.get(source).vector(opcode)),
  );
}

function fromWordsToPairs(step: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const source = extended(step, lowering);
  const opcode = isSigned(step.conversion.from) ? 'f64x2.convert_low_i32x4_s' : 'f64x2.convert_low_i32x4_u';
  vectors.set(
    step.to,
    vectors.made('i64', (half) => pushPair(code, source, half).vector(opcode)),
  );
}

/** Pushes a vector whose first two words are the first or the last two words of another vector. */
function pushPair(code: Code, source: number, half: number): Code {
  code.get(source);
  return half === 0 ? code : code.get(source).shuffle(upperPair);
}

// --- between floats -------------------------------------------------------------------------------------------------

function widen(step: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const [source] = vectors.get(step.from, 'i32').locals;
  const wide = vectors.made('i64', (half) => pushPair(code, source, half).vector('f64x2.promote_low_f32x4'));
  replaceNans(step, source, wide, lowering);
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
 * Returns the index of a function that converts four values one after the other. Four 64-bit values take up two
 * vectors, and narrower values take up one.
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
      // The function for single threads also has parameters for random bits and a scale.
      code.i32(0).i32(unscaled).call(converter(helpers, conversion));
      code.lane(`${toShape}.replace_lane`, toPlace).set(to);
    }
    for (const local of target.locals) code.get(local);
  });
}

function vectorOf(format: FormatName, local: (half: number) => number): Vector {
  if (formats[format].width === 64) return { type: 'i64', locals: [local(0), local(1)] };
  return { type: 'i32', locals: [local(0)] };
}
