/**
 * Tensor files: safetensors, .npy, .npz, GGUF, raw. Opening a file reads only its header; data is read and written
 * piece by piece. Data can come from anything that reads bytes at an offset, so this module runs in browsers as well as
 * in Node.
 *
 * @module
 */
import './base/platform-types.ts';
export { PtxlabError } from './base/error.ts';
export { type ByteSink, type ByteSource, memorySink, memorySource } from './tensors/bytes.ts';
export type { CheckpointLayout } from './tensors/checkpoints/written-layouts.ts';
export type { ConversionChoice, ConversionName } from './tensors/conversion-choice.ts';
export { type ConversionPlan, planConversion } from './tensors/conversion-plan.ts';
export type { TensorWork } from './tensors/tensor-work.ts';
export type { Comparison } from './arrays/statistics/comparison.ts';
export type { Summary } from './arrays/statistics/summary.ts';
export {
  compareFiles,
  type CompareFilesOptions,
  type ComparedPair,
  type FileComparison,
  type PairOutcome,
} from './tensors/compare-files.ts';
export { summarizeTensor, type SummarizeOptions } from './tensors/summarize.ts';
export { type Model, modelOf, type ModelTensor } from './tensors/checkpoints/model-tensors.ts';
export type { Container } from './tensors/containers.ts';
export { type ConversionReport, convertFile, type ConvertFileOptions, type Position } from './tensors/convert-file.ts';
export { dtypeIn, layoutFile, type LayoutOptions } from './tensors/layout.ts';
export { type Sharding } from './tensors/safetensors/sharded-layout.ts';
export { openTensorFile, type OpenOptions } from './tensors/open.ts';
export { readTensor, type ReadTensorOptions, type TensorChoice } from './tensors/read-tensor.ts';
export { TensorFileError, type TensorFileCode } from './tensors/tensor-error.ts';
export type {
  FileLayout,
  FilePlace,
  Metadata,
  ModelHints,
  UnreadableMember,
  MetadataValue,
  Packing,
  TensorEntry,
  TensorFile,
  TensorPlan,
} from './tensors/tensor-file.ts';
