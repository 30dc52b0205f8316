/** Element types of safetensors. */
import type { FormatName } from '../numerics/formats.ts';

export interface SafetensorsDtype {
  readonly name: string;
  readonly format: FormatName | 'opaque';
  /** Bits of one element; those of less than 8 lie dense. */
  readonly bits: number;
}

/** In the order in which the reference implementation sorts data: descending from here, alignment comes first. */
const rows: readonly (readonly [name: string, bits: number, format: FormatName | 'opaque'])[] = [
  ['BOOL', 8, 'opaque'],
  ['F4', 4, 'e2m1'],
  ['F6_E2M3', 6, 'e2m3'],
  ['F6_E3M2', 6, 'e3m2'],
  ['U8', 8, 'u8'],
  ['I8', 8, 's8'],
  ['F8_E5M2', 8, 'e5m2'],
  ['F8_E4M3', 8, 'e4m3'],
  ['F8_E8M0', 8, 'ue8m0'],
  // Of another bias and without a negative zero: PTX has none of them.
  ['F8_E4M3FNUZ', 8, 'opaque'],
  ['F8_E5M2FNUZ', 8, 'opaque'],
  ['I16', 16, 's16'],
  ['U16', 16, 'u16'],
  ['F16', 16, 'f16'],
  ['BF16', 16, 'bf16'],
  ['I32', 32, 's32'],
  ['U32', 32, 'u32'],
  ['F32', 32, 'f32'],
  ['C64', 64, 'opaque'],
  ['F64', 64, 'f64'],
  ['I64', 64, 's64'],
  ['U64', 64, 'u64'],
];

export const safetensorsDtypes: ReadonlyMap<string, SafetensorsDtype> = new Map(
  rows.map(([name, bits, format]) => [name, { name, bits, format }]),
);

/** How a format is spelled in safetensors; null if it cannot be stored. */
export function safetensorsDtype(format: FormatName): string | null {
  return rows.find((row) => row[2] === format)?.[0] ?? null;
}
