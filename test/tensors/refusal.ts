import { type TensorFileCode, TensorFileError } from '../../src/tensors/tensor-error.ts';

/** The error code from reading a tensor file; null if it can be read. Rethrows other errors. */
export async function refusalOf(reading: Promise<unknown>): Promise<TensorFileCode | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    return error.code;
  }
}
