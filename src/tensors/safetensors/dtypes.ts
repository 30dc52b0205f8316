/** Element types of safetensors. */
import { spelling } from '../../arrays/names.ts';
import { type FormatName, formatNames, formats } from '../../numerics/formats.ts';

export interface SafetensorsDtype {
  readonly name: string;
  readonly format: FormatName | 'opaque';
  /** Width of one element in bits; elements narrower than 8 bits are densely packed. */
  readonly bits: number;
}

/**
 * All types, in the order in which the reference implementation defines them. When that implementation writes a file,
 * it sorts the data by type in reverse order, so that the data with the strictest alignment comes first.
 */
const order: readonly string[] = (
  'BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ ' +
  'I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64'
).split(' ');

/**
 * Widths in bits of types that do not correspond to a PTX format: booleans, complex numbers, and fp8 with a different
 * bias and without a negative zero.
 */
const opaqueBits: Readonly<Record<string, number>> = { BOOL: 8, F8_E4M3FNUZ: 8, F8_E5M2FNUZ: 8, C64: 64 };

const formatsByName: ReadonlyMap<string | null, FormatName> = new Map(
  formatNames.map((format) => [spelling(format, 'safetensors'), format]),
);

export const safetensorsDtypes: ReadonlyMap<string, SafetensorsDtype> = new Map(
  order.map((name) => [name, dtypeOf(name)]),
);

function dtypeOf(name: string): SafetensorsDtype {
  const format = formatsByName.get(name);
  if (format !== undefined) return { name, format, bits: formats[format].width };
  const bits = opaqueBits[name];
  if (bits === undefined) throw new Error(`the width of ${name} is unknown`);
  return { name, format: 'opaque', bits };
}

/** The safetensors name of the type whose elements have the given format; null if safetensors has no such type. */
export function safetensorsDtype(format: FormatName): string | null {
  return spelling(format, 'safetensors');
}
