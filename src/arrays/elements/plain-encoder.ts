/**
 * Quantizes in plain JavaScript. This version is the specification for the WebAssembly kernels, and is used instead of
 * them if WebAssembly is not available.
 */
import { formats } from '../../numerics/formats.ts';
import { denseBytes, packCodes } from './bit-packing.ts';
import { type BlockEncoder, blockIndex, chunkElements, type EncoderPlan } from '../quantized/block-encoder.ts';
import { type CodeTable, codeTable } from './element-codes.ts';
import { mxFactor, mxScale, nvfp4Factor, nvfp4Scale, type TensorScale } from '../quantized/scale-rules.ts';
import { singlesOf, type SourceArray } from './source-values.ts';

export class PlainEncoder implements BlockEncoder {
  private readonly plan: EncoderPlan;
  private readonly table: CodeTable;
  private readonly width: number;
  private readonly room = new Float32Array(chunkElements);
  private readonly scaled = new Float32Array(chunkElements);
  private readonly bits = new Uint32Array(this.scaled.buffer);
  private readonly bytes = new Uint8Array(chunkElements);

  constructor(plan: EncoderPlan) {
    this.plan = plan;
    this.table = codeTable(plan.element);
    this.width = formats[plan.element].width;
  }

  maxima(source: SourceArray, block: number): Float32Array {
    const maxima = new Float32Array(Math.max(1, Math.ceil(source.length / block)));
    for (const { values, start } of this.chunks(source)) {
      for (let at = 0; at < values.length; at += block) {
        const i = blockIndex(start, at, block);
        const most = largestMagnitude(values, at, Math.min(at + block, values.length));
        maxima[i] = Math.max(maxima[i] as number, most);
      }
    }
    return maxima;
  }

  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void {
    const block = this.plan.block ?? chunkElements;
    for (const { values, start } of this.chunks(source)) {
      for (let at = 0; at < values.length; at += block) {
        const end = Math.min(at + block, values.length);
        const scale = this.scaleOf(largestMagnitude(values, at, end), tensor);
        scales[(start + at) / block] = scale;
        this.scale(values, at, end, tensor === null ? mxFactor(scale) : nvfp4Factor(tensor, scale));
      }
      this.write(values.length, codes, start);
    }
  }

  encodeScaled(source: SourceArray, block: number, factors: Float32Array, codes: Uint8Array): void {
    for (const { values, start } of this.chunks(source)) {
      for (let at = 0; at < values.length; at += block) {
        this.scale(values, at, Math.min(at + block, values.length), factors[blockIndex(start, at, block)] as number);
      }
      this.write(values.length, codes, start);
    }
  }

  private scaleOf(amax: number, tensor: TensorScale | null): number {
    if (tensor !== null) return nvfp4Scale(tensor, amax);
    return mxScale(this.plan.rule ?? 'floor', this.plan.element, amax);
  }

  private *chunks(source: SourceArray): Generator<{ readonly values: Float32Array; readonly start: number }> {
    for (let start = 0; start < source.length; start += chunkElements) {
      yield { values: singlesOf(source.subarray(start, start + chunkElements), this.plan.from, this.room), start };
    }
  }

  /** Multiplies values by a factor. Storing the products in a Float32Array rounds them to f32. */
  private scale(values: Float32Array, from: number, to: number, factor: number): void {
    const { scaled } = this;
    for (let i = from; i < to; i++) scaled[i] = (values[i] as number) * factor;
  }

  private write(count: number, codes: Uint8Array, start: number): void {
    const { bits, bytes, width } = this;
    const { codes: table, cut, below } = this.table;
    for (let i = 0; i < count; i++) {
      const word = bits[i] as number;
      bytes[i] = table[((word >>> cut) << 1) | ((word & below) === 0 ? 0 : 1)] as number;
    }
    const written = bytes.subarray(0, count);
    if (!this.plan.dense) codes.set(written, start);
    else if (width === 8) codes.set(written, start);
    else packWhole(written, width, codes.subarray(denseBytes(start, width)));
  }
}

function packWhole(bytes: Uint8Array, width: number, dense: Uint8Array): void {
  if (width !== 4) {
    packCodes(bytes, width, dense, 0);
    return;
  }
  const pairs = bytes.length >>> 1;
  for (let i = 0; i < pairs; i++) dense[i] = (bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 4);
  if (bytes.length % 2 === 1) dense[pairs] = bytes[bytes.length - 1] as number;
}

/** A comparison with a NaN is false, so NaNs are ignored. */
function largestMagnitude(values: Float32Array, from: number, to: number): number {
  let most = 0;
  for (let i = from; i < to; i++) {
    const magnitude = Math.abs(values[i] as number);
    if (magnitude > most) most = magnitude;
  }
  return most;
}
