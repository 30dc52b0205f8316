/** Opens a tensor file of any container. */
import type { ByteSource } from './bytes.ts';
import { TensorFileError } from './tensor-error.ts';
import type { Container, TensorFile } from './tensor-file.ts';

export interface OpenOptions {
  /** The file's name or path, by whose ending containers without a signature are known. */
  readonly name?: string;
  /** Says the container instead of letting it be found out. */
  readonly container?: Container;
  /** For `raw`, and for elements of an .npy that numpy has no code for (`V1`, `V2`): what they are. */
  readonly dtype?: string;
  /** For `raw`: the extents. */
  readonly shape?: readonly number[];
  /** Opens a file beside this one: the shards of `model.safetensors.index.json`. */
  readonly openBeside?: (name: string) => Promise<ByteSource>;
}

/**
 * Reads the header of a tensor file. Throws TensorFileError if it is not well-formed; the file's data is not looked at.
 * The sources stay the caller's to close.
 */
export async function openTensorFile(_source: ByteSource, _options: OpenOptions = {}): Promise<TensorFile> {
  throw new TensorFileError('unsupported', 'not yet');
}
