/** Tests a kernel that multiplies matrices in tensor memory (tcgen05), compiled by nvcc. All sums are exact. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Device, type LaunchOptions } from '../../src/device.ts';
import { halvesOf } from './small-halves.ts';

const text = readFileSync(new URL('tensor-memory/tensor-memory.sm_100a.ptx', import.meta.url), 'utf8');

const ways: Readonly<Record<string, LaunchOptions>> = {
  interp: { engine: 'interp' },
  jit: { simd: true },
  unchecked: { simd: true, unchecked: true },
  'two workers': { simd: true, workers: 2 },
};

const integers = (count: number, seed: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => ((i * seed + (i >> 6) * 3) % 5) - 2);

test.each(Object.entries(ways))('%s: several blocks, and several tiles along k', async (way, options) => {
  // The reference engine is slow.
  const [m, n, k] = way === 'interp' ? [128, 32, 128] : [256, 96, 192];
  const [a, b] = [integers(m * k, 7), integers(n * k, 11)];
  const device = await Device.create({ gpu: 'B200' });
  const c = device.alloc(4 * m * n);
  const args = [device.alloc(halvesOf(a)), device.alloc(halvesOf(b)), c, n, k];
  const result = await device
    .load(text)
    .kernel('multiply')
    .launch({ grid: [n / 32, m / 128], block: 128, args, ...options });
  expect(result).toMatchObject({ ok: true });
  const found = new Float32Array(c.read().buffer);
  const at = found.findIndex((value, i) => {
    const [row, column] = [Math.floor(i / n) * k, (i % n) * k];
    let sum = 0;
    for (let inner = 0; inner < k; inner++) sum += (a[row + inner] ?? 0) * (b[column + inner] ?? 0);
    return value !== sum;
  });
  expect(at).toBe(-1);
});
