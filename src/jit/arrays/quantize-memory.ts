/** The memory of a quantizing kernel: addresses in bytes. */

const settingsEnd = 1024;
/** Elements that one call takes at most; as f32 they are 64 KiB, which stay in the cache. */
const elements = 16384;
const codes: number = settingsEnd + 4 * elements;
/** What a last store of codes may write behind them. */
const spill = 64;
const scales: number = codes + elements + spill;
/** Blocks have sixteen elements or more. */
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
  /** Of NVFP4 the tensor's two scales, as f32, each four times. */
  encode: 0,
  decode: 16,
  source: settingsEnd,
  elements,
  codes,
  scales,
  /** What the elements of each block are multiplied by, as f32; or the largest magnitudes. */
  factors,
  pages: Math.ceil((factors + 4 * mostBlocks) / 65536),
};
