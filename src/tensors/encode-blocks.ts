/** Encodes values as GGUF blocks. */
import { packedEncoder } from '../arrays/quantized/packed-encoder.ts';
import { quantize } from '../arrays/quantized/quantize.ts';
import { bytesOf } from '../arrays/storage.ts';
import type { BlockEncoding } from '../numerics/packed-blocks.ts';
import type { Values } from './element-reader.ts';
import { blockRows } from './gguf/block-rows.ts';
import type { WritableLayout } from './gguf/blocks.ts';

/**
 * Encodes values that fill whole blocks. The contents of mxfp4 blocks are computed by `quantize` with its default scale
 * rule. The contents of nvfp4 blocks are computed by `quantize` with a tensor scale of 1, because GGUF has no tensor
 * scale. The other types are computed in f32, like ggml's quantize_row_q4_0_ref and similar functions. There are three
 * differences from ggml: factors beyond the range of f16 become the largest f16, NaN is treated as 0, and infinities
 * are encoded as the smallest or largest code.
 */
export function encodeBlocks(layout: WritableLayout, { source, from }: Values): Uint8Array<ArrayBuffer> {
  const block = blockRows[layout];
  const blocks = new Uint8Array((source.length / block.elements) * block.bytes);
  if (layout === 'mxfp4' || layout === 'nvfp4') {
    const amax = layout === 'nvfp4' ? largestWithoutTensorScale : undefined;
    const { codes, scales } = quantize(source, { to: layout, from, packing: 'bytes', amax });
    packedEncoder(block, null).pack({ codes, scales: bytesOf(scales), offsets: null }, blocks);
  } else packedEncoder(block, blockEncodings[layout]).encode(source, from, blocks);
  return blocks;
}

/**
 * The product of the largest e2m1 value and the largest e4m3 value. When this number is passed to `quantize` as the
 * largest magnitude, the tensor scale becomes 1.
 */
const largestWithoutTensorScale = 6 * 448;

/** The block types whose codes and scales are computed as in ggml. */
export const blockEncodings: Readonly<Record<Exclude<WritableLayout, 'mxfp4' | 'nvfp4'>, BlockEncoding>> = {
  q4_0: { from: 'largest', divisor: -8, zero: 8, least: 0, most: 15, ties: 'up' },
  q4_1: { from: 'range', divisor: 15, zero: 0, least: 0, most: 15, ties: 'up' },
  q5_0: { from: 'largest', divisor: -16, zero: 16, least: 0, most: 31, ties: 'up' },
  q5_1: { from: 'range', divisor: 31, zero: 0, least: 0, most: 31, ties: 'up' },
  q8_0: { from: 'magnitude', divisor: 127, zero: 0, least: -127, most: 127, ties: 'away' },
};
