/** Summarizes a stored tensor, chunk by chunk. */
import { CodeCounts } from '../arrays/statistics/code-counts.ts';
import { Summarizer, type Summary } from '../arrays/statistics/summary.ts';
import { requireOptions } from '../base/require.ts';
import { callback, type RulesFor, signal } from '../base/rules.ts';
import type { ModelTensor } from './checkpoints/model-tensors.ts';
import { modelValues } from './model-values.ts';
import { requireModelTensor, requireTensorFile } from './require-file.ts';
import type { TensorFile } from './tensor-file.ts';
import { forEachChunk, isReadable, tensorCodes, type TensorValues } from './tensor-values.ts';

/** Options for reporting progress and for stopping early. */
export interface SummarizeOptions {
  /** Called repeatedly with the number of elements that have been processed since the previous call. */
  readonly progress?: (elements: number) => void;
  /** If this signal is aborted, the summary covers only the elements that have been read by then. */
  readonly signal?: AbortSignal;
}

const rules: RulesFor<SummarizeOptions> = { progress: callback(), signal };

/** For tensors with at least this number of elements, it pays off to count codes in a table. */
const worthCounting = 2 ** 16;

/**
 * The smallest and largest element, mean, special values and exponents of a tensor, read in pieces; null if ptxlab
 * cannot read its elements as numbers. The elements are multiplied by the scales that `modelOf` has found, even by
 * scales that are NaN.
 *
 * @throws TensorFileError for data that cannot be read
 */
export async function summarizeTensor(
  file: TensorFile,
  tensor: Pick<ModelTensor, 'entry' | 'scales'>,
  options: SummarizeOptions = {},
): Promise<Summary | null> {
  requireTensorFile(file);
  requireModelTensor(tensor);
  requireOptions(options, rules, 'summarizeTensor');
  const { entry, scales } = tensor;
  const { progress, signal: stop = new AbortController().signal } = options;
  const { format, elements } = entry;
  if (format === 'opaque' || !isReadable(entry)) return null;
  const codes = elements < worthCounting || scales !== null ? null : tensorCodes(file, entry);
  if (codes === null) {
    return summarizeValues(await modelValues(file, { entry, scales }, 'keep'), options);
  }
  const counts = new CodeCounts(format);
  const take = (chunk: Uint8Array | Uint16Array): void => {
    counts.add(chunk);
    progress?.(chunk.length);
  };
  await forEachChunk([codes], take, stop);
  const summarizer = new Summarizer(format);
  counts.addTo(summarizer);
  return summarizer.result();
}

async function summarizeValues(
  values: TensorValues,
  { progress, signal: stop = new AbortController().signal }: SummarizeOptions,
): Promise<Summary> {
  // A scaled value is an f64 product, from which it is no longer known whether the code was subnormal in its format.
  const summarizer = new Summarizer(values.isScaled ? 'f64' : values.format);
  const take = (chunk: Float32Array | Float64Array): void => {
    summarizer.add(chunk);
    progress?.(chunk.length);
  };
  await forEachChunk([values], take, stop);
  return summarizer.result();
}
