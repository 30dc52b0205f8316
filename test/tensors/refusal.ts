import { type TensorFileCode, TensorFileError } from '../../src/tensors/tensor-error.ts';

/** The code that reading a tensor file is refused with; null where it is read. Anything else thrown goes on. */
export async function refusalOf(reading: Promise<unknown>): Promise<TensorFileCode | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    return error.code;
  }
}
