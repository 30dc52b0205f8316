/**
 * GGUF blocks as stored in files. Values are those of ggml in f32, except for scales that do not represent a number:
 * ggml reads 0xff of ue8m0 as 2^128, and 0x7f in the e4m3 scales of NVFP4 as 0. Here both are NaN. There is no scale
 * for the whole tensor.
 */
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
