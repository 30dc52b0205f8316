/** The information that `inspect` collects about a file. */
import type { Summary } from '../../arrays/statistics/summary.ts';
import type { Model, ModelTensor } from '../../tensors/checkpoints/model-tensors.ts';
import type { TensorInput } from '../tensor-input.ts';

/**
 * A tensor and a summary of its elements. The summary is null if the elements are not numbers, or if no statistics were
 * requested.
 */
export interface InspectedTensor extends ModelTensor {
  readonly summary: Summary | null;
}

export interface Inspection {
  readonly input: TensorInput;
  readonly model: Model;
  readonly tensors: readonly InspectedTensor[];
}
