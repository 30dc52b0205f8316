/** The memory of a quantizing kernel: addresses in bytes. */
import { wasmPageBytes } from '../../base/wasm-pages.ts';

const settingsEnd = 1024;
/** Maximum number of elements per call. As f32 values, they occupy 64 KiB, which fits in the cache. */
const elements = 16384;
const codes: number = settingsEnd + 4 * elements;
/** Maximum number of bytes that may be written past the end of the codes, because codes are stored as whole vectors. */
const spill = 64;
const scales: number = codes + elements + spill;
/** Blocks have at least sixteen elements. */
const mostBlocks: number = elements / 16;
const factors: number = scales + mostBlocks;

export const quantizeMemory: {
  readonly encode: number;
  readonly decode: number;
  readonly source: number;
  readonly elements: number;
  readonly codes: number;
  readonly scales: number;
  readonly factors: number;
  readonly pages: number;
} = {
  /** For NVFP4, the two scales of the whole tensor as f32. Each of them is stored four times, to fill a vector. */
  encode: 0,
  decode: 16,
  source: settingsEnd,
  elements,
  codes,
  scales,
  /**
   * The factor of each block as f32. Before the factors are known, this area holds the largest magnitude of each block.
   */
  factors,
  pages: Math.ceil((factors + 4 * mostBlocks) / wasmPageBytes),
};
