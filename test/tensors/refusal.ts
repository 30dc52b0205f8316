import { type TensorFileCode, TensorFileError } from '../../src/tensors/tensor-error.ts';

/**
 * Returns the code of the error that is thrown when a tensor file is read; null if the file can be read. Rethrows other
 * errors.
 */
export async function refusalOf(reading: Promise<unknown>): Promise<TensorFileCode | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    return error.code;
  }
}
