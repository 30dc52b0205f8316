/**
 * Tests every code of a format at every position in a word and in a SIMD vector. A code must be counted if and only if
 * its value is NaN or infinite.
 */
import { describe, expect, test } from 'vitest';
import { elementDecoder } from '../arrays/elements/element-values.ts';
import { nonFiniteIn } from './non-finite.ts';

describe.each([
  ['e4m3', 1],
  ['e5m2', 1],
  ['f16', 2],
  ['bf16', 2],
] as const)('%s', (format, width) => {
  const codes = 2 ** (8 * width);

  test('every code alone, among zeros', () => {
    const all =
      width === 1 ? Uint8Array.from({ length: codes }, (_, i) => i) : Uint16Array.from({ length: codes }, (_, i) => i);
    const values = elementDecoder(format, false).values(new Uint8Array(all.buffer), codes).slice();
    const wrong: number[] = [];
    for (const [code, value] of values.entries()) {
      const array = width === 1 ? new Uint8Array(64) : new Uint16Array(64);
      array[code % 64] = code;
      const wanted = Number.isFinite(value)
        ? null
        : { nans: Number(Number.isNaN(value)), infinities: Number(!Number.isNaN(value)) };
      const found = nonFiniteIn(array, format);
      if (found?.nans !== wanted?.nans || found?.infinities !== wanted?.infinities) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });
});

describe('f32', () => {
  test.each([1, 7, 64, 1024, 16384, 16385, 40000])('%i elements, one of them not finite', (length) => {
    for (const at of new Set([0, length >> 1, length - 1])) {
      const array = new Float32Array(length).fill(-3.4e38);
      expect(nonFiniteIn(array, 'f32')).toBe(null);
      array[at] = Number.NaN;
      expect(nonFiniteIn(array, 'f32')).toEqual({ nans: 1, infinities: 0 });
      array[at] = Number.NEGATIVE_INFINITY;
      expect(nonFiniteIn(array, 'f32')).toEqual({ nans: 0, infinities: 1 });
    }
  });
});

test('f64, and integers, which have neither NaN nor infinity', () => {
  const doubles = new Uint8Array(Float64Array.of(1, Number.NaN, 2, Number.POSITIVE_INFINITY).buffer);
  expect(nonFiniteIn(doubles, 'f64')).toEqual({ nans: 1, infinities: 1 });
  expect(nonFiniteIn(Uint8Array.of(0x7f, 0xff), 's8')).toBe(null);
});

test('an odd number of halves, and bytes that begin within a word', () => {
  expect(nonFiniteIn(Uint16Array.of(0x7c00, 1, 2), 'f16')).toEqual({ nans: 0, infinities: 1 });
  expect(nonFiniteIn(new Uint8Array(9).fill(0x7f).subarray(1), 'e4m3')).toEqual({ nans: 8, infinities: 0 });
});
