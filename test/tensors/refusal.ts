import { type TensorFileCode, TensorFileError } from '../../src/tensors/tensor-error.ts';

/** The code of the error that reading a tensor file throws; null if the file can be read. Rethrows other errors. */
export async function refusalOf(reading: Promise<unknown>): Promise<TensorFileCode | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    return error.code;
  }
}
