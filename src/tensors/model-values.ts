import type { ModelTensor } from './checkpoints/model-tensors.ts';
import { scaledValues } from './scales.ts';
import type { TensorFile } from './tensor-file.ts';
import { type ScaleRule, type TensorValues, tensorValues } from './tensor-values.ts';

/**
 * The numbers that a tensor represents, with scales applied.
 *
 * @throws TensorFileError `unsupported` for elements that are not numbers, `bad-scale` if `rule` does not allow one of
 *   the scales
 */
export async function modelValues(
  file: TensorFile,
  { entry, scales }: Pick<ModelTensor, 'entry' | 'scales'>,
  rule: ScaleRule,
): Promise<TensorValues> {
  return scales === null ? tensorValues(file, entry, rule) : scaledValues(file, entry, scales, rule);
}
