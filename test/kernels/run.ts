/** Runs kernels of examples/kernels on a fresh device. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type Argument, Device, type Extent, type Kernel, type LaunchStats } from '../../src/device.ts';

export interface Loaded {
  readonly device: Device;
  readonly kernel: Kernel;
}

export async function load(file: string, name: string): Promise<Loaded> {
  const source = readFileSync(new URL(`../../examples/kernels/${file}`, import.meta.url), 'utf8');
  const device = await Device.create({ simd: true });
  return { device, kernel: device.load(source).kernel(name) };
}

export const engines = ['interp', 'jit'] as const;

/** Launches the kernel and expects no fault. */
export async function launch(
  engine: (typeof engines)[number],
  kernel: Kernel,
  grid: Extent,
  block: Extent,
  args: readonly Argument[],
): Promise<LaunchStats> {
  const result = await kernel.launch({ grid, block, args, engine });
  expect(result).toMatchObject({ ok: true });
  return result.stats;
}

export function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/**
 * Returns the bit patterns of f32 values. Comparing these patterns distinguishes between different NaNs, and between +0
 * and -0.
 */
export function patterns(values: Float32Array): readonly number[] {
  return [...new Uint32Array(values.buffer, values.byteOffset, values.length)];
}

export function halfWords(bytes: Uint8Array): readonly number[] {
  return [...new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)];
}

export function words(bytes: Uint8Array): readonly number[] {
  return [...new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)];
}
