/**
 * Generates code that rounds a value, for every rounding mode and format. The input is a value (-1)^sign * significand
 * * 2^(exponent - 63). The top bit of the significand is always set. The lowest bit is sticky: it is also set if the
 * exact value has nonzero bits beyond the significand. The output is a bit pattern in the target format. The code uses
 * only integer instructions, generated from the target's constants. Every exported function of this file writes code
 * that ends by returning from the generated function.
 */
import { type ExactLocals } from './exact-locals.ts';
import type { Rounding } from '../../numerics/conversion.ts';
import type { FixedFormat, FloatFormat } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { maskTo } from './integer.ts';
import { type Patterns, patternsOf, type RoundingTarget } from './target.ts';

/** Returns the i64 on the stack as the result of the function. */
export function returnBits(code: Code, width: number): void {
  if (width <= 32) code.op('i32.wrap_i64');
  code.op('return');
}

function returnConstant(code: Code, bits: bigint, width: number): void {
  code.i64(bits);
  returnBits(code, width);
}

function returnBySign(code: Code, sign: number, bits: readonly [bigint, bigint], width: number): void {
  code.i64(bits[1]).i64(bits[0]).get(sign).op('select');
  returnBits(code, width);
}

/** With `.sat` and `.relu`, a negative result, including -0, becomes +0. */
function clampNegative(code: Code, { sat, relu, format }: RoundingTarget, sign: number): void {
  if (sat || relu) code.get(sign).if(() => returnConstant(code, 0n, format.width));
}

export function returnNan(code: Code, { nan, format }: RoundingTarget): void {
  returnConstant(code, nan, format.width);
}

export function returnZero(code: Code, target: RoundingTarget, sign: number): void {
  const { format } = target;
  clampNegative(code, target, sign);
  const isSigned = format.kind === 'float' && format.signed && !target.positiveZero;
  const negative = isSigned ? 1n << BigInt(format.width - 1) : 0n;
  returnBySign(code, sign, [0n, negative], format.width);
}

export function returnInfinity(code: Code, target: RoundingTarget, sign: number): void {
  const { format, overflow, sat } = target;
  const { one, infinity, largest } = patternsOf(format);
  clampNegative(code, target, sign);
  if (sat) returnConstant(code, one, format.width);
  else if (overflow === 'directed' && infinity !== null) returnBySign(code, sign, infinity, format.width);
  else if (overflow === 'nan') returnNan(code, target);
  else returnBySign(code, sign, largest, format.width);
}

/** Writes code that rounds a finite, nonzero value. `random` is an i32 local that holds the random bits of `.rs`. */
export function returnRounded(code: Code, target: RoundingTarget, exact: ExactLocals, random: number): void {
  if (target.format.kind === 'float') roundFloat(code, target, target.format, exact, random);
  else roundFixed(code, target, target.format, exact, random);
}

/** Locals that hold the result of rounding: the value `kept` * 2^`last`, where `kept` is an i64 and `last` an i32. */
interface KeptLocals {
  readonly kept: number;
  readonly last: number;
}

function roundFloat(code: Code, target: RoundingTarget, format: FloatFormat, exact: ExactLocals, random: number): void {
  const { fractionBits, bias, subnormals, width } = format;
  const lowest = 1 - bias - fractionBits;
  const least = target.integral ? Math.max(lowest, 0) : lowest - (subnormals ? 0 : 1);
  const cut = code.local('i32');
  code.i32(63 - fractionBits).set(cut);
  if (target.flush !== 'unbounded') {
    code
      .i32(least + 63)
      .get(exact.exponent)
      .op('i32.sub')
      .tee(cut);
    code
      .i32(63 - fractionBits)
      .get(cut)
      .i32(63 - fractionBits)
      .op('i32.gt_s', 'select')
      .set(cut);
  }
  const rounded = roundAt(code, target, exact, cut, random);
  const { kept, last } = rounded;
  code
    .get(kept)
    .op('i64.eqz')
    .if(() => returnZero(code, target, exact.sign));
  clampNegative(code, target, exact.sign);
  if (target.integral) normalize(code, rounded, fractionBits);
  const magnitude = code.local('i64');
  code.get(last).i32(lowest).op('i32.sub', 'i64.extend_i32_s').i64(BigInt(fractionBits)).op('i64.shl');
  code.get(kept).op('i64.add').set(magnitude);
  limitFloat(code, target, format, exact.sign, magnitude);
  code.get(magnitude).i64(BigInt(format.padding)).op('i64.shl');
  if (format.signed) {
    code
      .get(exact.sign)
      .op('i64.extend_i32_u')
      .i64(BigInt(width - 1))
      .op('i64.shl', 'i64.or');
  }
  returnBits(code, width);
}

/** Shifts `kept` to the left until it has the full precision of the format, and adjusts `last` to match. */
function normalize(code: Code, { kept, last }: KeptLocals, fractionBits: number): void {
  const spare = 63 - fractionBits;
  const zeros = code.local('i64');
  code.get(kept).op('i64.clz').set(zeros);
  code.get(last).get(zeros).op('i32.wrap_i64').i32(spare).op('i32.sub', 'i32.sub').set(last);
  code.get(kept).get(zeros).op('i64.shl').i64(BigInt(spare)).op('i64.shr_u').set(kept);
}

/**
 * Writes code that handles results beyond the limits of the target: results above 1 with `.sat`, results that are too
 * large for the format, and subnormal results that must be flushed. Of two results with the same sign, the one with the
 * larger magnitude has the larger bit pattern, so the patterns are compared directly.
 */
function limitFloat(code: Code, target: RoundingTarget, format: FloatFormat, sign: number, magnitude: number): void {
  const { width, padding, fractionBits } = format;
  const patterns = patternsOf(format);
  if (target.sat) {
    code
      .get(magnitude)
      .i64(patterns.one >> BigInt(padding))
      .op('i64.gt_s');
    code.if(() => returnConstant(code, patterns.one, width));
  }
  code.get(magnitude).i64(patterns.limit[0]).op('i64.gt_s');
  code.if(() => returnOverflow(code, target, patterns, sign));
  if (target.flush === 'no') return;
  code
    .get(magnitude)
    .i64(1n << BigInt(fractionBits))
    .op('i64.lt_s');
  code.if(() => returnBySign(code, sign, [0n, 1n << BigInt(width - 1)], width));
}

function returnOverflow(code: Code, target: RoundingTarget, patterns: Patterns, sign: number): void {
  const { overflow, rounding, format } = target;
  const { largest, infinity } = patterns;
  const away = overflow === 'nan' ? ([target.nan, target.nan] as const) : overflow === 'directed' ? infinity : null;
  const inward = away === null || rounding === 'rz';
  const positive = inward || rounding === 'rm' ? largest[0] : away[0];
  const negative = inward || rounding === 'rp' ? largest[1] : away[1];
  returnBySign(code, sign, [positive, negative], format.width);
}

function roundFixed(code: Code, target: RoundingTarget, format: FixedFormat, exact: ExactLocals, random: number): void {
  const { width, fractionBits } = format;
  const { largest, limit } = patternsOf(format);
  const cut = code.local('i32');
  code
    .i32(63 - fractionBits)
    .get(exact.exponent)
    .op('i32.sub')
    .set(cut);
  const { kept } = roundAt(code, target, exact, cut, random);
  clampNegative(code, target, exact.sign);
  code.get(kept).i64(limit[1]).i64(limit[0]).get(exact.sign).op('select', 'i64.gt_u');
  code.if(() => returnBySign(code, exact.sign, largest, width));
  code.i64(0n).get(kept).op('i64.sub').get(kept).get(exact.sign).op('select');
  maskTo(code, 'i64', width);
  returnBits(code, width);
}

/**
 * Removes the lowest `cut` bits of the significand and rounds what remains. If `cut` is 0, no bits are removed. If
 * `cut` is negative, the value is too large to be represented; all bits of `kept` are then set, so that it exceeds
 * every limit. If `cut` is 128 or more, only a sticky bit in `low` remains.
 */
function roundAt(code: Code, target: RoundingTarget, exact: ExactLocals, cut: number, random: number): KeptLocals {
  const { significand, exponent, sign } = exact;
  const kept = code.local('i64');
  const low = code.local('i64');
  const last = code.local('i32');
  const wide = code.local('i64');
  code.get(cut).op('i64.extend_i32_u').set(wide);
  code.get(cut).get(exponent).op('i32.add').i32(63).op('i32.sub').set(last);
  code.get(cut).i32(1).op('i32.sub').i32(63).op('i32.lt_u');
  code.if(
    () => {
      code.get(significand).get(wide).op('i64.shr_u').set(kept);
      code.get(significand).i64(64n).get(wide).op('i64.sub', 'i64.shl').set(low);
    },
    () => {
      code.get(cut).i32(0).op('i32.gt_s');
      code.if(
        () => {
          // Shift amounts are taken modulo 64, so the significand is shifted by `cut` - 64.
          code.i64(0n).set(kept);
          code.get(significand).get(wide).op('i64.shr_u').i64(1n).get(cut).i32(128).op('i32.lt_u', 'select').set(low);
        },
        () => {
          code.get(significand).i64(-1n).get(cut).op('i32.eqz', 'select').set(kept);
          code.i64(0n).set(low);
        },
      );
    },
  );
  if (target.rounding === 'rz') return { kept, last };
  raises(code, target.rounding, target.randomBits, { kept, low, sign, random });
  code.get(kept).op('i64.add').set(kept);
  return { kept, last };
}

const half = 1n << 63n;

/**
 * Pushes an i64: 1 if the magnitude is rounded up, otherwise 0. `low` holds the bits that were removed, in units of
 * 2^-64.
 */
function raises(
  code: Code,
  rounding: Exclude<Rounding, 'rz'>,
  randomBits: number,
  {
    kept,
    low,
    sign,
    random,
  }: { readonly kept: number; readonly low: number; readonly sign: number; readonly random: number },
): void {
  switch (rounding) {
    case 'rn':
      code.get(low).i64(half).get(kept).i64(1n).op('i64.and', 'i64.sub', 'i64.gt_u', 'i64.extend_i32_u');
      return;
    case 'rna':
      code.get(low).i64(63n).op('i64.shr_u');
      return;
    case 'rm':
    case 'rp':
      code.get(low).op('i64.eqz').get(sign);
      if (rounding === 'rm') code.op('i32.eqz');
      code.op('i32.or', 'i32.eqz', 'i64.extend_i32_u');
      return;
    case 'rs':
      code
        .get(low)
        .i64(BigInt(64 - randomBits))
        .op('i64.shr_u');
      code
        .get(random)
        .i32(2 ** randomBits - 1)
        .op('i32.and', 'i64.extend_i32_u', 'i64.add');
      code.i64(BigInt(randomBits)).op('i64.shr_u');
  }
}
