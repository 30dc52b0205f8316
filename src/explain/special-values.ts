/**
 * Describes how an instruction's conversions treat special values, for which rounding alone does not determine the
 * result. Each row is derived from the fields of the conversion and from the formats; a test compares every row of
 * every conversion in the table with `evaluate`.
 */
import { hex, type Bits } from '../base/bits.ts';
import { inputsOf } from '../isa/steps/effects.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import { type Conversion, flushesInput } from '../numerics/conversion.ts';
import { formatValue } from '../numerics/describe.ts';
import { patternsOf } from '../numerics/encode.ts';
import { decode, power, type Sign } from '../numerics/exact.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { causes, hasNan, type NanPolicy, nanPolicyOf, overflowPolicyOf } from '../numerics/policy.ts';

/** The kinds of input that a row can describe. `overflow`: finite values beyond the destination's largest value. */
export type SpecialInput = 'NaN' | 'NaN scale' | 'infinity' | 'overflow' | 'zero' | 'negative' | 'subnormal';

/**
 * The bits of the result in hex, or a description of how they depend on the input; null if there is no input of this
 * kind and sign.
 */
export type SpecialResult = string | null;

export interface SpecialValue {
  readonly input: SpecialInput;
  /** The input in words. */
  readonly what: string;
  readonly rule: string;
  readonly evidence: string;
  readonly positive: SpecialResult;
  readonly negative: SpecialResult;
}

/** Descriptions of results that depend on the bits of the input. */
export const lowBits = 'the low bits of the input, sign-extended';
export const sameBits = 'the bits of the input';
export const quietBits = 'the sign and leading payload bits of the input';
export const truncatedBits = 'the upper 19 bits of the input, less 1 with .satfinite';
export const shiftedBits = 'the bits of the input, followed by zeros';

/** A conversion among the steps; `isScaled` is true if one of its operands is a scale factor. */
export interface ConversionStep {
  readonly conversion: Conversion;
  readonly isScaled: boolean;
}

/**
 * The inputs of all steps except `pack` and `copy`, which do not compute anything. If one of these inputs is special,
 * the result is not necessarily special.
 */
export function intermediateOf(steps: readonly Step[]): ReadonlySet<Ref> {
  return new Set(steps.flatMap((step) => (step.kind === 'pack' || step.kind === 'copy' ? [] : inputsOf(step))));
}

/** Returns each conversion among the steps once. Conversions that only widen an operand are left out. */
export function conversionsOf(steps: readonly Step[]): readonly ConversionStep[] {
  const found = new Map<string, ConversionStep>();
  const intermediate = intermediateOf(steps);
  for (const step of steps) {
    if (step.kind !== 'convert') continue;
    if (step.conversion.rounding === null && intermediate.has(step.to)) continue;
    const made = { conversion: step.conversion, isScaled: step.scale !== null };
    found.set(JSON.stringify(made), made);
  }
  return [...found.values()];
}

/**
 * Returns all rows for the conversions and clamps among the steps. A conversion that occurs in several steps is listed
 * only once.
 */
export function specialValues(steps: readonly Step[]): readonly SpecialValue[] {
  const clamps = new Set(steps.flatMap((step) => (step.kind === 'clamp' ? [step.type] : [])));
  return [...conversionsOf(steps).flatMap(rowsOf), ...[...clamps].map((type) => clampRow('s32', type))];
}

function rowsOf(step: ConversionStep): readonly SpecialValue[] {
  const { conversion } = step;
  const { from, to } = conversion;
  if (formats[from].kind === 'integer' && formats[to].kind === 'integer') return [integerRow(conversion)];
  const rows = [nanRow(step), infinityRow(conversion), overflowRow(step), zeroRow(conversion)];
  return [...rows, negativeRow(conversion), subnormalRow(conversion)].flatMap((row) => (row === null ? [] : [row]));
}

// --- integers -------------------------------------------------------------------------------------------------------

function integerRow({ from, to, sat }: Conversion): SpecialValue {
  if (sat) return clampRow(from, to);
  const [above, below] = exceeds(from, to);
  if (!above && !below) return never(from, to);
  const [positive, negative] = [above ? lowBits : null, below ? lowBits : null];
  const row = { input: 'overflow', what: above ? 'out of range' : 'negative', positive, negative } as const;
  const { width } = formats[to];
  const rule = formats[from].width < width ? `sign-extended to ${width} bits` : `the low ${width} bits are kept`;
  return { ...row, rule, evidence: causes.chopped.evidence };
}

function clampRow(from: FormatName, to: FormatName): SpecialValue {
  const [above, below] = exceeds(from, to);
  if (!above && !below) return never(from, to);
  const [most, least] = patternsOf(to).largest;
  const positive = above ? bitsText(to, most) : null;
  const negative = below ? bitsText(to, least) : null;
  return overflow(to, positive, negative, causes.clamped.evidence);
}

// --- floats ---------------------------------------------------------------------------------------------------------

function nanRow({ conversion, isScaled }: ConversionStep): SpecialValue | null {
  const isSource = hasNan(formats[conversion.from]);
  if (!isSource && !isScaled) return null;
  const { name, rule, evidence } = nanPolicyOf(conversion);
  const result = nanResult(conversion, name);
  const bits = result.startsWith('0x') ? ` (${result})` : '';
  const what = isSource ? (isScaled ? 'NaN, or a NaN scale' : 'NaN') : 'a NaN scale';
  const input = isSource ? 'NaN' : 'NaN scale';
  return { input, what, rule: rule + bits, evidence, positive: result, negative: result };
}

function nanResult({ to }: Conversion, policy: NanPolicy): string {
  const { zero, largest, canonicalNan, encode } = patternsOf(to);
  switch (policy) {
    case 'zero':
      return bitsText(to, zero[0]);
    case 'max-norm':
      return bitsText(to, largest[0]);
    case 'top-bit':
      return bitsText(to, encode(0, 1, formats[to].width - 1));
    case 'unchanged':
      return sameBits;
    case 'truncated':
      return truncatedBits;
    case 'upper-ones':
      return '0x7fffe000';
    case 'shifted':
      return shiftedBits;
    case 'quieted':
      return quietBits;
    case 'widened':
      return '0x7fffffffe0000000';
    case 'canonical':
      return bitsText(to, canonicalNan ?? zero[0]);
  }
}

function infinityRow(c: Conversion): SpecialValue | null {
  const source = formats[c.from];
  if (source.kind !== 'float' || !source.infinity) return null;
  const [positive, negative] = ([0, 1] as const).map((sign) =>
    bitsText(c.to, clampedResult(c, sign, infinite(c, sign))),
  );
  const rule = `inf becomes ${shown(c.to, positive ?? '')}, -inf becomes ${shown(c.to, negative ?? '')}`;
  const { evidence } = overflowPolicyOf(c);
  return {
    input: 'infinity',
    what: 'infinity',
    rule,
    evidence,
    positive: positive ?? null,
    negative: negative ?? null,
  };
}

/**
 * Returns the result of converting an infinity. Unlike the result of an overflow, it does not depend on the rounding
 * mode.
 */
function infinite(c: Conversion, sign: Sign): Bits {
  const { infinity, largest, canonicalNan } = patternsOf(c.to);
  const { name } = overflowPolicyOf(c);
  if (name === 'nan') return canonicalNan ?? largest[sign];
  return name === 'directed' && infinity !== null ? infinity[sign] : largest[sign];
}

function overflowRow({ conversion: c, isScaled }: ConversionStep): SpecialValue {
  const [above, below] = isScaled && c.scaled === 'divide' ? [true, true] : exceedsRounded(c, isScaled);
  const result = (sign: Sign): string => bitsText(c.to, clampedResult(c, sign, rounded(c, sign)));
  const positive = above ? result(0) : null;
  // If .relu is used, a separate row describes negative values.
  const negative = below && !c.relu ? result(1) : null;
  if (positive === null && negative === null) return never(c.from, c.to);
  if (clampsToOne(c)) return overflow(c.to, positive, negative, causes['saturated-high'].evidence, ['1', '0']);
  return overflow(c.to, positive, negative, overflowPolicyOf(c).evidence);
}

/** Whether `.sat` clamps the result to [0, 1], which it does if the destination is a float format. */
function clampsToOne({ sat, to }: Conversion): boolean {
  return sat && formats[to].kind === 'float';
}

/** Returns the result of rounding a finite value that is beyond the destination's range. */
function rounded(c: Conversion, sign: Sign): Bits {
  const direction = formats[c.to].kind === 'float' && !c.satfinite ? (c.rounding ?? 'rn') : 'rn';
  const own = ignoresSign(c.to) ? 0 : sign;
  const towardZero = direction === 'rz' || direction === (own === 0 ? 'rm' : 'rp');
  return towardZero ? patternsOf(c.to).largest[sign] : infinite(c, sign);
}

/** Applies `.sat` and `.relu` to a result beyond the format's range. */
function clampedResult(c: Conversion, sign: Sign, bits: Bits): Bits {
  const { zero, one } = patternsOf(c.to);
  if (sign === 1 && (clampsToOne(c) || c.relu)) return zero[0];
  return clampsToOne(c) ? one : bits;
}

function zeroRow(c: Conversion): SpecialValue | null {
  const { zero } = patternsOf(c.to);
  const bits = bitsText(c.to, zero[0]);
  const format = formats[c.to];
  if (format.kind === 'float' && !format.subnormals) {
    const { evidence } = causes.least;
    const rule = `becomes ${shown(c.to, bits)}, the smallest value, because ${c.to} has no zero`;
    return { input: 'zero', what: 'zero', rule, evidence, positive: bits, negative: bits };
  }
  if (!clearsNegativeZero(c) || formats[c.from].kind !== 'float') return null;
  const { evidence } = c.sat ? causes['saturated-low'] : c.relu ? causes.relu : causes['positive-zero'];
  return { input: 'zero', what: 'zero', rule: '-0 becomes +0', evidence, positive: bits, negative: bits };
}

function negativeRow(c: Conversion): SpecialValue | null {
  if (isUnsigned(c.from)) return null;
  const row = { input: 'negative', what: 'negative', positive: null } as const;
  if (ignoresSign(c.to)) {
    const { rule, evidence } = causes['sign-ignored'];
    return { ...row, rule, evidence, negative: 'the same as for the magnitude of the input' };
  }
  if (!c.relu) return null;
  const { evidence } = causes.relu;
  return { ...row, rule: 'becomes +0', evidence, negative: bitsText(c.to, patternsOf(c.to).zero[0]) };
}

function subnormalRow(c: Conversion): SpecialValue | null {
  const flushed = flushesInput(c);
  if (!c.flush || !(flushed || (c.to === 'f32' && leastOf(c.from) < 2 ** -126))) return null;
  const { zero } = patternsOf(c.to);
  const signs = clearsNegativeZero(c) ? ([0, 0] as const) : ([0, 1] as const);
  const [positive, negative] = signs.map((sign) => bitsText(c.to, zero[sign]));
  const { rule, evidence } = flushed ? causes['flushed-input'] : causes['flushed-result'];
  return {
    input: 'subnormal',
    what: 'subnormal',
    rule,
    evidence,
    positive: positive ?? null,
    negative: negative ?? null,
  };
}

// --- ranges ---------------------------------------------------------------------------------------------------------

type BySign = readonly [above: boolean, below: boolean];

/**
 * Two booleans: whether the source has values above the largest value of the destination, and whether it has values
 * below the lowest value of the destination.
 */
function exceeds(from: FormatName, to: FormatName): BySign {
  const [most, least] = sourceLimits(from);
  const [highest, lowest] = limits(to);
  return [most > highest, least < lowest];
}

/** Like `exceeds`, for a conversion that first scales and rounds its source. */
function exceedsRounded(c: Conversion, isScaled: boolean): BySign {
  const factor = isScaled && c.scaled === 'multiply' ? 2 ** 127 : 1;
  const [most, least] = sourceLimits(c.from);
  const [highest, lowest] = clampsToOne(c) ? [1, 0] : limits(c.to);
  return [most * factor > highest, least * factor < (ignoresSign(c.to) ? -highest : lowest)];
}

/**
 * Like `limits`, but includes values that a fixed-point format can represent although no conversion produces them, such
 * as -2 in s2f6.
 */
function sourceLimits(name: FormatName): readonly [most: number, least: number] {
  const format = formats[name];
  const [most, least] = limits(name);
  return format.kind === 'fixed' ? [most, -(2 ** (format.width - 1 - format.fractionBits))] : [most, least];
}

/** The smallest positive value of a float format. */
function leastOf(name: FormatName): number {
  const format = formats[name];
  return format.kind === 'float' ? numberOf(name, format.width > 32 ? 1n : 2 ** format.padding) : 1;
}

/**
 * The largest and the lowest finite value, as doubles. Doubles are precise enough to compare the ranges of two formats.
 */
function limits(name: FormatName): readonly [most: number, least: number] {
  const { largest } = patternsOf(name);
  return [numberOf(name, largest[0]), isUnsigned(name) ? 0 : numberOf(name, largest[1])];
}

/** Whether the format has no sign, and conversions to it ignore the sign of the source. */
function ignoresSign(to: FormatName): boolean {
  return formats[to].kind === 'float' && isUnsigned(to);
}

/** Whether a result of -0 becomes +0. */
function clearsNegativeZero(c: Conversion): boolean {
  return clampsToOne(c) || c.relu || c.positiveZero;
}

function isUnsigned(name: FormatName): boolean {
  return !formats[name].signed;
}

function numberOf(name: FormatName, bits: Bits): number {
  const value = decode(name, bits);
  if (value.kind !== 'finite') return 0;
  const magnitude = value.significand * power(value.exponent);
  return value.sign === 1 ? -magnitude : magnitude;
}

// --- words ----------------------------------------------------------------------------------------------------------

function never(from: FormatName, to: FormatName): SpecialValue {
  const rule = from === to ? 'the type does not change' : `no value of ${from} is beyond the range of ${to}`;
  return { input: 'overflow', what: 'out of range', rule, evidence: 'definition', positive: null, negative: null };
}

function overflow(
  to: FormatName,
  positive: SpecialResult,
  negative: SpecialResult,
  evidence: string,
  [most, least] = boundsOf(to),
): SpecialValue {
  const side = (word: string, bound: string, result: string): string => {
    const rounds = /^-?(inf|NaN)/.test(formatValue(to, bitsOf(to, result))) ? 'what rounds ' : '';
    return `${rounds}${word} ${bound} becomes ${shown(to, result)}`;
  };
  const above = positive === null ? [] : [side('above', most, positive)];
  const below = negative === null ? [] : [side('below', least, negative)];
  const rule = [...above, ...below].join(', ');
  return { input: 'overflow', what: 'out of range', rule, evidence, positive, negative };
}

function bitsText(format: FormatName, bits: Bits): string {
  return `0x${hex(bits, formats[format].width)}`;
}

/** `65504 (0x7bff)`. */
function shown(format: FormatName, result: string): string {
  const value = formatValue(format, bitsOf(format, result));
  return value.startsWith('NaN') ? value : `${value.split(' ', 1)[0]} (${result})`;
}

function bitsOf(format: FormatName, result: string): Bits {
  return formats[format].width > 32 ? BigInt(result) : Number(result);
}

function boundsOf(to: FormatName): readonly [most: string, least: string] {
  const [most = '', least = ''] = patternsOf(to).largest.map((bits) => formatValue(to, bits).split(' ', 1)[0]);
  return [most, ignoresSign(to) ? `-${most}` : isUnsigned(to) ? '0' : least];
}
