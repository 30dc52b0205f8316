/** What a conversion does with each tensor of a file. */
import type { Scheme } from '../arrays/quantized/block-formats.ts';
import type { Granularity } from '../arrays/quantized/quantized-array.ts';
import type { FormatName } from '../numerics/formats.ts';
import type { WritableLayout } from './gguf/blocks.ts';
import type { Scales } from './scales.ts';
import type { TensorEntry } from './tensor-file.ts';

/**
 * Describes what is done with a tensor. Fields such as `out` describe the new tensors to which the results are written.
 * If the scales of the original tensor are stored in separate tensors, `beside` gives their location, and the elements
 * are multiplied by these scales when they are read.
 */
export type TensorWork = { readonly entry: TensorEntry; readonly beside: Scales | null } & (
  | { readonly kind: 'copy'; readonly out: TensorEntry }
  | { readonly kind: 'convert'; readonly from: FormatName; readonly to: FormatName; readonly out: TensorEntry }
  /** Writes codes, their scales and, for NVFP4, a scale for the whole tensor. */
  | {
      readonly kind: 'quantize';
      readonly scheme: Scheme;
      readonly out: TensorEntry;
      readonly scales: TensorEntry;
      readonly second: { readonly entry: TensorEntry; readonly rule: 'multiply' | 'divide' } | null;
      /** The packing of the codes in `out`. */
      readonly packing: 'dense' | 'whole';
      /** Which elements share a scale; undefined for schemes that prescribe the size of blocks. */
      readonly granularity: Granularity | undefined;
    }
  /** Writes GGUF blocks. */
  | { readonly kind: 'blocks'; readonly layout: WritableLayout; readonly out: TensorEntry }
);

/** The tensors that are written. If codes and scales are written, the codes come first. */
export function outputsOf(work: TensorWork): readonly TensorEntry[] {
  if (work.kind !== 'quantize') return [work.out];
  return [work.out, work.scales, ...(work.second === null ? [] : [work.second.entry])];
}
