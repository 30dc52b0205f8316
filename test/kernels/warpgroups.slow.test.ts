/**
 * Tests kernels in which warpgroups multiply matrices (wgmma). The kernels are written in typical CUDA C++ and compiled
 * by nvcc. All elements are small integers, so every sum is exact.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, tensorMap } from '../../src/device.ts';
import { halvesOf } from './small-halves.ts';
import { f16Value, numberBits } from '../../src/numerics/number-bits.ts';
import { linearCongruential } from '../linear-congruential.ts';

const text = readFileSync(new URL('warpgroups/warpgroups.sm_90a.ptx', import.meta.url), 'utf8');

const allWays: Readonly<Record<string, LaunchOptions>> = {
  interp: { engine: 'interp', races: 'report' },
  jit: { simd: true },
  unchecked: { simd: true, unchecked: true },
  'two workers': { simd: true, workers: 2 },
};

function integers(count: number, seed: number): readonly number[] {
  const word = linearCongruential(seed);
  return Array.from({ length: count }, () => ((word() >>> 24) % 5) - 2);
}

/** The e4m3 codes of integers from -2 to 2. */
const bytesOf = (values: readonly number[]): Uint8Array =>
  Uint8Array.from(values, (x) => (x < 0 ? 0x80 : 0) | ([0, 0x38, 0x40][Math.abs(x)] ?? 0));

/** C = A * B, where the rows of A and the columns of B lie along k. */
function product(
  a: readonly number[],
  b: readonly number[],
  [m, n, k]: readonly [number, number, number],
): Float32Array {
  return Float32Array.from({ length: m * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n) * k, (i % n) * k];
    let sum = 0;
    for (let at = 0; at < k; at++) sum += (a[row + at] ?? 0) * (b[column + at] ?? 0);
    return sum;
  });
}

/**
 * Compares all results of a launch. Comparing lists of this length with `toEqual` would take longer than the launch.
 */
function expectSame(found: Uint8Array, wanted: Float32Array): void {
  const results = new Float32Array(found.buffer);
  const i = wanted.findIndex((value, at) => value !== results[at]);
  expect([results.length, i, results[i]]).toEqual([wanted.length, -1, undefined]);
}

/**
 * Divides a matrix of halves into tiles of `height` rows and 64 columns, with a 128-byte swizzle. Tiles that cover the
 * same rows are stored one after the other.
 */
function tilesOf(values: readonly number[], rows: number, columns: number, height: number): Uint16Array {
  const codes = halvesOf(values);
  const made = new Uint16Array(codes.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const tile = Math.floor(row / height) * (columns / 64) + Math.floor(column / 64);
      const chunk = (Math.floor(column / 8) % 8) ^ (row % 8);
      made[(tile * height + (row % height)) * 64 + 8 * chunk + (column % 8)] = codes[row * columns + column] ?? 0;
    }
  }
  return made;
}

const encodings = { halves: halvesOf, bytes: bytesOf };

for (const [way, options] of Object.entries(allWays)) {
  describe(way, () => {
    for (const kernel of ['halves', 'bytes'] as const) {
      test(`${kernel}: two warpgroups, and copies of the next stage while one is multiplied`, async () => {
        // The reference engine is slow, so its problem is smaller.
        const size = way === 'interp' ? ([128, 64, 256] as const) : ([256, 128, 256] as const);
        const [m, n, k] = size;
        const [a, b] = [integers(m * k, 1), integers(n * k, 2)];
        const device = await Device.create({ gpu: 'H100' });
        const [inA, inB] = [device.alloc(encodings[kernel](a)), device.alloc(encodings[kernel](b))];
        const c = device.alloc(4 * m * n);
        const result = await device
          .load(text)
          .kernel(kernel)
          .launch({ grid: [n / 64, m / 128], block: 256, sharedBytes: 49152, args: [inA, inB, c, n, k], ...options });
        expect(result).toMatchObject({ ok: true, races: [] });
        expectSame(c.read(), product(a, b, size));
      });
    }

    test('specialized: one warp copies, and two warpgroups multiply', async () => {
      const size = way === 'interp' ? ([128, 64, 192] as const) : ([256, 128, 256] as const);
      const [m, n, k] = size;
      const [a, b] = [integers(m * k, 1), integers(n * k, 2)];
      const device = await Device.create({ gpu: 'H100' });
      const [inA, inB] = [device.alloc(tilesOf(a, m, k, 128)), device.alloc(tilesOf(b, n, k, 64))];
      const c = device.alloc(4 * m * n);
      const args = [inA, inB, c, n, k / 64];
      const result = await device
        .load(text)
        .kernel('specialized')
        .launch({ grid: [n / 64, m / 128], block: 384, sharedBytes: 49152, args, ...options });
      expect(result).toMatchObject({ ok: true, races: [] });
      expectSame(c.read(), product(a, b, size));
    });

    test('tensors: boxes of tensors, some of which extend beyond the matrices', async () => {
      const size = way === 'interp' ? ([100, 40, 88] as const) : ([200, 104, 328] as const);
      const [m, n, k] = size;
      const [a, b] = [integers(m * k, 1), integers(n * k, 2)];
      const device = await Device.create({ gpu: 'H100' });
      const [inA, inB] = [device.alloc(halvesOf(a)), device.alloc(halvesOf(b))];
      const c = device.alloc(4 * m * n);
      const half = { type: 'f16', swizzle: 128 } as const;
      const args = [
        tensorMap({ ...half, tensor: inA, dimensions: [k, m], box: [64, 128] }),
        tensorMap({ ...half, tensor: inB, dimensions: [k, n], box: [64, 64] }),
        tensorMap({ type: 'f32', tensor: c, dimensions: [n, m], box: [64, 64] }),
        Math.ceil(k / 64),
      ];
      const grid = [Math.ceil(n / 64), Math.ceil(m / 128)] as const;
      const result = await device
        .load(text)
        .kernel('tensors')
        .launch({ grid, block: 384, sharedBytes: 49152 + 32768, args, ...options });
      expect(result).toMatchObject({ ok: true, races: [] });
      expectSame(c.read(), product(a, b, size));
    });

    test('twice: a product in registers is a factor of the next one', async () => {
      const count = 128;
      const [q, keys, v] = [integers(64 * 64, 1), integers(count * 64, 2), integers(count * 64, 3)];
      const device = await Device.create({ gpu: 'H100' });
      const buffers = [q, keys, v].map((values) => device.alloc(halvesOf(values)));
      const o = device.alloc(4 * 64 * 64);
      const args = [...buffers, o, count];
      const result = await device
        .load(text)
        .kernel('twice')
        .launch({ block: 128, sharedBytes: 24576, args, ...options });
      expect(result).toMatchObject({ ok: true, races: [] });
      const weights = product(q, keys, [64, count, 64]);
      const columns = Array.from({ length: 64 * count }, (_, i) => v[(i % count) * 64 + Math.floor(i / count)] ?? 0);
      expect(f16Value(Number(numberBits('f16', Math.max(...weights))))).toBe(Math.max(...weights));
      expectSame(o.read(), product([...weights], columns, [64, 64, count]));
    });
  });
}

test('the example for Hopper computes what it says', () => {
  const example = fileURLToPath(new URL('../../examples/hopper.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [example], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^256 by 192 results of an H100, in \d+ ms; largest error 1\.54e-5\n46369 of them differ/);
});
