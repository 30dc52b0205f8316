/**
 * Tests the quantization kernels. The results must be exactly the same as those of reference.ts, which does the same
 * computations.
 */
import { expect, test } from 'vitest';
import { decode, e4m3, encode, f32, roundEven, randomSource, values } from './reference.ts';
import { engines, floats, halfWords, launch, load, patterns, words } from './run.ts';

test.each(engines)(
  '%s: quantize_rows_e4m3 reduces each row to its maximum in shared memory and scales by it',
  async (engine) => {
    const { device, kernel } = await load('quantize_sm89.ptx', 'quantize_rows_e4m3');
    const [rows, n] = [5, 600];
    const x = values(rows * n, 1);
    x.fill(0, 2 * n, 3 * n);
    const q = device.alloc(rows * n);
    const scale = device.alloc(4 * rows);
    await launch(engine, kernel, rows, 128, [device.alloc(x), q, scale, n]);
    const most = Array.from({ length: rows }, (_, row) =>
      x.subarray(row * n, (row + 1) * n).reduce((max, value) => Math.max(max, Math.abs(value)), 0),
    );
    const scales = most.map((max) => (max > 0 ? f32(max / 448) : 1));
    expect([...floats(scale.read())]).toEqual(scales);
    const code = (index: number): number => {
      const max = most[Math.floor(index / n)] as number;
      return encode(e4m3, f32((x[index] as number) * (max > 0 ? f32(448 / max) : 1)));
    };
    const wanted = Array.from({ length: (rows * n) / 2 }, (_, i) => (code(2 * i + 1) << 8) | code(2 * i));
    expect(halfWords(q.read())).toEqual(wanted);
  },
);

test.each(engines)('%s: dequantize_rows_e4m3 restores every code', async (engine) => {
  const { device, kernel } = await load('quantize_sm89.ptx', 'dequantize_rows_e4m3');
  const [rows, n] = [4, 512];
  const random = randomSource(2);
  const codes = Uint8Array.from({ length: rows * n }, (_, i) => {
    const code = i < 256 ? i : Math.floor(random() * 256);
    return (code & 0x7f) === 0x7f ? 0 : code;
  });
  const scales = values(rows, 3).map((scale) => Math.abs(scale) + 1);
  const x = device.alloc(4 * rows * n);
  await launch(engine, kernel, rows, 96, [device.alloc(codes), device.alloc(scales), x, n]);
  const wanted = Float32Array.from(codes, (code, i) => f32(decode(e4m3, code) * (scales[Math.floor(i / n)] as number)));
  expect(patterns(floats(x.read()))).toEqual(patterns(wanted));
});

test.each(engines)('%s: quantize_s8x4 rounds to even, clamps, and packs the first value lowest', async (engine) => {
  const { device, kernel } = await load('quantize_sm89.ptx', 'quantize_s8x4');
  const n = 3000;
  const x = values(4 * n, 4);
  x.set([0.5, 1.5, -0.5, -2.5, 127.5, 128, -128.5, -1e30], 0);
  const q = device.alloc(4 * n);
  await launch(engine, kernel, 24, 128, [device.alloc(x), q, 1, n]);
  const lane = (value: number): number => Math.min(127, Math.max(-128, roundEven(value))) & 0xff;
  const wanted = Array.from({ length: n }, (_, i) =>
    [3, 2, 1, 0].reduce((word, k) => ((word << 8) | lane(x[4 * i + k] as number)) >>> 0, 0),
  );
  expect(words(q.read())).toEqual(wanted);
});

test.each(engines)('%s: address_round_trip reaches a neighbor through generic and shared addresses', async (engine) => {
  const { device, kernel } = await load('quantize_sm89.ptx', 'address_round_trip');
  const n = 3001;
  const x = values(n, 5);
  const y = device.alloc(4 * n);
  await launch(engine, kernel, 12, 256, [device.alloc(x), y, n]);
  const wanted = x.map((_, i) => f32(2 * (x[i ^ 1] ?? 0)));
  expect(patterns(floats(y.read()))).toEqual(patterns(wanted));
});
