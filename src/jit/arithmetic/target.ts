/**
 * Describes the format to which values are rounded, and how they are rounded to it. The properties are constants from
 * which rounding.ts generates instructions.
 */
import { type Conversion, flushesUnrounded, type Rounding } from '../../numerics/conversion.ts';
import { type FloatFormat, formats, type NumberFormat } from '../../numerics/formats.ts';
import type { FloatArithmeticFormat, FloatMode } from '../../numerics/operations.ts';
import { nanPolicyOf, type OverflowPolicy, overflowPolicyOf } from '../../numerics/policy.ts';

export interface RoundingTarget {
  readonly format: NumberFormat;
  readonly rounding: Rounding;
  readonly randomBits: number;
  readonly integral: boolean;
  readonly overflow: OverflowPolicy;
  readonly sat: boolean;
  readonly relu: boolean;
  /** `.pzo`: a result of -0 becomes +0. */
  readonly positiveZero: boolean;
  /**
   * Whether subnormal results become zeros. `rounded`: a result becomes zero if it is subnormal after it has been
   * rounded to the format. `unbounded`: the exact result is first rounded as if there were no lower bound on the
   * exponent; it becomes zero if the rounded value is below the smallest normal number.
   */
  readonly flush: 'no' | 'rounded' | 'unbounded';
  /** The bit pattern of the NaN that results if the payload of the source NaN is not kept. */
  readonly nan: bigint;
}

/** Bit patterns of a format. A pair consists of the patterns for positive and for negative values. */
export interface Patterns {
  readonly one: bigint;
  readonly infinity: readonly [bigint, bigint] | null;
  readonly largest: readonly [bigint, bigint];
  /**
   * For a float format: the pattern of the largest magnitude, without padding bits. For an integer format: the largest
   * magnitude for each sign.
   */
  readonly limit: readonly [bigint, bigint];
}

export function patternsOf(format: NumberFormat): Patterns {
  return format.kind === 'float' ? floatPatterns(format) : fixedPatterns(format.width, format.signed, format.kind);
}

function floatPatterns(format: FloatFormat): Patterns {
  const { width, signed, padding, fractionBits, bias } = format;
  const signBit = signed ? 1n << BigInt(width - 1) : 0n;
  const all = (1n << BigInt(width - (signed ? 1 : 0) - padding)) - 1n;
  const infinite = all - ((1n << BigInt(fractionBits)) - 1n);
  const top = format.infinity ? infinite - 1n : format.nan === 'all-ones' ? all - 1n : all;
  const both = (bits: bigint): readonly [bigint, bigint] => {
    const placed = bits << BigInt(padding);
    return [placed, placed | signBit];
  };
  return {
    one: BigInt(bias) << BigInt(fractionBits + padding),
    infinity: format.infinity ? both(infinite) : null,
    largest: both(top),
    limit: [top, top],
  };
}

function fixedPatterns(width: number, signed: boolean, kind: 'integer' | 'fixed'): Patterns {
  const all = (1n << BigInt(width)) - 1n;
  const top = signed ? all >> 1n : all;
  // s2f6 saturates positive and negative values to the same magnitude.
  const least = kind === 'fixed' ? top : signed ? top + 1n : 0n;
  return { one: 0n, infinity: null, largest: [top, BigInt.asUintN(width, -least)], limit: [top, least] };
}

/** Returns the rounding target of one cvt lane. */
export function conversionTarget(c: Conversion): RoundingTarget {
  const format = formats[c.to];
  const isFloat = format.kind === 'float';
  return {
    format,
    rounding: c.rounding ?? 'rn',
    randomBits: c.randomBits,
    integral: c.integral && isFloat,
    overflow: overflowPolicyOf(c).name,
    sat: c.sat && isFloat,
    relu: c.relu,
    positiveZero: c.positiveZero,
    flush: !c.flush || c.to !== 'f32' ? 'no' : flushesUnrounded(c) ? 'unbounded' : 'rounded',
    nan: nanBits(c, format),
  };
}

function nanBits(c: Conversion, format: NumberFormat): bigint {
  switch (nanPolicyOf(c).name) {
    case 'zero':
      return 0n;
    case 'max-norm':
      return patternsOf(format).largest[0];
    case 'top-bit':
      return 1n << BigInt(format.width - 1);
    case 'widened':
      return 0x7fffffffe0000000n;
    case 'upper-ones':
      return 0x7fffe000n;
    case 'unchanged':
    case 'truncated':
    case 'shifted':
    case 'quieted':
    case 'canonical':
      return format.kind === 'float' ? (format.canonicalNan ?? 0n) : 0n;
  }
}

/** Returns the rounding target of an arithmetic instruction. */
export function arithmeticTarget(name: FloatArithmeticFormat, mode: FloatMode): RoundingTarget {
  const format = formats[name];
  return {
    format,
    rounding: mode.rounding,
    randomBits: 0,
    integral: false,
    overflow: 'directed',
    sat: mode.sat,
    relu: false,
    positiveZero: false,
    flush: mode.flush ? 'unbounded' : 'no',
    nan: mode.sat ? 0n : (format.canonicalNan ?? 0n),
  };
}
