/**
 * Lowers `convert` steps. Each conversion becomes one function of the module. The code of this function is generated
 * from the conversion's properties.
 */
import { type Conversion, flushesInput } from '../../numerics/conversion.ts';
import { type FixedFormat, formats, type NumberFormat, floatFormat } from '../../numerics/formats.ts';
import { nanPolicyOf } from '../../numerics/policy.ts';
import type { Code } from '../../wasm/code.ts';
import { decode, type Exceptions } from './decoding.ts';
import type { Helpers } from '../helpers.ts';
import { clampLocal, maskTo } from './integer.ts';
import { returnBits, returnInfinity, returnNan, returnRounded, returnZero } from './rounding.ts';
import { conversionTarget, patternsOf, type RoundingTarget } from './target.ts';
import { holder } from '../regions/values.ts';

/** The ue8m0 code that represents a scale of 1. */
export const unscaled = 0x7f;

/**
 * Returns the index of a function that converts one lane. The function takes the source, the random bits (an i32) and
 * the scale (an i32), and returns the result.
 */
export function converter(helpers: Helpers, c: Conversion): number {
  const from = formats[c.from];
  const to = formats[c.to];
  const type = { parameters: [holder(from.width), 'i32', 'i32'], results: [holder(to.width)] } as const;
  return helpers.function(`convert ${JSON.stringify(c)}`, type, (code) => writeConversion(code, c, from, to));
}

const [source, random, scale] = [0, 1, 2];

function writeConversion(code: Code, c: Conversion, from: NumberFormat, to: NumberFormat): void {
  const bits = code.local('i64');
  code.get(source);
  if (from.width <= 32) code.op('i64.extend_i32_u');
  code.set(bits);
  if (from.kind === 'integer' && to.kind === 'integer') {
    convertInteger(code, bits, from, to, c.sat);
    return;
  }
  const target = conversionTarget(c);
  if (c.scaled !== null)
    code
      .get(scale)
      .i32(0xff)
      .op('i32.eq')
      .if(() => returnNan(code, target));
  const exact = decode(code, from, bits, exceptionsOf(code, c, target, bits));
  if (c.scaled !== null) {
    code.get(exact.exponent).get(scale).i32(0x7f).op('i32.sub');
    code.op(c.scaled === 'multiply' ? 'i32.add' : 'i32.sub').set(exact.exponent);
  }
  // If the target format is unsigned, the sign is ignored.
  if (to.kind === 'float' && !to.signed) code.i32(0).set(exact.sign);
  returnRounded(code, target, exact, random);
  code.op('unreachable');
}

function exceptionsOf(code: Code, c: Conversion, target: RoundingTarget, bits: number): Exceptions {
  return {
    nan: (sign, fraction) => returnConvertedNan(code, c, target, { bits, sign, fraction }),
    infinity: (sign) => returnInfinity(code, target, sign),
    zero: (sign) => returnZero(code, target, sign),
    flush: flushesInput(c),
  };
}

function returnConvertedNan(
  code: Code,
  c: Conversion,
  target: RoundingTarget,
  { bits, sign, fraction }: { readonly bits: number; readonly sign: number; readonly fraction: number },
): void {
  const policy = nanPolicyOf(c).name;
  const { width } = target.format;
  if (policy === 'unchanged') {
    code.get(bits);
    returnBits(code, width);
    return;
  }
  if (policy === 'truncated') {
    code
      .get(bits)
      .i64(0xffffe000n)
      .op('i64.and')
      .i64(c.satfinite ? 0x2000n : 0n)
      .op('i64.sub');
    returnBits(code, width);
    return;
  }
  if (policy !== 'quieted' && policy !== 'shifted') {
    returnNan(code, target);
    return;
  }
  const to = floatFormat(target.format.name);
  const lift = BigInt(52 - floatFormat(c.from).fractionBits);
  const infinity = patternsOf(to).infinity ?? [0n, 0n];
  code.get(fraction).i64(lift).op('i64.shl');
  if (policy === 'quieted') code.i64(1n << 51n).op('i64.or');
  code
    .i64(BigInt(52 - to.fractionBits))
    .op('i64.shr_u')
    .i64(BigInt(to.padding))
    .op('i64.shl');
  code.i64(infinity[1]).i64(infinity[0]).get(sign).op('select', 'i64.or');
  returnBits(code, width);
}

/** Converts an integer by keeping its low bits or, with `sat`, by clamping it to the target's range. */
function convertInteger(code: Code, bits: number, from: FixedFormat, to: FixedFormat, sat: boolean): void {
  if (from.signed) {
    const spare = BigInt(64 - from.width);
    code.get(bits).i64(spare).op('i64.shl').i64(spare).op('i64.shr_s').set(bits);
  }
  if (sat) clampInteger(code, bits, from.signed, to);
  code.get(bits);
  maskTo(code, 'i64', to.width);
  returnBits(code, to.width);
}

function clampInteger(code: Code, bits: number, signed: boolean, to: FixedFormat): void {
  if (signed) return clampLocal(code, bits, to);
  const all = (1n << BigInt(to.width)) - 1n;
  const most = to.signed ? all >> 1n : all;
  code.get(bits).i64(most).get(bits).i64(most).op('i64.lt_u', 'select').set(bits);
}
