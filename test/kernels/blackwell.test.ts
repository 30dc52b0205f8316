/**
 * Tests kernels that use the narrow formats of Blackwell. Their results must be exactly those that reference.ts
 * computes with the same conversions.
 */
import { expect, test } from 'vitest';
import { decode, e2m1, e2m3, e4m3, encode, encodeStochastic, f16, f32, randomSource, values } from './reference.ts';
import { engines, halfWords, launch, load, words } from './run.ts';

/** The ue8m0 code of the smallest power of two that is at least x; 0 if x is 0. */
function scaleCode(x: number): number {
  let code = 0;
  while (2 ** (code - 127) < x) code++;
  return code;
}

test.each(engines)('%s: quantize_mxfp4 shares one power of two among 32 values', async (engine) => {
  const { device, kernel } = await load('blackwell_sm100a.ptx', 'quantize_mxfp4');
  const blocks = 300;
  const x = values(32 * blocks, 1);
  x.fill(0, 32, 64);
  const q = device.alloc(16 * blocks);
  const scale = device.alloc(blocks);
  await launch(engine, kernel, 5, 64, [device.alloc(x), q, scale, blocks]);
  const scales = Array.from({ length: blocks }, (_, b) => {
    const most = x.subarray(32 * b, 32 * b + 32).reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    return scaleCode(f32(most / 6));
  });
  expect([...scale.read()]).toEqual(scales);
  const code = (index: number): number => {
    const inverse = f32(1 / 2 ** ((scales[index >> 5] as number) - 127));
    return encode(e2m1, f32((x[index] as number) * inverse));
  };
  const wanted = Array.from({ length: 16 * blocks }, (_, i) => (code(2 * i + 1) << 4) | code(2 * i));
  expect([...q.read()]).toEqual(wanted);
});

test.each(engines)('%s: quantize_rs rounds with the random bits of each lane', async (engine) => {
  const { device, kernel } = await load('blackwell_sm100a.ptx', 'quantize_rs');
  const n = 2000;
  const x = values(4 * n, 2);
  const random = randomSource(3);
  const bits = Uint32Array.from({ length: n }, () => Math.floor(random() * 2 ** 32));
  const fp4 = device.alloc(2 * n);
  const fp8 = device.alloc(4 * n);
  await launch(engine, kernel, 16, 128, [device.alloc(x), device.alloc(bits), fp4, fp8, n]);
  const value = (i: number, lane: number): number => x[4 * i + lane] as number;
  // Lane 3 comes first in the list in braces, so it is in the topmost bits.
  const nibbleBits = [0, 16, 8, 24];
  const wanted4 = Array.from({ length: n }, (_, i) =>
    [3, 2, 1, 0].reduce((word, lane) => {
      const random8 = ((bits[i] as number) >>> (nibbleBits[lane] as number)) & 0xff;
      return (word << 4) | encodeStochastic(e2m1, value(i, lane), random8, 8);
    }, 0),
  );
  const wanted8 = Array.from({ length: n }, (_, i) =>
    [3, 2, 1, 0].reduce((word, lane) => {
      const random16 = lane >= 2 ? (bits[i] as number) >>> 16 : (bits[i] as number) & 0xffff;
      return ((word << 8) | encodeStochastic(e4m3, value(i, lane), random16, 16)) >>> 0;
    }, 0),
  );
  expect(halfWords(fp4.read())).toEqual(wanted4);
  expect(words(fp8.read())).toEqual(wanted8);
});

test.each(engines)('%s: round_trip_fp6 converts to pairs of e2m3 and back to f16', async (engine) => {
  const { device, kernel } = await load('blackwell_sm100a.ptx', 'round_trip_fp6');
  const n = 3000;
  const x = values(2 * n, 4);
  const q = device.alloc(2 * n);
  const back = device.alloc(4 * n);
  await launch(engine, kernel, 24, 128, [device.alloc(x), q, back, n]);
  const pairs = Array.from({ length: n }, (_, i) => [x[2 * i + 1] as number, x[2 * i] as number] as const);
  const codes = pairs.map(([upper, lower]) => [encode(e2m3, upper), encode(e2m3, lower)] as const);
  expect(halfWords(q.read())).toEqual(codes.map(([upper, lower]) => (upper << 8) | lower));
  const half = (code: number): number => encode(f16, decode(e2m3, code)) | ((code >> 5) << 15);
  expect(words(back.read())).toEqual(codes.map(([upper, lower]) => ((half(upper) << 16) | half(lower)) >>> 0));
});
