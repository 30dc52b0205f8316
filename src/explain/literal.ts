/** Explains a PTX constant, including all the ways in which its bits can be interpreted (PTX ISA 9.1, section 4.5). */
import { type Bits, chop, hex } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { shifted } from '../diagnostics/shifted.ts';
import type { Style } from '../diagnostics/renderers/style.ts';
import { types } from '../isa/types.ts';
import { type Conversion, plainConversion } from '../numerics/conversion.ts';
import { formatValue } from '../numerics/describe.ts';
import { explainConversion } from '../numerics/explain-conversion.ts';
import { type FormatName, formatNames, formats, type NumberFormat } from '../numerics/formats.ts';
import { parseInstruction } from '../syntax/parser.ts';
import type { FloatOperand, IntegerOperand } from '../syntax/tree.ts';
import type { Refusal } from './refusal.ts';
import { table } from './table.ts';

/** The same bits interpreted as a value of another type, with the topmost lane first. */
export interface Reading {
  readonly type: string;
  readonly value: string;
}

/** The same value in another format, rounded to nearest even. */
export interface Rendering {
  readonly format: FormatName;
  readonly bits: string;
  readonly value: string;
  readonly exact: boolean;
}

export interface LiteralExplanation {
  readonly kind: 'literal';
  readonly text: string;
  /** The kind of constant, and the type that the constant has in PTX. */
  readonly what: string;
  readonly width: number;
  /** The bits in hex, without a prefix, padded to `width` bits. */
  readonly bits: string;
  readonly value: string;
  /** The sign, exponent and fraction as binary digits; null for an integer. */
  readonly fields: readonly [sign: string, exponent: string, fraction: string] | null;
  readonly readings: readonly Reading[];
  readonly renderings: readonly Rendering[];
}

/** The start of an instruction that can have any constant as its operand. */
const before = 'mov.b64 d, ';

/**
 * Explains `0f3F800000`, `0x1F`, `-1.5`, or a constant expression; null if the text is not a constant. A constant that
 * is too large is refused, as `check` refuses it.
 */
export function explainLiteral(text: string): LiteralExplanation | Refusal | null {
  const { instruction, diagnostics } = parseInstruction(`${before}${text};`);
  const operand = instruction?.operands[1];
  if (operand?.kind !== 'integer' && operand?.kind !== 'float') return null;
  if (diagnostics.some(({ severity }) => severity === 'error'))
    return { kind: 'refused', source: text, diagnostics: diagnostics.map((found) => shifted(found, -before.length)) };
  if (operand.kind === 'float') return explainFloat(text, operand);
  return explainInteger(
    text,
    operand,
    diagnostics.some(({ code }) => code === 'PTX1015'),
  );
}

const floatWords: Readonly<Record<FloatOperand['form'], string>> = {
  '0f': 'f32 constant, written as its bits',
  '0d': 'f64 constant, written as its bits',
  decimal: 'decimal constant: an f64, rounded to f32 if an f32 is needed',
};

function explainFloat(text: string, { form, bits }: FloatOperand): LiteralExplanation {
  const format = form === '0f' ? 'f32' : 'f64';
  const { width } = formats[format];
  const value = chop(bits, width);
  return {
    kind: 'literal',
    text,
    what: floatWords[form],
    width,
    bits: hex(value, width),
    value: formatValue(format, value),
    fields: fieldsOf(format, value),
    readings: readingsOf(value, width, format),
    renderings: renderingsOf(format, value, floatFormats),
  };
}

/** @param wraps whether the constant has more than 64 bits, of which only the low 64 are used */
function explainInteger(text: string, { value, unsigned }: IntegerOperand, wraps: boolean): LiteralExplanation {
  const width = widthOfInteger(text, value);
  const bits = chop(value, width);
  const type = unsigned ? 'u64' : 's64';
  return {
    kind: 'literal',
    text,
    what: `integer constant, ${type} in expressions${wraps ? `; exceeds 64 bits and is read as ${value}` : ''}`,
    width,
    bits: hex(bits, width),
    value: value.toString(),
    fields: null,
    readings: readingsOf(bits, width, null),
    renderings: renderingsOf(type, chop(value, 64), ['f16', 'bf16', 'f32', 'f64']),
  };
}

/**
 * For a hex or binary literal, the width is determined by the number of digits; for any other literal, it is the
 * smallest width that can hold the value.
 */
function widthOfInteger(text: string, value: bigint): number {
  const hexDigits = /^0[xX]([\da-fA-F]+)U?$/.exec(text)?.[1]?.length ?? 0;
  const binaryDigits = /^0[bB]([01]+)U?$/.exec(text)?.[1]?.length ?? 0;
  const written = Math.max(hexDigits * 4, binaryDigits);
  const magnitude = value < 0n ? 2n * -value - 1n : value;
  return [8, 16, 32].find((width) => width >= written && magnitude < 1n << BigInt(width)) ?? 64;
}

function fieldsOf(format: FormatName, bits: Bits): LiteralExplanation['fields'] {
  const shape = formats[format];
  if (shape.kind !== 'float') return null;
  const digits = bits.toString(2).padStart(shape.width, '0');
  const end = 1 + shape.exponentBits;
  return [digits.slice(0, 1), digits.slice(1, end), digits.slice(end)];
}

/** Interprets the bits as a value of each type that has this width, integer types first. */
function readingsOf(bits: Bits, width: number, skip: FormatName | null): readonly Reading[] {
  return [...types.values()]
    .filter((type) => type.format !== skip && type.lanes * type.laneStride === width)
    .flatMap(({ name, format, lanes, laneStride }) => {
      if (format === null) return [];
      const values = Array.from({ length: lanes }, (_, lane) => {
        const low = BigInt((lanes - 1 - lane) * laneStride);
        const own = formats[format].width;
        return formatValue(format, chop(BigInt(bits) >> low, own));
      });
      return { type: name, value: lanes === 1 ? elementAt(values, 0) : `{${values.join(', ')}}` };
    });
}

/** The signed float formats, widest first. */
const floatFormats: readonly FormatName[] = formatNames
  .map((name) => formats[name])
  .filter((format) => format.kind === 'float' && format.signed)
  .sort((x, y) => y.width - x.width || exponentBitsOf(y) - exponentBitsOf(x) || y.fractionBits - x.fractionBits)
  .map(({ name }) => name);

function exponentBitsOf(format: NumberFormat): number {
  return format.kind === 'float' ? format.exponentBits : 0;
}

function renderingsOf(from: FormatName, bits: Bits, targets: readonly FormatName[]): readonly Rendering[] {
  return targets
    .filter((to) => to !== from)
    .map((to) => {
      const { result, reasons } = explainConversion(saturating(from, to), bits);
      const exact = reasons.every(({ name }) => name === 'exact' || name === 'infinity');
      return { format: to, bits: hex(result.bits, formats[to].width), value: result.value, exact };
    });
}

/**
 * Rounds to nearest even. If the format has no infinity, values beyond its range become its largest value, as with
 * `.satfinite`.
 */
function saturating(from: FormatName, to: FormatName): Conversion {
  const format = formats[to];
  const satfinite = format.kind === 'float' && !format.infinity;
  return { ...plainConversion(from, to), satfinite };
}

/** The explanation as lines. */
export function literalText(explained: LiteralExplanation, width: number, style: Style): readonly string[] {
  const { text, what, bits, value, fields } = explained;
  const facts = [
    ['value', value],
    ['bits', `0x${bits}`],
    ...(fields === null ? [] : [['fields', `${fields.join(' ')}  (sign, exponent, fraction)`]]),
  ];
  const renderings = explained.renderings.map(({ format, bits: made, value: rounded, exact }) => [
    format,
    `0x${made}`,
    exact ? rounded : `${rounded}, rounded`,
  ]);
  return [
    `${style.accent(text)}  ${what}`,
    ...table(facts, width),
    '',
    style.strong(`The same ${explained.width} bits as another type`),
    ...table(
      explained.readings.map((reading) => [reading.type, reading.value]),
      width,
    ),
    '',
    style.strong('The same value in another format'),
    ...table(renderings, width),
  ];
}
