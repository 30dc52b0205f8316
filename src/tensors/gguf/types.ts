/**
 * The element types of GGUF. For each type, the table lists its name in ggml and the number of elements and bytes in a
 * block.
 */
import type { FormatName } from '../../numerics/formats.ts';
import { keysOf } from '../../base/records.ts';
import type { BlockLayout, Packing } from '../tensor-file.ts';
import { blockRows } from './block-rows.ts';

export interface GgufType {
  readonly id: number;
  readonly name: string;
  readonly blockElements: number;
  readonly blockBytes: number;
  /** The format of the elements or, for types with blocks, the format of the codes in a block. */
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

/** The block types that ptxlab reads (see block-rows.ts). */
const blockIds: Readonly<Record<BlockLayout, number>> = {
  q4_0: 2,
  q4_1: 3,
  q5_0: 6,
  q5_1: 7,
  q8_0: 8,
  q2_k: 10,
  q3_k: 11,
  q4_k: 12,
  q5_k: 13,
  q6_k: 14,
  iq2_xxs: 16,
  iq2_xs: 17,
  iq3_xxs: 18,
  iq1_s: 19,
  iq4_nl: 20,
  iq3_s: 21,
  iq2_s: 22,
  iq4_xs: 23,
  iq1_m: 29,
  tq1_0: 34,
  tq2_0: 35,
  mxfp4: 39,
  nvfp4: 40,
};

/**
 * Block types that ptxlab can list and copy, but not decode, because ggml never stores them in files or because they
 * are too new.
 */
const opaqueRows: readonly Row[] = [
  [15, 'Q8_K', 256, 292],
  [41, 'Q1_0', 128, 18],
  [42, 'Q2_0', 64, 18],
];

function type([id, name, blockElements, blockBytes]: Row, format: GgufType['format'], packing: Packing): GgufType {
  return { id, name, blockElements, blockBytes, format, packing };
}

const all: readonly GgufType[] = [
  ...plainRows.map(([id, name, elements, bytes, format]) => type([id, name, elements, bytes], format, 'whole')),
  ...keysOf(blockIds).map((layout) => {
    const { elements, bytes, code } = blockRows[layout];
    return type([blockIds[layout], dtypeOfBlocks(layout), elements, bytes], code, layout);
  }),
  ...opaqueRows.map((row) => type(row, 'opaque', 'opaque')),
];

export const ggufTypesById: ReadonlyMap<number, GgufType> = new Map(all.map((known) => [known.id, known]));
export const ggufTypesByName: ReadonlyMap<string, GgufType> = new Map(all.map((known) => [known.name, known]));

/** Describes a type that is not in the table, perhaps because it is from a later version of ggml. */
export function unknownType(id: number): Pick<GgufType, 'name' | 'format' | 'packing'> {
  return { name: `type ${id}`, format: 'opaque', packing: 'opaque' };
}

/**
 * The GGUF name of the type that stores elements of a format individually, not in blocks; null if GGUF has no such
 * type.
 */
export function ggufTypeOf(format: FormatName): string | null {
  return plainRows.find((row) => row[4] === format)?.[1] ?? null;
}

/** The name that ggml uses for a block type. */
export function dtypeOfBlocks(layout: BlockLayout): string {
  return layout.toUpperCase();
}
