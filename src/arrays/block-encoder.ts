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

export interface BlockEncoder {
  /** The largest magnitude; NaNs do not count, and nothing at all gives 0. */
  amax(source: SourceArray): number;
  /** Blocks from the source's start on, the last one possibly short; one scale for each. `tensor`: for NVFP4. */
  encodeBlocks(source: SourceArray, codes: Uint8Array, scales: Uint8Array, tensor: TensorScale | null): void;
  /** All elements times a factor. */
  encodeScaled(source: SourceArray, factor: number, codes: Uint8Array): void;
}
