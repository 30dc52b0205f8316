/**
 * GGUF blocks as stored in files. Values are those of ggml in f32, except for scales that do not represent a number:
 * ggml reads 0xff of ue8m0 as 2^128, and 0x7f in the e4m3 scales of NVFP4 as 0. Here both are NaN. A scale for the
 * whole tensor does not exist.
 */
import { sharedNumbers, SmallNumbers } from '../../arrays/quantized/small-numbers.ts';
import type { BlockLayout } from '../tensor-file.ts';
import { blockRows } from './block-rows.ts';

/** Whether a packing stores elements in blocks. */
export function isBlockLayout(packing: string): packing is BlockLayout {
  return Object.hasOwn(blockRows, packing);
}

/** Block types that ptxlab can also write. */
export type WritableLayout = Extract<BlockLayout, 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0' | 'mxfp4' | 'nvfp4'>;

export const writableLayouts: readonly WritableLayout[] = ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0', 'mxfp4', 'nvfp4'];

export function isWritableLayout(packing: string): packing is WritableLayout {
  return writableLayouts.some((layout) => layout === packing);
}

/** The contents of whole blocks: unsigned integers as they are stored. */
export interface BlockContents {
  /** A code for each element; bits beyond their width are ignored. */
  readonly codes: ArrayLike<number>;
  /** The bit patterns of the factors. */
  readonly scales: ArrayLike<number>;
  readonly offsets: ArrayLike<number> | null;
}

/** Blocks with this content; `codes` determines their number. */
export function packBlocks(layout: WritableLayout, { codes, scales, offsets }: BlockContents): Uint8Array<ArrayBuffer> {
  const { elements, bytes: size, codes: stored, scale, offset } = blockRows[layout];
  if (stored.kind !== 'linear' && stored.kind !== 'listed') throw new Error(`${layout} is not written`);
  const parts = [{ numbers: new SmallNumbers(stored.places, elements), from: codes }];
  parts.push({ numbers: sharedNumbers(scale.factor, elements), from: scales });
  if (offset !== null && offsets !== null)
    parts.push({ numbers: sharedNumbers(offset.factor, elements), from: offsets });
  const blocks = Math.floor(codes.length / elements);
  const bytes = new Uint8Array(blocks * size);
  for (const { numbers, from } of parts)
    for (let block = 0; block < blocks; block++) numbers.write(from, block * numbers.count, bytes, block * size);
  return bytes;
}
