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

/** If a tensor has at least this number of elements, it is faster to count its codes in a table first. */
const worthCounting = 2 ** 16;

/**
 * Reads a tensor in pieces, and returns its smallest and largest element, its mean, and the counts of its special
 * values and exponents. Returns null if ptxlab cannot read the elements as numbers. The elements are multiplied by the
 * scales that `modelOf` has found, even if a scale is NaN.
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
  // Scaled values are treated as f64, because the product of a code and its scale does not show whether the code was
  // subnormal in its own format.
  const summarizer = new Summarizer(values.isScaled ? 'f64' : values.format);
  const take = (chunk: Float32Array | Float64Array): void => {
    summarizer.add(chunk);
    progress?.(chunk.length);
  };
  await forEachChunk([values], take, stop);
  return summarizer.result();
}
