/**
 * Conversions of f64 to and from f32 and 32-bit integers, and rounding of f64 to integers, for four threads at once. If
 * one of the numbers is a NaN, all four are converted one after the other, because PTX prescribes the bits of the result
 * for a NaN.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { type Conversion, isPlainRounding, type Rounding } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { converter } from '../arithmetic/convert.ts';
import type { Helpers } from '../helpers.ts';
import { setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { laneCount } from './vectors.ts';
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
  return (to !== 'f64' || !sat) && roundingOpcodes[rounding ?? 'rn'] !== undefined;
}

const roundingOpcodes: Readonly<Partial<Record<Rounding, VectorOpcode>>> = {
  rn: 'f64x2.nearest',
  rz: 'f64x2.trunc',
  rm: 'f64x2.floor',
  rp: 'f64x2.ceil',
};

/** Pushes the values in a vector, rounded to integers. */
function pushWhole(code: Code, { rounding }: Conversion, source: number): Code {
  const opcode = roundingOpcodes[rounding ?? 'rn'];
  if (opcode === undefined) throw new Error(`no instruction rounds in mode ${rounding}`);
  return code.get(source).vector(opcode);
}

function makeIntegral({ conversion, from, to }: StepOf<'convert'>, { code, vectors, scalar }: VectorLowering): void {
  const [low, high] = pairOf(vectors.get(from, 'i64').locals);
  const whole = vectors.made('i64', (half) => pushWhole(code, conversion, half === 0 ? low : high));
  const [wholeLow, wholeHigh] = pairOf(whole.locals);
  pushHasNan(code, [low, high]);
  code.unlikely().if(() => {
    code.get(low).get(high).call(oneByOne(scalar.helpers, conversion)).set(wholeHigh).set(wholeLow);
  });
  vectors.set(to, whole);
}

function toWords({ conversion, from, to }: StepOf<'convert'>, lowering: VectorLowering): void {
  const { code, vectors, scalar } = lowering;
  const [low, high] = pairOf(vectors.get(from, 'i64').locals);
  const opcode = conversion.to === 's32' ? 'i32x4.trunc_sat_f64x2_s_zero' : 'i32x4.trunc_sat_f64x2_u_zero';
  const result = vectors.temporary();
  for (const half of [low, high]) pushWhole(code, conversion, half).vector(opcode);
  code.shuffle(lowPairs).set(result);
  pushHasNan(code, [low, high]);
  code.unlikely().if(() => {
    code.get(low).get(high).call(oneByOne(scalar.helpers, conversion)).set(result);
  });
  code.get(result);
  setWord(to, lowering);
}

function pushHasNan(code: Code, [low, high]: readonly [number, number]): void {
  code.get(low).get(low).vector('f64x2.ne').get(high).get(high).vector('f64x2.ne', 'v128.or', 'v128.any_true');
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
  const [low, high] = pairOf(wide.locals);
  code.get(source).get(source).vector('f32x4.ne', 'v128.any_true');
  code.unlikely().if(() => {
    code.get(source).call(oneByOne(scalar.helpers, conversion)).set(high).set(low);
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
    code.get(low).get(high).call(oneByOne(scalar.helpers, conversion)).set(result);
  });
  code.get(result);
  setWord(to, lowering);
}

/**
 * Returns the index of a function that converts four values one after the other. Values of 64 bits are in two vectors,
 * others in one.
 */
function oneByOne(helpers: Helpers, conversion: Conversion): number {
  const [from, to] = [vectorsOf(conversion.from), vectorsOf(conversion.to)];
  const type = { parameters: from, results: to };
  return helpers.function(`convert one by one ${JSON.stringify(conversion)}`, type, (code) => {
    const results = to.map(() => code.local('v128'));
    for (let lane = 0; lane < laneCount; lane++) {
      const [source, target] = [placeOf(lane, from.length), placeOf(lane, to.length)];
      const result = elementAt(results, target.vector);
      code.get(result).get(source.vector).lane(`${source.shape}.extract_lane`, source.index);
      // The function for single threads also takes random bits and a scale.
      code.i32(0).i32(0x7f).call(converter(helpers, conversion));
      code.lane(`${target.shape}.replace_lane`, target.index).set(result);
    }
    for (const result of results) code.get(result);
  });
}

function vectorsOf(format: Conversion['from']): readonly 'v128'[] {
  return formats[format].width === 64 ? ['v128', 'v128'] : ['v128'];
}

interface LanePlace {
  readonly vector: number;
  readonly index: number;
  readonly shape: 'i32x4' | 'i64x2';
}

/** Where the value of a lane is if the values are in `count` vectors. */
function placeOf(lane: number, count: number): LanePlace {
  if (count === 1) return { vector: 0, index: lane, shape: 'i32x4' };
  return { vector: lane >> 1, index: lane & 1, shape: 'i64x2' };
}
