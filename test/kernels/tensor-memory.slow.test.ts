/** Tests kernels that multiply matrices in tensor memory (tcgen05), compiled by nvcc. All sums are exact. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions } from '../../src/device.ts';
import { halvesOf } from './small-halves.ts';

const textOf = (name: string): string =>
  readFileSync(new URL(`tensor-memory/${name}.sm_100a.ptx`, import.meta.url), 'utf8');

const ways: Readonly<Record<string, LaunchOptions>> = {
  interp: { engine: 'interp', races: 'report' },
  jit: { simd: true },
  unchecked: { simd: true, unchecked: true },
  'two workers': { simd: true, workers: 2 },
};

const integers = (count: number, seed: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => ((i * seed + (i >> 6) * 3) % 5) - 2);

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Runs a kernel that multiplies matrices, and checks the product. */
async function expectProduct(
  name: string,
  kernel: string,
  { m, n, k }: Sizes,
  options: Omit<LaunchOptions, 'args'>,
): Promise<void> {
  const [a, b] = [integers(m * k, 7), integers(n * k, 11)];
  const device = await Device.create({ gpu: 'B200' });
  const c = device.alloc(4 * m * n);
  const args = [device.alloc(halvesOf(a)), device.alloc(halvesOf(b)), c, n, k];
  const result = await device
    .load(textOf(name))
    .kernel(kernel)
    .launch({ block: 128, args, ...options });
  expect(result).toMatchObject({ ok: true, races: [] });
  const found = new Float32Array(c.read().buffer);
  const at = found.findIndex((value, i) => {
    const [row, column] = [Math.floor(i / n) * k, (i % n) * k];
    let sum = 0;
    for (let inner = 0; inner < k; inner++) sum += (a[row + inner] ?? 0) * (b[column + inner] ?? 0);
    return value !== sum;
  });
  expect(at).toBe(-1);
}

describe.each(Object.entries(ways))('%s', (way, options) => {
  // The reference engine is slow, so its problems are smaller.
  const isSlow = way === 'interp';

  test('several blocks, and several tiles along k', async () => {
    const sizes = isSlow ? { m: 128, n: 32, k: 128 } : { m: 256, n: 96, k: 192 };
    await expectProduct('tensor-memory', 'multiply', sizes, { grid: [sizes.n / 32, sizes.m / 128], ...options });
  });

  test.each([
    ['multiply_256', 256],
    ['multiply_128', 128],
  ])('%s: pairs of blocks, which clear a bit of addresses to reach the first block', async (kernel, rows) => {
    const sizes = isSlow ? { m: rows, n: 64, k: 64 } : { m: 2 * rows, n: 128, k: 128 };
    await expectProduct('block-pairs', kernel, sizes, { grid: [(2 * sizes.m) / rows, sizes.n / 64], ...options });
  });
});
