/**
 * Data about numbers and conversions, for use in drawings: the formats, their values, every `cvt`, and the reasons for
 * the result of an evaluated instruction. Runs in any JavaScript runtime and has no dependencies.
 *
 * @module
 */
import './base/platform-types.ts';
import { type Bits, chop } from './base/bits.ts';
import { BoundedCache } from './base/bounded-cache.ts';
import { PtxlabError } from './base/error.ts';
import { requireText } from './base/require-text.ts';
import { requireArgument, requireOptions } from './base/require.ts';
import { list, type Rule, shown, text as textRule } from './base/rules.ts';
import { judgeRules, type JudgeOptions, readJudgeOptions } from './check/judge-options.ts';
import { type ConversionEntry, conversionEntries } from './evaluation/conversions.ts';
import { explainLanes, type LaneExplanation } from './evaluation/conversion-lanes.ts';
import { lanesOf, valueOf } from './evaluation/operands.ts';
import { prepareEval } from './evaluation/prepare.ts';
import { readValue } from './explain/read-value.ts';
import type { PtxType } from './isa/types.ts';
import { formatValue } from './numerics/describe.ts';
import { decode, numberFrom } from './numerics/exact.ts';
import { formats, type FormatName, isFormatName, type NumberFormat } from './numerics/formats.ts';
import { checkedBits } from './typed-values.ts';

export type { Bits } from './base/bits.ts';
export { PtxlabError } from './base/error.ts';
export type { JudgeOptions } from './check/judge-options.ts';
export type { ConversionEntry, ConversionInput } from './evaluation/conversions.ts';
export type { LaneExplanation } from './evaluation/conversion-lanes.ts';
export type { Conversion, Rounding } from './numerics/conversion.ts';
export type { BitWeights, ConversionExplanation, Encoding } from './numerics/explain-conversion.ts';
export {
  type FixedFormat,
  type FloatFormat,
  type FormatName,
  formats,
  isFormatName,
  type NumberFormat,
} from './numerics/formats.ts';
export {
  compareSemantics,
  type SemanticsComparison,
  type StackResult,
} from './arrays/statistics/compare-semantics.ts';

/** One operand of an evaluated instruction. */
export interface OperandValue {
  readonly name: string;
  /** `.f32`, `.e4m3x2`. */
  readonly type: string;
  /** Width of the type in bits. */
  readonly width: number;
  readonly bits: Bits;
  /** The value as text, with lanes in braces. */
  readonly value: string;
  /** The values of the lanes, topmost first; empty if the type does not represent numbers. */
  readonly lanes: readonly LaneValue[];
}

export interface LaneValue {
  readonly high: number;
  readonly low: number;
  readonly format: FormatName;
  readonly bits: Bits;
  readonly value: string;
}

export interface EvaluationExplanation {
  readonly mnemonic: string;
  readonly inputs: readonly OperandValue[];
  readonly outputs: readonly OperandValue[];
  /** The conversions that the instruction performs, topmost lane first. */
  readonly conversions: readonly LaneExplanation[];
}

/**
 * Prepared instructions are cached, because a caller that is searching for a value evaluates the same instruction for
 * many inputs, and preparing an instruction takes longer than evaluating it.
 */
const lastPrepared = new BoundedCache<string, ReturnType<typeof prepareEval>>(16);

/**
 * Evaluates an instruction as `evaluate` does, and explains for each conversion what was rounded and why.
 *
 * @param inputs bit patterns in the order of the operand list, each an unsigned integer that fits the width of its
 *   operand's type
 * @throws PtxlabError in the same cases as `evaluate`
 */
export function explainEvaluation(
  mnemonic: string,
  inputs: readonly Bits[],
  options: JudgeOptions = {},
): EvaluationExplanation {
  requireText(mnemonic, 'an instruction');
  requireArgument('the inputs', inputs, list);
  requireOptions(options, judgeRules, 'explainEvaluation');
  const choice = readJudgeOptions(options);
  const key = [mnemonic, inputs.length, choice.target?.name ?? '', choice.version ?? ''].join(' ');
  const prepared = lastPrepared.of(key, () => prepareEval(mnemonic, inputs.length, choice, {}));
  if (!prepared.ok) throw new PtxlabError(prepared.error.code, prepared.error.message);
  const { evaluator, variant } = prepared.value;
  const bits = evaluator.inputs.map(({ name, width }, i) => checkedBits(inputs[i], width, `input ${i} (${name})`));
  const results = evaluator.run(bits);
  return {
    mnemonic: variant.mnemonic,
    inputs: evaluator.inputs.map(({ name, type }, i) => operandValue(name, type, bits[i] ?? 0)),
    outputs: evaluator.outputs.map(({ name, type }, i) => operandValue(name, type, results[i] ?? 0)),
    conversions: explainLanes(prepared.value, bits),
  };
}

function operandValue(name: string, type: PtxType, bits: Bits): OperandValue {
  const operand = { type, bits };
  const lanes = lanesOf(operand).map((lane) => ({ ...lane, value: formatValue(lane.format, lane.bits) }));
  return { name, type: type.name, width: type.width, bits, value: valueOf(operand), lanes };
}

/**
 * Every variant of `cvt` that the given target and version support. By default, returns the variants that at least one
 * target supports in the newest version.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function conversions(options: JudgeOptions = {}): readonly ConversionEntry[] {
  requireOptions(options, judgeRules, 'conversions');
  return conversionEntries(readJudgeOptions(options));
}

/**
 * Reads a number in any of the usual notations: `470`, `-0`, `1e-3`, `nan` and `inf` are values; `0x43eb0000` and
 * `0b101` are bits; `0f43EB0000` is the value of an f32.
 *
 * @returns the bits, and whether the value had to be rounded to the nearest value of the format
 * @throws PtxlabError `argument-type` with a message that can be shown to users
 */
export function readNumber(text: string, format: FormatName): { readonly bits: Bits; readonly rounded: boolean } {
  requireArgument('a number', text, textRule);
  const { width, kind, signed } = rowOf(format);
  const cls = kind !== 'integer' ? 'float' : signed ? 'signed' : 'unsigned';
  const read = readValue(text, { name: `.${format}`, class: cls, format, width, lanes: 1, laneStride: width });
  if (!read.ok) throw new PtxlabError('argument-type', read.error);
  return read.value;
}

/**
 * Returns the value that a bit pattern represents in a format, as text: `448`, `-0`, `inf`, `NaN (0x7f)`,
 * `0.1 (0x1.99999ap-4)`.
 */
export function numberText(format: FormatName, bits: Bits): string {
  const { width } = rowFor(format, bits);
  return formatValue(format, chop(bits, width));
}

/**
 * Returns the value that a bit pattern represents in a format, as a JavaScript number; this is exact for all formats
 * except the 64-bit integers.
 */
export function numberValue(format: FormatName, bits: Bits): number {
  const { width } = rowFor(format, bits);
  return numberFrom(format, chop(bits, width));
}

/**
 * Returns the position of a value in the ascending list of all values of its format. Zero of either sign has position
 * 0, the next larger value has position 1, and so on; negative values have negative positions. Infinities come after
 * the largest values, and NaNs after the infinities.
 */
export function numberRank(format: FormatName, bits: Bits): bigint {
  const { kind, signed, width } = rowFor(format, bits);
  const pattern = BigInt(chop(bits, width));
  if (kind !== 'float') return signed ? BigInt.asIntN(width, pattern) : pattern;
  const padding = BigInt(paddingOf(format));
  const sign = 1n << BigInt(width - 1);
  return !signed || pattern < sign ? pattern >> padding : -((pattern - sign) >> padding);
}

/**
 * Returns the bits of the value at a position in the list that `numberRank` describes; null if the list has no such
 * position, or if the value at this position is a NaN.
 */
export function numberAt(format: FormatName, rank: bigint): Bits | null {
  const { kind, signed, width } = rowOf(format);
  requireArgument('the position of a number', rank, bigint);
  const half = 1n << BigInt(width - 1);
  const end = signed ? half : 2n * half;
  if (kind !== 'float') {
    const least = signed ? -half : 0n;
    return rank < least || rank >= end ? null : chop(BigInt.asUintN(width, rank), width);
  }
  const magnitude = (rank < 0n ? -rank : rank) << BigInt(paddingOf(format));
  if ((rank < 0n && !signed) || magnitude >= end) return null;
  const bits = chop(rank < 0n ? half + magnitude : magnitude, width);
  return isNan(format, bits) ? null : bits;
}

/**
 * Returns the bits of the next larger value of a format if `up` is true, otherwise those of the next smaller value. -0
 * and +0 count as a single value, and infinities are included. The result is null if there is no such value, or if the
 * input is a NaN.
 */
export function nextNumber(format: FormatName, bits: Bits, up: boolean): Bits | null {
  rowFor(format, bits);
  return isNan(format, bits) ? null : numberAt(format, numberRank(format, bits) + (up ? 1n : -1n));
}

const bigint: Rule<bigint> = { takes: 'a bigint', accepts: (value) => typeof value === 'bigint' };

const wholeBits: Rule<Bits> = {
  takes: 'a whole number',
  accepts: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
};

/** @throws PtxlabError `unknown-format` */
function rowOf(format: FormatName): NumberFormat {
  if (!isFormatName(format)) throw new PtxlabError('unknown-format', `${shown(format)} is not a number format`);
  return formats[format];
}

/**
 * Returns the table row of a format, after checking that `bits` is a whole number.
 *
 * @throws PtxlabError `unknown-format`, or `argument-type` if `bits` is not a whole number
 */
function rowFor(format: FormatName, bits: Bits): NumberFormat {
  requireArgument('the bits of a number', bits, wholeBits);
  return rowOf(format);
}

function paddingOf(format: FormatName): number {
  const row = formats[format];
  return row.kind === 'float' ? row.padding : 0;
}

function isNan(format: FormatName, bits: Bits): boolean {
  return decode(format, chop(bits, formats[format].width)).kind === 'nan';
}
