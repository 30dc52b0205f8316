/**
 * Implements `convert` steps for four values at once with WebAssembly's vector instructions. As in convert.ts, the code
 * is generated from a description of the conversion; both files produce identical results. Every value is converted to
 * f32 first; conversions for which this is not possible have no vector form.
 */
import { type Conversion, flushesInput, type Rounding } from '../../numerics/conversion.ts';
import { type FixedFormat, type FloatFormat, floatFormat, formats } from '../../numerics/formats.ts';
import { nanPolicyOf } from '../../numerics/policy.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import { hasIntegralName, integralName, roundingOf } from '../arithmetic/short-conversions.ts';
import { conversionTarget, patternsOf, type RoundingTarget } from '../arithmetic/target.ts';
import { decodeVector, type IntegerRounding, pushScale, pushSigned, type SingleLocals } from './vector-decoding.ts';
import { canRound, pushRounded } from './vector-rounding.ts';
import { shift, single, splat, splatPower } from './vector-words.ts';

/**
 * Each of these locals is a v128 that holds four zero-extended words. `random` and `scale` are read only if the
 * conversion uses them.
 */
export interface VectorOperands {
  readonly source: number;
  readonly random: number;
  readonly scale: number;
}

/** Writes a conversion that pushes its results as four zero-extended words. */
type VectorWriter = (code: Code, operands: VectorOperands) => void;

/**
 * Returns the index of a function that takes the source, random bits and scale of four conversions and returns their
 * results. Each parameter, and the result, is a v128 of four words. Returns null if the conversion has no vector form.
 */
export function vectorConverter(helpers: Helpers, c: Conversion): number | null {
  const write = vectorConversion(c);
  if (write === null) return null;
  const type = { parameters: ['v128', 'v128', 'v128'], results: ['v128'] } as const;
  return helpers.function(`convert four ${JSON.stringify(c)}`, type, (code) =>
    write(code, { source: 0, random: 1, scale: 2 }),
  );
}

/** Returns a function that writes a conversion as inline code; null if the conversion has no vector form. */
export function vectorConversion(c: Conversion): VectorWriter | null {
  const [from, to] = [formats[c.from], formats[c.to]];
  if (from.width > 32 || to.width > 32) return null;
  if (to.kind === 'float') return hasFloatForm(c) ? (code, operands) => toFloat(code, c, to, operands) : null;
  if (to.kind === 'fixed') return hasFixedForm(c) ? (code, operands) => toFixed(code, c, to, operands) : null;
  if (from.kind === 'integer') return (code, { source }) => convertInteger(code, source, from, to, c.sat);
  return hasIntegralForm(c) ? (code, operands) => toInteger(code, c, to, operands) : null;
}

function hasIntegralForm(c: Conversion): boolean {
  return c.scaled === null && !c.relu && hasIntegralName(roundingOf(c));
}

/**
 * Whether a conversion to s2f6 has a vector form. Multiplying by the scale in f32 may round a value, but only at a
 * position far below the last bit of the result. This rounding does not change a result that is rounded to nearest or
 * toward zero, but it might change results in other modes.
 */
function hasFixedForm(c: Conversion): boolean {
  const { kind, width } = formats[c.from];
  return ['rn', 'rz'].includes(roundingOf(c)) && c.scaled !== 'multiply' && (kind === 'float' || width < 32);
}

function hasFloatForm(c: Conversion): boolean {
  const target = conversionTarget(c);
  const from = formats[c.from];
  if (!canRound(target)) return false;
  if (c.integral) return c.from === c.to && c.scaled === null && hasIntegralName(target.rounding);
  if (c.scaled !== null) return hasScaledForm(c, target);
  // A 32-bit integer is rounded when it is decoded to f32.
  return from.kind !== 'integer' || from.width < 32 || (target.rounding !== 'rs' && target.rounding !== 'rna');
}

/**
 * Whether scaling in f32 produces the right result. The product of a narrow number and a scale is exact, unless it
 * overflows. A quotient may be rounded, but only far below the smallest value of a narrow format, which does not matter
 * if the result is rounded to nearest or toward zero.
 */
function hasScaledForm({ from, to, scaled }: Conversion, { rounding }: RoundingTarget): boolean {
  if (scaled === 'multiply') return formats[from].width <= 8 && rounding === 'rn';
  return formats[to].width <= 8 && (rounding === 'rn' || rounding === 'rz');
}

/**
 * Decodes the operand and performs all steps that precede rounding: flushing subnormals for .ftz, scaling, and clamping
 * negative values.
 */
function decodeOperand(code: Code, c: Conversion, target: RoundingTarget, operands: VectorOperands): SingleLocals {
  const cut: IntegerRounding = c.to === 'f32' ? target.rounding : 'odd';
  const decoded = decodeVector(code, formats[c.from], operands.source, cut);
  const { magnitude } = decoded;
  if (flushesInput(c)) flushMagnitude(code, magnitude, floatFormat(c.from));
  const nan = c.scaled === null ? decoded.nan : applyScale(code, c, target, decoded, operands.scale);
  if (decoded.sign === null || !(target.sat || target.relu)) return { ...decoded, nan };
  shift(code.get(magnitude).get(decoded.sign), 'i32x4.shr_s', 31).vector('v128.andnot').set(magnitude);
  return { magnitude, sign: null, nan };
}

/** Replaces magnitudes that are subnormal in the given format with zeros. The magnitudes are f32 numbers. */
function flushMagnitude(code: Code, magnitude: number, { bias }: FloatFormat): void {
  code.get(magnitude).get(magnitude);
  splat(code, (128 - bias) << 23)
    .vector('i32x4.ge_s', 'v128.and')
    .set(magnitude);
}

/**
 * Multiplies or divides the magnitudes by `2^(scale - 127)`. Lanes in which the scale is 0xff become NaNs. Returns a
 * local that holds a mask of all lanes that contain a NaN, including these lanes.
 */
function applyScale(
  code: Code,
  c: Conversion,
  target: RoundingTarget,
  { magnitude, nan }: SingleLocals,
  scale: number,
): number {
  const mask = code.local('v128');
  const infinite = tellsInfinities(target) ? code.local('v128') : null;
  if (infinite !== null) {
    splat(code.get(magnitude), single.infinity).vector('i32x4.eq');
    splat(code, single.infinity).vector('v128.and').set(infinite);
  }
  code.get(magnitude);
  if (c.scaled === 'multiply') code.get(scale);
  else splat(code, 0xfe).get(scale).vector('i32x4.sub');
  pushScale(code);
  code.vector('f32x4.mul');
  if (infinite !== null)
    splat(code, single.infinity - 1)
      .vector('i32x4.min_u')
      .get(infinite)
      .vector('i32x4.max_u');
  code.set(magnitude);
  splat(code.get(scale), 0xff).vector('i32x4.eq');
  if (nan !== null) code.get(nan).vector('v128.or');
  code.set(mask);
  return mask;
}

/**
 * Whether infinities and values beyond the range have different results. If so, no scaled value may overflow to
 * infinity.
 */
function tellsInfinities({ overflow, rounding }: RoundingTarget): boolean {
  return overflow === 'nan' && rounding === 'rz';
}

// --- floats ---------------------------------------------------------------------------------------------------------

function toFloat(code: Code, c: Conversion, to: FloatFormat, operands: VectorOperands): void {
  const target = conversionTarget(c);
  const decoded = decodeOperand(code, c, target, operands);
  // An unsigned format receives the magnitude without the sign.
  const sign = to.signed ? decoded.sign : null;
  const { magnitude, nan } = decoded;
  if (c.integral) makeIntegral(code, target.rounding, magnitude, sign);
  if (target.flush !== 'no') flushMagnitude(code, magnitude, to);
  const rounding = c.integral ? 'rz' : target.rounding;
  const pushNan = nan === null ? null : (): void => pushConvertedNan(code, c, target, operands.source);
  pushNan?.();
  pushRounded(code, { ...target, rounding }, to, { magnitude, sign, random: operands.random });
  if (sign !== null) addSign(code, unsignedPatterns(c, target), to.width, sign);
  if (nan !== null) code.get(nan).vector('v128.bitselect');
}

/** The patterns that must not get a sign bit: zero with `.pzo`, and the NaN for values that are too large. */
function unsignedPatterns({ positiveZero }: Conversion, { overflow, nan }: RoundingTarget): readonly number[] {
  return [...(positiveZero ? [0] : []), ...(overflow === 'nan' ? [Number(nan)] : [])];
}

/** Adds the sign bits to the patterns on the stack, except to the patterns in `unsigned`. */
function addSign(code: Code, unsigned: readonly number[], width: number, sign: number): void {
  const rounded = unsigned.length > 0 ? code.local('v128') : null;
  if (rounded !== null) code.tee(rounded);
  shift(code.get(sign), 'i32x4.shr_u', 32 - width);
  splat(code, 2 ** (width - 1)).vector('v128.and');
  if (rounded !== null)
    for (const pattern of unsigned) splat(code.get(rounded), pattern).vector('i32x4.ne', 'v128.and');
  code.vector('v128.or');
}

/** Rounds to integers. The sign is kept, even for zeros. */
function makeIntegral(code: Code, rounding: Rounding, magnitude: number, sign: number | null): void {
  pushSigned(code, magnitude, sign);
  code.vector(`f32x4.${integralName(rounding)}`);
  splat(code, single.magnitude).vector('v128.and').set(magnitude);
}

function pushConvertedNan(code: Code, c: Conversion, target: RoundingTarget, source: number): void {
  switch (nanPolicyOf(c).name) {
    case 'unchanged':
      code.get(source);
      return;
    case 'truncated':
      splat(code.get(source), -0x2000).vector('v128.and');
      if (c.satfinite) splat(code, 0x2000).vector('i32x4.sub');
      return;
    case 'shifted':
      shift(code.get(source), 'i32x4.shl', 16);
      return;
    case 'quieted':
      splat(code.get(source), single.quiet).vector('v128.or');
      return;
    default:
      splat(code, Number(target.nan));
  }
}

// --- integers -------------------------------------------------------------------------------------------------------

/** Converting to a 32-bit integer clamps the value and turns a NaN into 0. Narrower integers are clamped once more. */
function toInteger(code: Code, c: Conversion, to: FixedFormat, operands: VectorOperands): void {
  const target = conversionTarget(c);
  const { magnitude, sign, nan } = decodeOperand(code, c, target, operands);
  pushSigned(code, magnitude, sign);
  // A NaN in the source is not always decoded to a NaN in f32, so lanes with NaNs are set to 0 here.
  if (nan !== null && c.from !== 'f32') code.get(nan).vector('v128.andnot');
  if (target.rounding !== 'rz') code.vector(`f32x4.${integralName(target.rounding)}`);
  code.vector(to.signed ? 'i32x4.trunc_sat_f32x4_s' : 'i32x4.trunc_sat_f32x4_u');
  if (to.width === 32) return;
  const { limit } = patternsOf(to);
  splat(code, Number(limit[0])).vector(to.signed ? 'i32x4.min_s' : 'i32x4.min_u');
  if (to.signed) splat(code, -Number(limit[1])).vector('i32x4.max_s');
  maskWords(code, to);
}

function maskWords(code: Code, { width, signed }: FixedFormat): void {
  if (signed && width < 32) splat(code, 2 ** width - 1).vector('v128.and');
}

/** Converts to s2f6. The magnitude is clamped first, and then the sign is applied. */
function toFixed(code: Code, c: Conversion, to: FixedFormat, operands: VectorOperands): void {
  const target = conversionTarget(c);
  const { magnitude, sign, nan } = decodeOperand(code, c, target, operands);
  if (nan !== null) splat(code, Number(target.nan));
  splatPower(code.get(magnitude), to.fractionBits).vector('f32x4.mul');
  if (target.rounding === 'rn') code.vector('f32x4.nearest');
  code.vector('i32x4.trunc_sat_f32x4_s');
  splat(code, Number(patternsOf(to).limit[0])).vector('i32x4.min_s');
  if (sign !== null) {
    shift(code.get(sign), 'i32x4.shr_s', 31).vector('v128.xor');
    shift(code.get(sign), 'i32x4.shr_s', 31).vector('i32x4.sub');
  }
  maskWords(code, to);
  if (nan !== null) code.get(nan).vector('v128.bitselect');
}

/**
 * Pushes the converted words. A word is converted by keeping its low bits or, with `sat`, by clamping it to the range
 * of `to`.
 */
export function convertInteger(code: Code, source: number, from: FixedFormat, to: FixedFormat, sat: boolean): void {
  const spare = 32 - from.width;
  code.get(source);
  if (from.signed) shift(shift(code, 'i32x4.shl', spare), 'i32x4.shr_s', spare);
  if (sat) clampWords(code, from, to);
  if (to.width < 32) splat(code, 2 ** to.width - 1).vector('v128.and');
}

function clampWords(code: Code, from: FixedFormat, to: FixedFormat): void {
  const [most, least] = patternsOf(to).limit;
  if (!from.signed) {
    splat(code, Number(most)).vector('i32x4.min_u');
    return;
  }
  splat(code, -Number(least)).vector('i32x4.max_s');
  if (most < 2n ** 31n) splat(code, Number(most)).vector('i32x4.min_s');
}
