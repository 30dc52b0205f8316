/** Explains a type or a modifier by its name. */
import { type Bits, chop, hex } from '../base/bits.ts';
import type { Style } from '../diagnostics/renderers/style.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { isOpcode, ptxForms } from '../isa/table.ts';
import { type PtxType, types } from '../isa/types.ts';
import { formatValue } from '../numerics/describe.ts';
import { patternsOf } from '../numerics/encode.ts';
import { type FloatFormat, type FormatName, formats } from '../numerics/formats.ts';
import { modifierMeaning } from './modifier-meanings.ts';
import { table } from './table.ts';
import type { TargetExplanation } from './target.ts';

/** A property of a type and its value as text, such as `largest` and `448  0x7e`. */
export type Fact = readonly [what: string, value: string];

export interface TypeExplanation {
  readonly kind: 'type';
  readonly name: string;
  readonly summary: string;
  readonly facts: readonly Fact[];
}

/** One meaning of a modifier, and the forms in which it has this meaning. */
export interface ModifierMeaning {
  readonly meaning: string;
  /** IDs of the forms. */
  readonly forms: readonly string[];
}

export interface ModifierNameExplanation {
  readonly kind: 'modifier';
  readonly name: string;
  /** The meanings of the modifier. There is more than one if it means different things in different opcodes. */
  readonly meanings: readonly ModifierMeaning[];
}

export type NameExplanation = TypeExplanation | ModifierNameExplanation;

/** Explains `.e4m3x2`, `e4m3` or `.satfinite`; null for anything else, including opcodes. */
export function explainName(text: string): NameExplanation | null {
  if (isOpcode(text)) return null;
  const type = types.get(text) ?? types.get(`.${text}`);
  if (type !== undefined) return explainType(type);
  const modifier = text.startsWith('.') ? text : `.${text}`;
  // Searching the forms is slow, and text with several words cannot be a modifier.
  if (modifier.lastIndexOf('.') > 0) return null;
  const meanings = meaningsOf(modifier);
  if (meanings.length === 0 || (text !== modifier && meanings.every(({ meaning }) => meaning === partOfOpcode)))
    return null;
  return { kind: 'modifier', name: modifier, meanings };
}

const partOfOpcode = 'a part of the opcode';

function meaningsOf(modifier: string): readonly ModifierMeaning[] {
  const ids = new Map<string, string[]>();
  for (const opcode of ptxForms.opcodes()) {
    const isWord = opcode.split('.').includes(modifier.slice(1), 1);
    const forms = ptxForms
      .forms(opcode)
      .filter(({ axes }) => isWord || axes.some(({ values }) => values.includes(modifier)));
    if (forms.length === 0) continue;
    const meaning = modifierMeaning(modifier, opcode) ?? partOfOpcode;
    ids.set(meaning, [...(ids.get(meaning) ?? []), ...forms.map(({ form }) => form.id)]);
  }
  return [...ids].map(([meaning, forms]) => ({ meaning, forms }));
}

function explainType(type: PtxType): TypeExplanation {
  const { name, format, lanes, laneStride, width } = type;
  const own = format === null ? width : formats[format].width;
  const inEach = own === laneStride ? '' : ` in ${laneStride}`;
  const packed = lanes === 1 ? '' : `, ${lanes} lanes of ${own} bits${inEach}`;
  return {
    kind: 'type',
    name,
    summary: `${classWords[type.class]} of ${width} ${width === 1 ? 'bit' : 'bits'}${packed}; ${useWords[type.use]}.`,
    facts: format === null ? [] : factsOf(format),
  };
}

const classWords: Readonly<Record<PtxType['class'], string>> = {
  signed: 'Signed integer',
  unsigned: 'Unsigned integer',
  float: 'Floating point',
  bits: 'Untyped bits',
  predicate: 'Predicate',
  alternate: 'Alternate format in a bit-size register',
  packed: 'Packed value',
};

const useWords: Readonly<Record<PtxType['use'], string>> = {
  variable: 'for registers, variables and instructions',
  instruction: 'only for instructions; the operands are registers of bit-size types',
  element: 'only for instructions; variables and registers cannot have this type',
  quirk: 'for instructions only',
};

function factsOf(name: FormatName): readonly Fact[] {
  const format = formats[name];
  const { largest } = patternsOf(name);
  const show = (bits: Bits): string => `${formatValue(name, bits)}  0x${hex(bits, format.width)}`;
  if (format.kind === 'float') return floatFacts(format, show, largest[0]);
  const scale: readonly Fact[] = format.kind === 'fixed' ? [['scale', `2^-${format.fractionBits}`]] : [];
  const lowest = format.signed ? chop(1n << BigInt(format.width - 1), format.width) : largest[1];
  return [...scale, ['largest', show(largest[0])], ['lowest', show(lowest)]];
}

function floatFacts(format: FloatFormat, show: (bits: Bits) => string, largest: Bits): readonly Fact[] {
  const { width, signed, exponentBits, fractionBits, bias, padding, subnormals } = format;
  const fields = [
    signed ? 'sign 1' : 'no sign',
    `exponent ${exponentBits} (bias ${bias})`,
    `fraction ${fractionBits}`,
    ...(padding > 0 ? [`unused ${padding}`] : []),
  ];
  const at = (position: number): Bits => chop(1n << BigInt(position), width);
  const infinity = patternsOf(format.name).infinity;
  return [
    ['bits', fields.join(', ')],
    ['largest', show(largest)],
    [subnormals ? 'least normal' : 'least', show(subnormals ? at(fractionBits + padding) : chop(0, width))],
    ...(subnormals ? [['least subnormal', show(at(padding))] as const] : []),
    ['one', show(patternsOf(format.name).one)],
    ['infinity', infinity === null ? 'none' : `0x${hex(infinity[0], width)}`],
    ['NaN', nanText(format)],
  ];
}

/** Describes which bit patterns are NaNs, and which of them an instruction writes if its result is a NaN. */
function nanText({ width, signed, nan, canonicalNan }: FloatFormat): string {
  if (nan === 'none' || canonicalNan === null) return 'none';
  const show = (bits: bigint): string => `0x${hex(chop(bits, width), width)}`;
  const written = show(canonicalNan);
  if (nan === 'ieee') return `exponent all ones and fraction not zero; a NaN result is ${written}`;
  return signed
    ? `${written} and ${show(canonicalNan | (1n << BigInt(width - 1)))}; a NaN result is ${written}`
    : written;
}

/** The explanation as lines. */
export function nameText(
  explained: NameExplanation | TargetExplanation,
  width: number,
  style: Style,
): readonly string[] {
  if (explained.kind !== 'modifier') {
    return [style.accent(explained.name), ...wrap(explained.summary, width), ...table(explained.facts, width)];
  }
  const meanings = explained.meanings.flatMap(({ meaning, forms }) => [
    '',
    ...wrap(meaning, width),
    ...wrap(forms.join(', '), width - 2).map((line) => `  ${style.faint(line)}`),
  ]);
  return [style.accent(explained.name), ...meanings];
}
