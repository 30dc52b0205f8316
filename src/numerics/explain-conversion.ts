/**
 * Explains why a conversion produced its result: the value, its neighbors in the destination, and the rules that
 * applied.
 */
import type { Bits } from '../base/bits.ts';
import type { Conversion, Rounding } from './conversion.ts';
import { convert, trace } from './convert.ts';
import { formatValue, hexFloat } from './describe.ts';
import { decode } from './exact.ts';
import { fixedFormat, formats, type FormatName } from './formats.ts';
import { type Cause, causes as causeTexts, nanPolicyOf, overflowPolicyOf, type Policy } from './policy.ts';
import { gridOf } from './round.ts';

export interface Encoding {
  readonly bits: Bits;
  /** The value in the form that `formatValue` returns. */
  readonly value: string;
}

/** The binary digits of the source, and the position of the last digit that is kept by rounding. */
export interface BitWeights {
  /** The magnitude of the source, after scaling, is significand * 2^lowest. */
  readonly significand: bigint;
  readonly lowest: number;
  /**
   * The destination keeps the bits with a weight of 2^lastPlace or more. The bit with the weight 2^(lastPlace - 1) is
   * the guard bit, and all lower bits are sticky bits.
   */
  readonly lastPlace: number;
}

export interface ConversionExplanation {
  readonly source: Encoding;
  /** The exact source value as a hex float; null for zeros, infinities, NaNs and integers. */
  readonly exact: string | null;
  /**
   * The nearest value of the destination format below the source, and the nearest one above it. Null if the destination
   * can represent the source exactly, or if there is no value on that side.
   */
  readonly below: Encoding | null;
  readonly above: Encoding | null;
  readonly result: Encoding;
  /** Null for zeros, infinities and NaNs, and for conversions that copy the bits. */
  readonly weights: BitWeights | null;
  /** The rules that affected the result, in the order in which they applied. */
  readonly reasons: readonly Policy<string>[];
}

/** Does the same as `convert`, with the same parameters, but also returns the reasons for the result. */
export function explainConversion(c: Conversion, source: Bits, random = 0, scale = 0x7f): ConversionExplanation {
  const { bits, causes } = trace(c, source, random, scale);
  const isFinite = decode(c.from, source).kind === 'finite';
  const [below, above] = isFinite && isBetween(causes) ? neighbors(c, source, scale) : [null, null];
  return {
    source: encoding(c.from, source),
    exact: exactOf(c.from, source),
    below,
    above,
    result: encoding(c.to, bits),
    weights: weightsOf(c, source, scale),
    reasons: causes.map((name) => policyOf(c, name)),
  };
}

function weightsOf(c: Conversion, source: Bits, scale: number): BitWeights | null {
  const magnitude = magnitudeOf(c.from, source);
  if (magnitude === null || (c.scaled !== null && scale === 0xff)) return null;
  const { significand, exponent } = magnitude;
  const scaling = c.scaled === null ? 0 : (scale - 0x7f) * (c.scaled === 'divide' ? -1 : 1);
  const lowest = exponent + scaling;
  const grid = gridOf(c.to, c.integral);
  const top = lowest + significand.toString(2).length;
  // For an integer destination, the last place does not depend on the magnitude of the value.
  const isFloat = formats[c.to].kind === 'float';
  const lastPlace = isFloat ? Math.max(top - grid.precision, grid.lowest) : grid.lowest + 0;
  return { significand, lowest, lastPlace };
}

/** The magnitude of a finite value other than zero, as significand * 2^exponent. */
function magnitudeOf(format: FormatName, bits: Bits): { significand: bigint; exponent: number } | null {
  const { kind, width, signed } = formats[format];
  if (kind === 'float') {
    const value = decode(format, bits);
    return value.kind === 'finite' ? { significand: BigInt(value.significand), exponent: value.exponent } : null;
  }
  const value = signed ? BigInt.asIntN(width, BigInt(bits)) : BigInt(bits);
  const exponent = kind === 'fixed' ? -fixedFormat(format).fractionBits : 0;
  return value === 0n ? null : { significand: value < 0n ? -value : value, exponent };
}

function encoding(format: FormatName, bits: Bits): Encoding {
  return { bits, value: formatValue(format, bits) };
}

function exactOf(format: FormatName, bits: Bits): string | null {
  if (formats[format].kind === 'integer') return null;
  const value = decode(format, bits);
  return value.kind === 'finite' ? hexFloat(value) : null;
}

function policyOf(c: Conversion, name: Cause): Policy<string> {
  if (name === 'nan') return nanPolicyOf(c);
  if (name === 'overflow') return overflowPolicyOf(c);
  return causeTexts[name];
}

const inexact: ReadonlySet<Cause> = new Set([
  'nearest',
  'tie-to-even',
  'tie-away',
  'toward-zero',
  'toward-negative',
  'toward-positive',
  'random-carry',
  'random-stay',
  'overflow',
]);

/** Whether the source lies between two values of the destination format, or beyond the end of its range. */
function isBetween(causes: readonly Cause[]): boolean {
  return causes.some((name) => inexact.has(name));
}

type Pair = readonly [below: Encoding | null, above: Encoding | null];

function neighbors(c: Conversion, source: Bits, scale: number): Pair {
  const toward = (rounding: Rounding): Bits => convert({ ...c, ...plain, rounding }, source, 0, scale);
  const below = toward('rm');
  const above = toward('rp');
  if (below === above) return lone(c, source, below);
  return [encoding(c.to, below), isNan(c.to, above) ? null : encoding(c.to, above)];
}

/** Settings that turn off all modifiers that could change the rounded result. */
const plain = { sat: false, satfinite: false, relu: false, flush: false, randomBits: 0 } as const;

/**
 * The neighbors of a source that is outside the range of the format. Such a source has only one neighbor, `end`, which
 * is the result of both rounding up and rounding down.
 */
function lone(c: Conversion, source: Bits, end: Bits): Pair {
  const value = decode(c.from, source);
  const isBelow = c.to === 'ue8m0' ? end === 0 : value.sign === 1;
  return isBelow ? [null, encoding(c.to, end)] : [encoding(c.to, end), null];
}

function isNan(format: FormatName, bits: Bits): boolean {
  return decode(format, bits).kind === 'nan';
}
