/** The memory of a packing kernel: addresses in bytes, and sizes. */
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import { lanes } from './packed-columns.ts';

/** Number of elements in a chunk. As f32 values, a chunk occupies 64 KiB, which fits in the cache. */
const elements = 16384;
/** No block has more than one factor per sixteen elements, or more than two bytes per element. */
const mostFactors: number = elements / lanes;
const codes = 4 * elements;
const scales: number = codes + elements;
const offsets: number = scales + 4 * mostFactors;
const scalePatterns: number = offsets + 4 * mostFactors;
const offsetPatterns: number = scalePatterns + 2 * mostFactors;
const blocks: number = offsetPatterns + 2 * mostFactors;

export const packingMemory: Readonly<
  Record<
    | 'elements'
    | 'mostFactors'
    | 'values'
    | 'codes'
    | 'scales'
    | 'offsets'
    | 'scalePatterns'
    | 'offsetPatterns'
    | 'blocks'
    | 'pages',
    number
  >
> = {
  elements,
  mostFactors,
  /** The values as f32. */
  values: 0,
  /** The codes, one byte for each element. */
  codes,
  /** The scales as f32, in block order. */
  scales,
  offsets,
  /** 16-bit words with the bit patterns of the factors as they are stored, in block order. */
  scalePatterns,
  offsetPatterns,
  blocks,
  pages: Math.ceil((blocks + 2 * elements) / wasmPageBytes),
};
