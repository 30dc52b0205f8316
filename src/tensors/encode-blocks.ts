/** Values to the blocks of GGUF. */
import { convert } from '../arrays/convert.ts';
import { quantize } from '../arrays/quantized/quantize.ts';
import { singlesOf } from '../arrays/elements/source-values.ts';
import { singleAt } from '../base/typed-reads.ts';
import type { Values } from './element-reader.ts';
import { blockFormats, packBlocks } from './gguf/blocks.ts';
import type { BlockLayout } from './tensor-file.ts';

/**
 * Whole blocks of values. mxfp4: as `quantize` with its usual scale rule. nvfp4: the same with a tensor scale of 1,
 * because the blocks have none. q8_0: as in ggml, see below.
 */
export function encodeBlocks(layout: BlockLayout, { source, from }: Values): Uint8Array {
  const { elements, bytes } = blockFormats[layout];
  const blocks = new Uint8Array((source.length / elements) * bytes);
  if (layout === 'q8_0') {
    const values = singlesOf(source, from, new Float32Array(source.length));
    const { codes, scales } = eightBit(values);
    packBlocks(layout, codes, scales, blocks);
    return blocks;
  }
  const amax = layout === 'nvfp4' ? largestWithoutTensorScale : undefined;
  const { codes, scales } = quantize(source, { to: layout, from, packing: 'bytes', amax });
  packBlocks(layout, codes, scales as Uint8Array, blocks);
  return blocks;
}

/** The largest e2m1 times the largest e4m3: an array with this amax has a tensor scale of 1. */
const largestWithoutTensorScale = 6 * 448;

/**
 * 32 values share a scale d = amax / 127, stored as f16. Codes are the values times 1 / d, with d before its rounding
 * to f16, rounded to nearest, ties away from zero. All in f32, like ggml's quantize_row_q8_0_ref.
 */
function eightBit(values: Float32Array): { readonly codes: Uint8Array; readonly scales: Uint8Array } {
  const { elements } = blockFormats.q8_0;
  const codes = new Int8Array(values.length);
  const singles = new Float32Array(values.length / elements);
  for (let block = 0; block < singles.length; block++) {
    const start = block * elements;
    let amax = 0;
    for (let i = start; i < start + elements; i++) amax = Math.max(amax, Math.abs(singleAt(values, i)) || 0);
    const scale = Math.fround(amax / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    singles[block] = scale;
    for (let i = start; i < start + elements; i++) codes[i] = roundAway(Math.fround(singleAt(values, i) * inverse));
  }
  const scales = convert(singles, { to: 'f16' });
  return { codes: new Uint8Array(codes.buffer), scales: new Uint8Array(scales.buffer) };
}

/** NaN becomes 0; only infinities exceed 127. */
function roundAway(value: number): number {
  if (Number.isNaN(value)) return 0;
  const rounded = Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
  return Math.max(-127, Math.min(127, rounded));
}
