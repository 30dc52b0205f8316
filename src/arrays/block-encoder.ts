/** What quantizing consists of, to be done in plain JavaScript (plain-encoder.ts) or by WebAssembly (fast-encoder.ts). */
import type { FormatName } from '../numerics/formats.ts';
import type { MxRule, TensorScale } from './scale-rules.ts';
import type { SourceArray, SourceFormat } from './source-values.ts';

export interface EncoderPlan {
  readonly from: SourceFormat;
  readonly element: FormatName;
  /** Elements of a block with its own scale; null where scales are given. */
  readonly block: 16 | 32 | null;
  /** Where blocks have scales of ue8m0, how these are made; NVFP4 has none. */
  readonly rule: MxRule | null;
  /** Codes side by side, element 0 lowest; else one a byte. */
  readonly dense: boolean;
}

/** `block` is a multiple of 16 that divides `chunkElements`, or not less than the source has. */
export interface BlockEncoder {
  /** The largest magnitude of each so many elements, the last of fewer. NaNs do not count, and nothing at all gives 0. */
  maxima(source: SourceArray, block: number): Float32Array;
  /** Blocks from the source's start on, the last one possibly short; one scale for each. `tensor`: for NVFP4. */
  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void;
  /** Each so many elements times a factor of their own. */
  encodeScaled(source: SourceArray, block: number, factors: Float32Array, codes: Uint8Array): void;
}

/** Elements that encoders take at a time. */
export const chunkElements = 16384;

/** A block that is all of its source is met chunk by chunk; others lie in one chunk. */
export function blockIndex(start: number, at: number, block: number): number {
  return Math.floor((start + at) / block);
}

/** The largest magnitude of all. */
export function amaxOf(encoder: BlockEncoder, source: SourceArray): number {
  return encoder.maxima(source, Math.max(source.length, 1))[0] as number;
}
