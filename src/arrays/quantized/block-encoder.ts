/**
 * The interface for the steps of quantization, which are implemented in plain JavaScript (plain-encoder.ts) and in
 * WebAssembly (fast-encoder.ts).
 */
import { singleAt } from '../../base/typed-reads.ts';
import type { FormatName } from '../../numerics/formats.ts';
import type { MxRule, TensorScale } from './scale-rules.ts';
import type { SourceArray, SourceFormat } from '../elements/source-values.ts';

export interface EncoderPlan {
  readonly from: SourceFormat;
  readonly element: FormatName;
  /** Number of elements that share a scale; null if the caller supplies the scales. */
  readonly block: 16 | 32 | null;
  /** How ue8m0 scales are computed; null for NVFP4, which has no ue8m0 scales. */
  readonly rule: MxRule | null;
  /** Whether codes are packed densely, with element 0 in the lowest bits, instead of one per byte. */
  readonly dense: boolean;
}

/**
 * In every method, `block` must either be a multiple of 16 that divides `chunkElements`, or be at least as large as the
 * source.
 */
export interface BlockEncoder {
  /**
   * The largest magnitude of each block of elements; the last block may be shorter. NaNs are ignored. If a block
   * contains only NaNs, the result for that block is 0.
   */
  maxima(source: SourceArray, block: number): Float32Array;
  /**
   * Divides the source into blocks, of which the last may be shorter, and computes the codes and the scale of each
   * block. `tensor` is needed only for NVFP4.
   */
  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void;
  /** Multiplies each block of elements by its own factor. */
  encodeScaled(source: SourceArray, block: number, factors: Float32Array, codes: Uint8Array): void;
}

/** Number of elements that encoders process at a time. */
export const chunkElements = 16384;

/** A block that covers the whole source is processed chunk by chunk; other blocks lie within one chunk. */
export function blockIndex(start: number, at: number, block: number): number {
  return Math.floor((start + at) / block);
}

/** The largest magnitude of all elements. */
export function amaxOf(encoder: BlockEncoder, source: SourceArray): number {
  return singleAt(encoder.maxima(source, Math.max(source.length, 1)), 0);
}
