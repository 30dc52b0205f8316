/** Encodes values as GGUF blocks. */
import { convert } from '../arrays/convert.ts';
import { singlesOf } from '../arrays/elements/source-values.ts';
import { quantize } from '../arrays/quantized/quantize.ts';
import { singleAt } from '../base/typed-reads.ts';
import type { Values } from './element-reader.ts';
import { blockRows } from './gguf/block-rows.ts';
import { packBlocks, type WritableLayout } from './gguf/blocks.ts';

/**
 * Whole blocks of values. mxfp4: as `quantize` with its usual scale rule. nvfp4: the same with a tensor scale of 1,
 * because the blocks have none. The others: as ggml's quantize_row_q4_0_ref and similar functions, in f32, except that
 * factors beyond f16 become the largest f16, NaN counts as 0, and infinities get the outermost code.
 */
export function encodeBlocks(layout: WritableLayout, { source, from }: Values): Uint8Array<ArrayBuffer> {
  if (layout === 'mxfp4' || layout === 'nvfp4') {
    const amax = layout === 'nvfp4' ? largestWithoutTensorScale : undefined;
    const { codes, scales } = quantize(source, { to: layout, from, packing: 'bytes', amax });
    return packBlocks(layout, { codes, scales, offsets: null });
  }
  const values = singlesOf(source, from, new Float32Array(source.length));
  const { elements } = blockRows[layout];
  const codes = new Uint8Array(values.length);
  const scales = new Float32Array(values.length / elements);
  const offsets = new Float32Array(scales.length);
  for (const block of scales.keys()) {
    const start = block * elements;
    const { scale, offset, codeOf } = blockEncoders[layout](values.subarray(start, start + elements));
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    scales[block] = scale;
    offsets[block] = offset;
    for (let i = start; i < start + elements; i++) {
      const value = singleAt(values, i);
      const distance = Math.fround(value - offset);
      // The inverse of an infinite scale is 0, and 0 times infinity is not a number.
      const steps = distance - distance === 0 ? Math.fround(distance * inverse) : distance * Math.sign(scale);
      codes[i] = Number.isNaN(value) ? codeOf(0) : codeOf(steps);
    }
  }
  const patterns = (factors: Float32Array): Uint16Array => convert(factors, { to: 'f16', saturate: true });
  return packBlocks(layout, { codes, scales: patterns(scales), offsets: patterns(offsets) });
}

/** The largest e2m1 times the largest e4m3; an array with this amax has a tensor scale of 1. */
const largestWithoutTensorScale = 6 * 448;

/** The encoding of the values of a block: `scale` and `offset` are rounded to f16 only when they are stored. */
interface BlockChoice {
  readonly scale: number;
  readonly offset: number;
  /** The stored code of (value - offset) / scale. */
  readonly codeOf: (steps: number) => number;
}

type BlockEncoder = (values: Float32Array) => BlockChoice;

const blockEncoders: Readonly<Record<Exclude<WritableLayout, 'mxfp4' | 'nvfp4'>, BlockEncoder>> = {
  q4_0: fromLargest(8),
  q4_1: fromSmallest(15),
  q5_0: fromLargest(16),
  q5_1: fromSmallest(31),
  q8_0: (values) => ({ scale: Math.fround(Math.abs(largestOf(values)) / 127), offset: 0, codeOf: roundAway }),
};

/** Codes from 0 to 2 * zero - 1, where the code `zero` means 0; the value of largest magnitude gets code 0. */
function fromLargest(zero: number): BlockEncoder {
  const codeOf = roundedUpTo(2 * zero - 1, zero);
  return (values) => ({ scale: Math.fround(largestOf(values) / -zero), offset: 0, codeOf });
}

/** Codes from 0 to `most`; the smallest value gets code 0. */
function fromSmallest(most: number): BlockEncoder {
  const codeOf = roundedUpTo(most, 0);
  return (values) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) [low, high] = [0, 0];
    return { scale: Math.fround(Math.fround(high - low) / most), offset: low, codeOf };
  };
}

/** Rounds to nearest, ties up, after adding `zero`. */
function roundedUpTo(most: number, zero: number): (steps: number) => number {
  return (steps) => Math.max(0, Math.min(most, Math.trunc(Math.fround(steps + (zero + 0.5)))));
}

/** The first value with the largest magnitude; 0 if no value is a number. */
function largestOf(values: Float32Array): number {
  let largest = 0;
  for (const value of values) if (Math.abs(value) > Math.abs(largest)) largest = value;
  return largest;
}

/** Rounds to nearest, ties away from zero, in two's complement; only infinities exceed 127. */
function roundAway(steps: number): number {
  const rounded = Math.sign(steps) * Math.floor(Math.abs(steps) + 0.5);
  return Math.max(-127, Math.min(127, rounded)) & 0xff;
}
