/** Tensor files for tests, written byte by byte. */
import { safetensorsBytes, type StoredTensor, type StoredTensors } from '../tensors/safetensors-bytes.ts';
import { put } from './ptxlab.ts';

export function tensor(dtype: string, shape: readonly number[], data: ArrayBufferView): StoredTensor {
  return { dtype, shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** A vector of f32. */
export function floats(...values: readonly number[]): StoredTensor {
  return tensor('F32', [values.length], Float32Array.from(values));
}

/** Writes a safetensors file and returns its path. */
export function putSafetensors(
  folder: string,
  name: string,
  tensors: StoredTensors,
  metadata?: Readonly<Record<string, string>>,
): string {
  return put(folder, name, safetensorsBytes(tensors, metadata));
}
