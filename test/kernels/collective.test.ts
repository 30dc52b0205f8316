/** Kernels whose threads work together: warp shuffles, votes, atomics in shared and global memory, barriers. */
import { expect, test } from 'vitest';
import { Device, type DeviceBuffer } from '../../src/device.ts';
import { readFileSync } from 'node:fs';

const source = readFileSync(new URL('../../examples/kernels/collective_sm80.ptx', import.meta.url), 'utf8');

async function launch(
  kernel: string,
  grid: readonly [number, number],
  block: readonly [number, number],
  args: (device: Device) => readonly (DeviceBuffer | number)[],
) {
  const device = await Device.create({ simd: true });
  const given = args(device);
  const result = await device.load(source).kernel(kernel).launch({ grid, block, args: given });
  expect(result.ok ? null : result.fault).toBeNull();
  return given.map((value) => (typeof value === 'number' ? new Uint8Array() : value.read()));
}

test('block_sum: warps shuffle, the first warp sums the rest, blocks add atomically', async () => {
  // The inputs are small whole numbers, so their sum is exact and does not depend on the order of the additions.
  const x = Float32Array.from({ length: 1500 }, (_, i) => (i * 7919) % 101);
  const [, sum] = await launch('block_sum', [3, 1], [160, 1], (device) => [device.alloc(x), device.alloc(4), x.length]);
  expect(new Float32Array((sum as Uint8Array).buffer)[0]).toBe(x.reduce((total, value) => total + value, 0));
});

test('histogram256: atomics in shared memory, then in global memory', async () => {
  const x = Uint8Array.from({ length: 3000 }, (_, i) => (i * i) % 251);
  const [, bins] = await launch('histogram256', [2, 1], [96, 1], (device) => [
    device.alloc(x),
    device.alloc(1024),
    x.length,
  ]);
  const expected = new Uint32Array(256);
  for (const value of x) expected[value] = (expected[value] as number) + 1;
  expect(new Uint32Array((bins as Uint8Array).buffer)).toEqual(expected);
});

test('compact_positive: a ballot gives each lane its position', async () => {
  const x = Int32Array.from({ length: 200 }, (_, i) => ((i * 37) % 50) - 25);
  const [, packed, count] = await launch('compact_positive', [2, 1], [128, 1], (device) => [
    device.alloc(x),
    device.alloc(4 * x.length),
    device.alloc(4),
    x.length,
  ]);
  const positive = x.filter((value) => value > 0);
  expect(new Int32Array((count as Uint8Array).buffer)[0]).toBe(positive.length);
  // In this launch, the warps run one after another, so the packed values are in their original order.
  expect(new Int32Array((packed as Uint8Array).buffer).subarray(0, positive.length)).toEqual(positive);
});

test('transpose_tile: a tile is transposed in shared memory', async () => {
  const n = 50;
  const a = Float32Array.from({ length: n * n }, (_, i) => i);
  const [, b] = await launch('transpose_tile', [2, 2], [32, 8], (device) => [
    device.alloc(a),
    device.alloc(4 * n * n),
    n,
  ]);
  const expected = Float32Array.from({ length: n * n }, (_, i) => (i % n) * n + Math.floor(i / n));
  expect(new Float32Array((b as Uint8Array).buffer)).toEqual(expected);
});
