/** Tensor files for tests, written byte by byte. */
import { put } from './ptxlab.ts';

export interface TestTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export function tensor(dtype: string, shape: readonly number[], data: ArrayBufferView): TestTensor {
  return { dtype, shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** A vector of f32. */
export function floats(...values: readonly number[]): TestTensor {
  return tensor('F32', [values.length], Float32Array.from(values));
}

/** Writes a safetensors file and returns its path. */
export function putSafetensors(
  folder: string,
  name: string,
  tensors: Readonly<Record<string, TestTensor>>,
  metadata?: Readonly<Record<string, string>>,
): string {
  let end = 0;
  const entries = Object.entries(tensors).map(([key, { dtype, shape, bytes }]) => {
    const begin = end;
    end += bytes.length;
    return [key, { dtype, shape, data_offsets: [begin, end] }] as const;
  });
  const header = Buffer.from(
    JSON.stringify({ ...(metadata && { __metadata__: metadata }), ...Object.fromEntries(entries) }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const data = Object.values(tensors).map(({ bytes }) => bytes);
  return put(folder, name, Buffer.concat([length, header, ...data]));
}
