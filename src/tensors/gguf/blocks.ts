/**
 * GGUF blocks as stored in files. Decoding produces the same f32 values as ggml, unless a scale has one of two codes.
 * ptxlab reads these codes as NaN, as their formats specify, but ggml reads the ue8m0 scale 0xff as 2^128, and the e4m3
 * scale 0x7f of NVFP4 as 0. In GGUF, there is no scale that applies to a whole tensor.
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
