/** Checkpoints that tests create, and the values that readers of their layouts compute. */
import { expect } from 'vitest';
import { memorySource } from '../../src/tensors/bytes.ts';
import { modelOf } from '../../src/tensors/checkpoints/model-tensors.ts';
import { openTensorFile } from '../../src/tensors/open.ts';
import { pairTensors, valuesOf } from '../../src/tensors/pairing.ts';
import type { TensorFile } from '../../src/tensors/tensor-file.ts';
import { linearCongruential } from '../linear-congruential.ts';
import { safetensorsBytes, type StoredTensor, type StoredTensors } from './safetensors-bytes.ts';

export interface Made {
  readonly tensors: StoredTensors;
  /** The shape of the tensor, and the values that a reader should compute from the stored tensors. */
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export const fileOf = (tensors: StoredTensors): Promise<TensorFile> =>
  openTensorFile(memorySource(safetensorsBytes(tensors)), { container: 'safetensors' });

export const product = (shape: readonly number[]): number => shape.reduce((all, extent) => all * extent, 1);

/**
 * Returns a generator of pseudorandom numbers from 0 to 1. Its period is long, so reading an element at the wrong index
 * gives a wrong value.
 */
export function dice(seed: number): () => number {
  const word = linearCongruential(seed);
  return () => word() / 2 ** 32;
}

export function f32(shape: readonly number[], values: readonly number[]): StoredTensor {
  return { dtype: 'F32', shape, bytes: new Uint8Array(Float32Array.from(values).buffer) };
}

/**
 * Pairs the tensors of two files. Each file must contain exactly one weight; returns the values of that weight in both
 * files.
 */
export async function compared(a: TensorFile, b: TensorFile): Promise<readonly (readonly number[])[]> {
  const { pairs, onlyInA, onlyInB } = pairTensors(modelOf(a), modelOf(b), () => true);
  expect([pairs.length, onlyInA, onlyInB]).toEqual([1, [], []]);
  const sides = pairs.flatMap((pair) => [pair.a, pair.b]);
  return Promise.all(sides.map(async (side) => [...(await (await valuesOf(side)).load(0, side.entry.elements))()]));
}

/** A file that stores the expected values as f64. The values are exact unless a division is rounded. */
export function original({ shape, values }: Made, name: string): Promise<TensorFile> {
  return fileOf({ [name]: { dtype: 'F64', shape, bytes: new Uint8Array(Float64Array.from(values).buffer) } });
}

export function expectClose(found: readonly number[] = [], wanted: readonly number[] = []): void {
  expect(found.length).toBe(wanted.length);
  const wrong = found.findIndex(
    (value, i) => !(Math.abs(value - (wanted[i] ?? Number.NaN)) <= Math.abs(value) * 2 ** -50),
  );
  expect(wrong).toBe(-1);
}
