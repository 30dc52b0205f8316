/** The differences that `diff` finds between two files. */
import type { FileComparison } from '../../tensors/compare-files.ts';
import type { TensorInput } from '../tensor-input.ts';

export interface FileDiff extends FileComparison {
  readonly a: TensorInput;
  readonly b: TensorInput;
}
