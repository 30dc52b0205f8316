/** Computes the distance between adjacent values of a format. Errors are measured in units of this distance. */
import { formats, type FormatName } from '../../numerics/formats.ts';

/** The unit in which errors are measured: the distance between adjacent values of a format. */
export interface SpacingUnit {
  readonly format: FormatName;
  /**
   * If false, values below the smallest normal number are spaced like the subnormals of the format. If true, the format
   * is treated as if it had no smallest exponent, so that every binade has the same number of values. This is used for
   * elements that were multiplied by unknown scales.
   */
  readonly anyExponent: boolean;
}

/**
 * Reciprocals of the spacing in each binade, indexed by the 11-bit exponent field of an f64. Above the format's largest
 * number, the spacing is computed as if the format had larger exponents as well.
 */
export function inverseSpacings(unit: SpacingUnit): Float64Array {
  const key = `${unit.format} ${unit.anyExponent}`;
  const known = tables.get(key) ?? makeTable(unit);
  tables.set(key, known);
  return known;
}

const tables = new Map<string, Float64Array>();

function makeTable({ format: name, anyExponent }: SpacingUnit): Float64Array {
  const format = formats[name];
  const isFloat = format.kind === 'float';
  if (!isFloat && !anyExponent) return new Float64Array(2048).fill(2 ** format.fractionBits);
  const fraction = isFloat ? format.fractionBits : precisionOf(name) - 1;
  const lowest = !isFloat || anyExponent ? -1022 : 1 - format.bias - (format.subnormals ? 0 : 1);
  return Float64Array.from({ length: 2048 }, (_, field) => 2 ** (fraction - Math.max(field - 1023, lowest)));
}

/**
 * Whether the first format has a lower precision than the second. Errors are measured in units of the coarser format.
 */
export function isCoarser(a: FormatName, b: FormatName): boolean {
  return precisionOf(a) < precisionOf(b);
}

/** The precision of a format: the number of bits in its significand or, for an integer, in its magnitude. */
function precisionOf(name: FormatName): number {
  const format = formats[name];
  return format.kind === 'float' ? format.fractionBits + 1 : format.width - Number(format.signed);
}
