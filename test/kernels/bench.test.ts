/**
 * Tests the benchmark kernels. Their results must be exactly those that reference.ts computes with the same arithmetic.
 */
import { expect, test } from 'vitest';
import { e4m3, encode, f16, f32, fma, values } from './reference.ts';
import { engines, floats, halfWords, launch, load, patterns, words } from './run.ts';

test.each(engines)('%s: vecadd adds, including NaN and infinities', async (engine) => {
  const { device, kernel } = await load('bench_vecadd.ptx', 'vecadd');
  const n = 5000;
  const a = values(n, 1);
  const b = values(n, 2);
  a.set([Number.NaN, Infinity, Infinity, 3.4e38, 1e-45, -0, -0], 0);
  b.set([1, 1, -Infinity, 3.4e38, 1e-45, -0, 0], 0);
  const c = device.alloc(4 * n);
  const stats = await launch(engine, kernel, 40, 128, [device.alloc(a), device.alloc(b), c, n]);
  const sums = a.map((x, i) => f32(x + (b[i] as number)));
  const wanted = patterns(sums).map((bits, i) => (Number.isNaN(sums[i]) ? 0x7fffffff : bits));
  expect(patterns(floats(c.read()))).toEqual(wanted);
  // Each thread executes 9 instructions before the branch. The 120 threads outside the range then execute only the
  // branch itself. Each of the other threads executes 11 more instructions. The final ret is not counted.
  expect(stats).toMatchObject({ threads: 5120, instructions: 5120 * 9 + 120 + n * 11 });
});

test.each(engines)('%s: saxpyloop iterates one fma', async (engine) => {
  const { device, kernel } = await load('bench_saxpyloop.ptx', 'saxpyloop');
  const n = 300;
  const x = values(n, 3);
  const y = values(n, 4);
  const scale = f32(0.7);
  const iterations = 100;
  const buffer = device.alloc(y);
  await launch(engine, kernel, 3, 128, [device.alloc(x), buffer, scale, n, iterations]);
  const wanted = y.map((start, i) => {
    let sum = start;
    for (let k = 0; k < iterations; k++) sum = fma(sum, scale, x[i] as number);
    return sum;
  });
  expect(patterns(floats(buffer.read()))).toEqual(patterns(wanted));
});

test.each(engines)(
  '%s: quant scales pairs and converts them to e4m3, the second value in the upper byte',
  async (engine) => {
    const { device, kernel } = await load('bench_quant_e4m3.ptx', 'quant');
    const n = 4500;
    const x = values(2 * n, 5);
    const scale = f32(1.3);
    const y = device.alloc(2 * n);
    await launch(engine, kernel, 36, 128, [device.alloc(x), y, scale, n]);
    const code = (value: number): number => encode(e4m3, f32(value * scale));
    const wanted = Array.from({ length: n }, (_, i) => (code(x[2 * i + 1] as number) << 8) | code(x[2 * i] as number));
    expect(halfWords(y.read())).toEqual(wanted);
  },
);

test.each(engines)('%s: quanth scales and makes f16', async (engine) => {
  const { device, kernel } = await load('bench_quant_f16.ptx', 'quanth');
  const n = 5000;
  const x = values(n, 6);
  const scale = f32(3e-4);
  const y = device.alloc(2 * n);
  await launch(engine, kernel, 40, 128, [device.alloc(x), y, scale, n]);
  expect(halfWords(y.read())).toEqual([...x].map((value) => encode(f16, f32(value * scale))));
});

test.each(engines)('%s: matmul multiplies matrices of 26 by 26 in blocks of 13 by 13', async (engine) => {
  const { device, kernel } = await load('bench_matmul.ptx', 'matmul');
  const n = 26;
  const a = values(n * n, 7);
  const b = values(n * n, 8);
  const c = device.alloc(4 * n * n);
  await launch(engine, kernel, [2, 2], [13, 13], [device.alloc(a), device.alloc(b), c, n]);
  const wanted = Float32Array.from({ length: n * n }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < n; k++) {
      sum = fma(a[Math.floor(i / n) * n + k] as number, b[k * n + (i % n)] as number, sum);
    }
    return sum;
  });
  expect(patterns(floats(c.read()))).toEqual(patterns(wanted));
});

test.each(engines)('%s: mandel counts iterations until escape', async (engine) => {
  const { device, kernel } = await load('bench_mandelbrot.ptx', 'mandel');
  const [width, height, most] = [24, 16, 60];
  const out = device.alloc(4 * width * height);
  await launch(engine, kernel, [3, 2], [8, 8], [out, width, height, most]);
  const wanted = Array.from({ length: width * height }, (_, i) => {
    const cr = fma(f32(3 / width), i % width, -2);
    const ci = fma(f32(3 / height), Math.floor(i / width), -1.5);
    let [zr, zi, zr2, zi2, count] = [0, 0, 0, 0, 0];
    do {
      const next = f32(cr + f32(zr2 - zi2));
      zi = fma(f32(zr + zr), zi, ci);
      zr = next;
      count++;
      zr2 = f32(zr * zr);
      zi2 = f32(zi * zi);
    } while (count < most && f32(zr2 + zi2) <= 4);
    return count;
  });
  expect(words(out.read())).toEqual(wanted);
});
