/**
 * Bulk conversion of arrays between PTX's number formats; runs in any JavaScript runtime and has no dependencies.
 *
 * @module
 */
import './base/platform-types.ts';
export { PtxlabError } from './base/error.ts';
export {
  type CompareOptions,
  compareSemantics,
  type SemanticsComparison,
  type StackCause,
  type StackResult,
} from './arrays/statistics/compare-semantics.ts';
export { convert, type ConvertOptions } from './arrays/convert.ts';
export { convertAsync, type ConvertAsyncOptions } from './arrays/convert-async.ts';
export type {
  BlockSchemeName,
  ScaledElement,
  Scheme,
  SchemeName,
  SchemeSpelling,
} from './arrays/quantized/block-formats.ts';
export { dequantize, type DequantizeOptions, type ValueFormat } from './arrays/quantized/dequantize.ts';
export type { QuantizationStatistics } from './arrays/statistics/error-statistics.ts';
export { formatNamed, spelling, type SpellingFamily } from './arrays/names.ts';
export { largestMagnitude, quantize, type Quantized, type QuantizeOptions } from './arrays/quantized/quantize.ts';
export type { CodePacking, Granularity, Layout, QuantizedArray } from './arrays/quantized/quantized-array.ts';
export type { MxRule } from './arrays/quantized/scale-rules.ts';
export type { Semantics } from './arrays/semantics/semantic-rules.ts';
export type { FormatSpelling } from './arrays/spellings.ts';
export type { ArrayOf, Bytes, Packing } from './arrays/storage.ts';
export { Workspace } from './arrays/workspace.ts';
export type { Rounding } from './numerics/conversion.ts';
export type { FormatName } from './numerics/formats.ts';
