/** Converts f32 values to codes of at most 8 bits and back, with tables filled by the reference conversion. */
import { byteAt } from '../../base/typed-reads.ts';
import { type Conversion, plainConversion } from '../../numerics/conversion.ts';
import { conversion } from '../../numerics/convert.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';

/**
 * The conversion from f32 to an element format. Values are converted to a float format as by `cvt.rn.satfinite`, and to
 * an integer format as by `cvt.rni.sat`. PTX has no `cvt` to s4 or s2, but `cvt.pack` clamps its inputs to the ranges
 * of these formats in the same way.
 */
export function elementConversion(element: FormatName): Conversion {
  const isInteger = formats[element].kind === 'integer';
  return { ...plainConversion('f32', element), integral: isInteger, sat: isInteger, satfinite: !isInteger };
}

/**
 * A code depends on the sign, the exponent, some leading fraction bits, and whether any lower bit is set. For float
 * formats, at least one more fraction bit is used than the format can store, so that ties can be recognized. For a
 * w-bit integer, w leading bits are enough, because the integer itself keeps at most w - 1 of them.
 */
const places: Readonly<Partial<Record<FormatName, number>>> = { s8: 8, s4: 4, s2: 2 };
const floatPlaces = 4;

export interface CodeTable {
  /** The codes, indexed by the leading bits of the f32 followed by a sticky bit. */
  readonly codes: Uint8Array;
  /** Number of fraction bits that are replaced by the sticky bit. */
  readonly cut: number;
  readonly below: number;
}

const codeTables = new Map<FormatName, CodeTable>();

export function codeTable(element: FormatName): CodeTable {
  const known = codeTables.get(element);
  if (known !== undefined) return known;
  const cut = 23 - (places[element] ?? floatPlaces);
  const convert = conversion(elementConversion(element));
  const codes = new Uint8Array(2 ** (33 - cut));
  for (let i = 0; i < codes.length; i++) codes[i] = Number(convert((((i >>> 1) << cut) | (i & 1)) >>> 0, 0, 0x7f));
  const table = { codes, cut, below: 2 ** cut - 1 };
  codeTables.set(element, table);
  return table;
}

/** The code to which an f32 is converted; `bits` are the bits of the f32. */
export function codeOf({ codes, cut, below }: CodeTable, bits: number): number {
  return byteAt(codes, ((bits >>> cut) << 1) | ((bits & below) === 0 ? 0 : 1));
}

const valueTables = new Map<FormatName, Float32Array>();

/** The values of all codes. Each of them can be represented exactly in f32. */
export function valuesOf(element: FormatName): Float32Array {
  const known = valueTables.get(element);
  if (known !== undefined) return known;
  const decode = conversion(plainConversion(element, 'f32'));
  const bits = Uint32Array.from({ length: 2 ** formats[element].width }, (_, code) => Number(decode(code, 0, 0x7f)));
  const values = new Float32Array(bits.buffer);
  valueTables.set(element, values);
  return values;
}
