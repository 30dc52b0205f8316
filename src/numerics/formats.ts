/**
 * A table of all PTX number formats, with one row for each format. A format defines how bits represent a value, unlike
 * a register type such as `.b32`. To add a format, it is enough to add a row; `round.ts` need not be changed.
 */
import { keysOf, recordOf } from '../base/records.ts';

/** A binary floating-point format. Value of a normal number: (-1)^sign * 2^(exponent - bias) * 1.fraction. */
export interface FloatFormat {
  readonly kind: 'float';
  readonly name: FloatName;
  /** Width of one element in bits. It is 6 for an fp6 element, even if the packing pads each element to 8 bits. */
  readonly width: number;
  readonly signed: boolean;
  readonly exponentBits: number;
  /** Number of explicit fraction bits, below the implicit leading one. */
  readonly fractionBits: number;
  readonly bias: number;
  /**
   * Whether the exponent field 0 is reserved for zero and the subnormals. This is false for ue8m0, in which 0x00
   * represents a power of two, like every other code except NaN.
   */
  readonly subnormals: boolean;
  /** Number of bits below the fraction that are always zero: 13 in tf32, which is an f32 with a shorter fraction. */
  readonly padding: number;
  readonly infinity: boolean;
  /**
   * Which patterns are NaNs. `ieee`: all patterns in which the exponent is all ones and the fraction is not zero.
   * `all-ones`: only the patterns in which every bit below the sign bit is set.
   */
  readonly nan: 'ieee' | 'all-ones' | 'none';
  /** The bits of the NaN that instructions produce; null if the format has no NaN. */
  readonly canonicalNan: bigint | null;
}

/**
 * A fixed-point format, which is either in two's complement or unsigned; `fractionBits` is 6 for s2f6 and 0 for
 * integers.
 */
export interface FixedFormat {
  readonly kind: 'integer' | 'fixed';
  readonly name: IntegerName | FixedName;
  readonly width: number;
  readonly signed: boolean;
  readonly fractionBits: number;
}

/**
 * A row of the table below: the fields of `FloatFormat` in order, without `kind` and `name`. If a row does not contain
 * `signed`, the format is signed.
 */
type FloatRow = readonly [
  width: number,
  exponentBits: number,
  fractionBits: number,
  bias: number,
  infinity: boolean,
  nan: FloatFormat['nan'],
  canonicalNan: bigint | null,
  sign?: 'unsigned',
];

const floatRows = {
  f16: [16, 5, 10, 15, true, 'ieee', 0x7fffn],
  bf16: [16, 8, 7, 127, true, 'ieee', 0x7fffn],
  tf32: [32, 8, 10, 127, true, 'ieee', 0x7fffffffn],
  f32: [32, 8, 23, 127, true, 'ieee', 0x7fffffffn],
  f64: [64, 11, 52, 1023, true, 'ieee', 0xfff8000000000000n],
  e4m3: [8, 4, 3, 7, false, 'all-ones', 0x7fn],
  e5m2: [8, 5, 2, 15, true, 'ieee', 0x7fn],
  e2m3: [6, 2, 3, 1, false, 'none', null],
  e3m2: [6, 3, 2, 3, false, 'none', null],
  e2m1: [4, 2, 1, 1, false, 'none', null],
  ue8m0: [8, 8, 0, 127, false, 'all-ones', 0xffn, 'unsigned'],
  ue5m3: [8, 5, 3, 15, false, 'all-ones', 0xffn, 'unsigned'],
} as const;

floatRows satisfies Readonly<Record<string, FloatRow>>;

/** The signed fixed-point formats, each with its width and its number of fraction bits. */
const fixedRows = { s2f6: [8, 6] } as const;

const integerNames = ['u2', 'u4', 'u8', 'u16', 'u32', 'u64', 's2', 's4', 's8', 's16', 's32', 's64'] as const;

export type FloatName = keyof typeof floatRows;
export type FixedName = keyof typeof fixedRows;
export type IntegerName = (typeof integerNames)[number];
export type FormatName = FloatName | IntegerName | FixedName;
export type NumberFormat = FloatFormat | FixedFormat;

function float(name: FloatName): FloatFormat {
  const [width, exponentBits, fractionBits, bias, infinity, nan, canonicalNan, sign]: FloatRow = floatRows[name];
  const signed = sign !== 'unsigned';
  const padding = width - Number(signed) - exponentBits - fractionBits;
  return {
    kind: 'float',
    name,
    width,
    signed,
    exponentBits,
    fractionBits,
    bias,
    subnormals: fractionBits > 0,
    padding,
    infinity,
    nan,
    canonicalNan,
  };
}

function fixed(name: FixedName): FixedFormat {
  const [width, fractionBits] = fixedRows[name];
  return { kind: 'fixed', name, width, signed: true, fractionBits };
}

function integer(name: IntegerName): FixedFormat {
  return { kind: 'integer', name, width: Number(name.slice(1)), signed: name.startsWith('s'), fractionBits: 0 };
}

/** The kind of format that a name refers to. */
type FormatOf<N extends FormatName> = N extends FloatName ? FloatFormat : FixedFormat;

/**
 * All formats by name, in the order of the tables. Sections 5.2.2 and 5.2.3 of PTX ISA 9.1 describe the alternate and
 * sub-byte formats.
 */
export const formats: { readonly [N in FormatName]: FormatOf<N> } = {
  ...recordOf(keysOf(floatRows), float),
  ...recordOf(keysOf(fixedRows), fixed),
  ...recordOf(integerNames, integer),
};

/** The names of all formats, in the order of the tables. */
export const formatNames: readonly FormatName[] = keysOf(formats);

export function isFormatName(word: string): word is FormatName {
  return typeof word === 'string' && Object.hasOwn(formats, word);
}

export function isFloatName(word: string): word is FloatName {
  return isFormatName(word) && formats[word].kind === 'float';
}

export function isIntegerName(word: string): word is IntegerName {
  return isFormatName(word) && formats[word].kind === 'integer';
}

/** Returns the float format with this name. Throws if the format with this name is not a float format. */
export function floatFormat(name: FormatName): FloatFormat {
  const format = formats[name];
  if (format.kind !== 'float') throw new Error(`${name} is not a float`);
  return format;
}

/** Returns the fixed-point or integer format with this name. Throws if the format with this name is a float format. */
export function fixedFormat(name: FormatName): FixedFormat {
  const format = formats[name];
  if (format.kind === 'float') throw new Error(`${name} is a float`);
  return format;
}

/** The signed or unsigned integer type of this width. Throws if PTX has no such type. */
export function integerName(signed: boolean, width: number): IntegerName {
  const found = integerNames.find((name) => formats[name].signed === signed && formats[name].width === width);
  if (found === undefined) throw new Error(`there is no ${signed ? 'signed' : 'unsigned'} integer of ${width} bits`);
  return found;
}

/** Returns the integer type that has the given width and the signedness of `type`. */
export function resized(type: IntegerName, width: number): IntegerName {
  return integerName(formats[type].signed, width);
}
