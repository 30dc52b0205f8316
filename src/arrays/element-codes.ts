/** Codes of at most 8 bits for f32 values and back, by tables that the reference conversion fills. */
import { type Conversion, plainConversion } from '../numerics/conversion.ts';
import { conversion } from '../numerics/convert.ts';
import { formats, type FormatName } from '../numerics/formats.ts';

/** `cvt.rn.satfinite` to a float; `cvt.rni.sat` to an integer, which is what cvt.pack does to each of its halves. */
export function elementConversion(element: FormatName): Conversion {
  const isInteger = formats[element].kind === 'integer';
  return { ...plainConversion('f32', element), integral: isInteger, sat: isInteger, satfinite: !isInteger };
}

/**
 * A code depends on sign, exponent and so many fraction bits, and on whether anything lies below: one more than a float
 * format keeps, for the half; an integer of w bits keeps w - 1 at most.
 */
const places: Readonly<Partial<Record<FormatName, number>>> = { s8: 8, s4: 4, s2: 2 };
const floatPlaces = 4;

export interface CodeTable {
  /** By the leading bits, then a bit that is set where something lies below. */
  readonly codes: Uint8Array;
  /** Bits below the leading ones. */
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
  for (let i = 0; i < codes.length; i++) codes[i] = convert((((i >>> 1) << cut) | (i & 1)) >>> 0, 0, 0x7f) as number;
  const table = { codes, cut, below: 2 ** cut - 1 };
  codeTables.set(element, table);
  return table;
}

/** The code of an f32 given by its bits. */
export function codeOf({ codes, cut, below }: CodeTable, bits: number): number {
  return codes[((bits >>> cut) << 1) | ((bits & below) === 0 ? 0 : 1)] as number;
}

const valueTables = new Map<FormatName, Float32Array>();

/** The values of all codes; every format of at most 8 bits fits f32 exactly. */
export function valuesOf(element: FormatName): Float32Array {
  const known = valueTables.get(element);
  if (known !== undefined) return known;
  const decode = conversion(plainConversion(element, 'f32'));
  const bits = Uint32Array.from({ length: 2 ** formats[element].width }, (_, code) => decode(code, 0, 0x7f) as number);
  const values = new Float32Array(bits.buffer);
  valueTables.set(element, values);
  return values;
}
