/** Element types of GGUF: their names in ggml, and how many elements occupy how many bytes. */
import type { FormatName } from '../../numerics/formats.ts';
import type { BlockLayout, Packing } from '../tensor-file.ts';

export interface GgufType {
  readonly id: number;
  readonly name: string;
  readonly blockElements: number;
  readonly blockBytes: number;
  /** Of an element; for blocks, of their codes. */
  readonly format: FormatName | 'opaque';
  readonly packing: Packing;
}

type Row = readonly [id: number, name: string, blockElements: number, blockBytes: number];

const plainRows: readonly (readonly [...Row, format: FormatName])[] = [
  [0, 'F32', 1, 4, 'f32'],
  [1, 'F16', 1, 2, 'f16'],
  [24, 'I8', 1, 1, 's8'],
  [25, 'I16', 1, 2, 's16'],
  [26, 'I32', 1, 4, 's32'],
  [27, 'I64', 1, 8, 's64'],
  [28, 'F64', 1, 8, 'f64'],
  [30, 'BF16', 1, 2, 'bf16'],
];

const blockRows: readonly (readonly [...Row, format: FormatName, layout: BlockLayout])[] = [
  [8, 'Q8_0', 32, 34, 's8', 'q8_0'],
  [39, 'MXFP4', 32, 17, 'e2m1', 'mxfp4'],
  [40, 'NVFP4', 64, 36, 'e2m1', 'nvfp4'],
];

/** Block types specific to ggml, which no other container and no PTX type has. */
const opaqueRows: readonly Row[] = [
  [2, 'Q4_0', 32, 18],
  [3, 'Q4_1', 32, 20],
  [6, 'Q5_0', 32, 22],
  [7, 'Q5_1', 32, 24],
  [10, 'Q2_K', 256, 84],
  [11, 'Q3_K', 256, 110],
  [12, 'Q4_K', 256, 144],
  [13, 'Q5_K', 256, 176],
  [14, 'Q6_K', 256, 210],
  [15, 'Q8_K', 256, 292],
  [16, 'IQ2_XXS', 256, 66],
  [17, 'IQ2_XS', 256, 74],
  [18, 'IQ3_XXS', 256, 98],
  [19, 'IQ1_S', 256, 50],
  [20, 'IQ4_NL', 32, 18],
  [21, 'IQ3_S', 256, 110],
  [22, 'IQ2_S', 256, 82],
  [23, 'IQ4_XS', 256, 136],
  [29, 'IQ1_M', 256, 56],
  [34, 'TQ1_0', 256, 54],
  [35, 'TQ2_0', 256, 66],
  [41, 'Q1_0', 128, 18],
  [42, 'Q2_0', 64, 18],
];

function type([id, name, blockElements, blockBytes]: Row, format: GgufType['format'], packing: Packing): GgufType {
  return { id, name, blockElements, blockBytes, format, packing };
}

const all: readonly GgufType[] = [
  ...plainRows.map(([id, name, elements, bytes, format]) => type([id, name, elements, bytes], format, 'whole')),
  ...blockRows.map(([id, name, elements, bytes, format, layout]) => type([id, name, elements, bytes], format, layout)),
  ...opaqueRows.map((row) => type(row, 'opaque', 'opaque')),
];

export const ggufTypesById: ReadonlyMap<number, GgufType> = new Map(all.map((known) => [known.id, known]));
export const ggufTypesByName: ReadonlyMap<string, GgufType> = new Map(all.map((known) => [known.name, known]));

/** The GGUF name of plain elements of a format; null if it has none. */
export function ggufTypeOf(format: FormatName): string | null {
  return plainRows.find((row) => row[4] === format)?.[1] ?? null;
}
