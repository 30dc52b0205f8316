import { describe, expect, test } from 'vitest';
import { elementDecoder } from './element-values.ts';

function valuesOf(
  ...[format, dense, bytes, count]: readonly [...Parameters<typeof elementDecoder>, readonly number[], number]
): readonly number[] {
  return [...elementDecoder(format, dense).values(Uint8Array.from(bytes), count)];
}

describe('an element in whole bytes', () => {
  test('fp8: every pattern has its value', () => {
    expect(valuesOf('e4m3', false, [0x38, 0x7e, 0x7f, 0x80, 0x01], 5)).toEqual([1, 448, Number.NaN, -0, 2 ** -9]);
    expect(valuesOf('e5m2', false, [0x3c, 0x7b, 0x7c, 0xfc], 4)).toEqual([1, 57344, Infinity, -Infinity]);
    expect(valuesOf('ue8m0', false, [0x7f, 0x00, 0xfe, 0xff], 4)).toEqual([1, 2 ** -127, 2 ** 127, Number.NaN]);
  });

  test('16 and 32 bits are little-endian', () => {
    expect(valuesOf('f16', false, [0x00, 0x3c, 0x00, 0xc0], 2)).toEqual([1, -2]);
    expect(valuesOf('bf16', false, [0x80, 0x3f], 1)).toEqual([1]);
    expect(valuesOf('f32', false, [0, 0, 0x80, 0x3f], 1)).toEqual([1]);
    expect(valuesOf('s32', false, [0xfe, 0xff, 0xff, 0xff], 1)).toEqual([-2]);
    expect(valuesOf('u32', false, [0xfe, 0xff, 0xff, 0xff], 1)).toEqual([4294967294]);
  });

  test('narrow codes are in the low bits, and the other bits are ignored', () => {
    expect(valuesOf('e2m1', false, [0x07, 0xff], 2)).toEqual([6, -6]);
    expect(valuesOf('s8', false, [0x80], 1)).toEqual([-128]);
  });

  test('the low 13 bits of a tf32 are ignored', () => {
    expect(valuesOf('tf32', false, [0xff, 0x1f, 0x80, 0x3f], 1)).toEqual([1]);
  });

  test('64-bit integers beyond 2^53 become the nearest f64, ties to even', () => {
    const patterns = [-1n, 2n ** 53n + 1n, 2n ** 53n + 3n, -(2n ** 63n), 2n ** 63n - 1n];
    const bytes = new Uint8Array(BigInt64Array.from(patterns).buffer);
    expect([...elementDecoder('s64', false).values(bytes, 5)]).toEqual(patterns.map(Number));
    const unsigned = patterns.map((pattern) => Number(BigInt.asUintN(64, pattern)));
    expect([...elementDecoder('u64', false).values(bytes, 5)]).toEqual(unsigned);
  });

  test('data need not be aligned to the element size', () => {
    const bytes = Uint8Array.from([9, 0, 0, 0x80, 0x3f]).subarray(1);
    expect([...elementDecoder('f32', false).values(bytes, 1)]).toEqual([1]);
  });
});

describe('dense elements, low bits first', () => {
  test('fp4: two per byte', () => {
    expect(valuesOf('e2m1', true, [0x72, 0x0f], 3)).toEqual([1, 6, -6]);
  });

  test('fp6: four in three bytes', () => {
    // In e2m3, the codes 8, 1, 32 and 63 stand for 1, 1/8, -0 and -7.5.
    const word = 8 | (1 << 6) | (32 << 12) | (63 << 18);
    const bytes = [word & 255, (word >> 8) & 255, word >> 16];
    expect(valuesOf('e2m3', true, bytes, 4)).toEqual([1, 0.125, -0, -7.5]);
    expect(valuesOf('e2m3', true, bytes.slice(0, 2), 2)).toEqual([1, 0.125]);
  });

  test('int2: four per byte', () => {
    expect(valuesOf('s2', true, [0b11_10_01_00], 4)).toEqual([0, 1, -2, -1]);
  });
});
