/**
 * Tests quantizing an array in parts, and quantizing with stochastic rounding, where the result depends on the index of
 * an element.
 */
import { describe, expect, test } from 'vitest';
import { schemes } from '../../src/arrays/quantized/block-formats.ts';
import { convert } from '../../src/arrays/convert.ts';
import { dequantize } from '../../src/arrays/quantized/dequantize.ts';
import { codeOf, codeTable } from '../../src/arrays/elements/element-codes.ts';
import { largestMagnitude, quantize } from '../../src/arrays/quantized/quantize.ts';
import type { QuantizedArray } from '../../src/arrays/quantized/quantized-array.ts';
import { difference, moderate } from './numbers.ts';

const names = [...schemes.keys()];

describe('parts of an array', () => {
  test.each(['nvfp4', 'e4m3', 's8', 'mxfp4'] as const)(
    '%s: parts get the same codes as the whole array, given its amax',
    (to) => {
      const source = moderate(640, 2);
      const amax = largestMagnitude(source);
      const whole = quantize(source, { to });
      const parts = [0, 320].map((at) => quantize(source.subarray(at, at + 320), { to, amax }));
      expect(parts.flatMap(({ codes }) => [...codes])).toEqual([...whole.codes]);
      expect(parts.map(({ tensorScale }) => tensorScale)).toEqual([whole.tensorScale, whole.tensorScale]);
      expect([...new Set(parts.flatMap(({ scales }) => [...scales]))]).toEqual([...new Set(whole.scales)]);
    },
  );

  test('the largest magnitude ignores NaNs but counts infinities', () => {
    expect(largestMagnitude(Float32Array.of(1, -3, Number.NaN))).toBe(3);
    expect(largestMagnitude(Float32Array.of(Number.NEGATIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
    expect(largestMagnitude(new Float32Array(0))).toBe(0);
    expect(largestMagnitude(Uint16Array.of(0x3f80, 0xc040), { from: 'bf16' })).toBe(3);
  });
});

describe('stochastic rounding', () => {
  const floats = names.filter((to) => !to.startsWith('s'));

  test.each(floats)(
    '%s: products are rounded with the random bits that `convert` uses for the index of the element',
    (to) => {
      const source = moderate(20_000, 6);
      const options = { to, shape: [40, 500], rounding: 'rs', seed: 9 } as const;
      const fast = quantize(source, options);
      expect(difference(fast.codes, quantize(source, { ...options, engine: 'plain' }).codes)).toBe(-1);
      const nearest = quantize(source, { to, shape: [40, 500] });
      expect(difference(fast.scales, nearest.scales)).toBe(-1);
      expect(difference(fast.codes, nearest.codes)).not.toBe(-1);
      const factors = dequantize({ ...nearest, codes: codesOfOne(nearest) }).map((scale) => 1 / scale);
      if (!to.startsWith('mx')) return;
      const products = source.map((value, i) => value * (factors.at(i) ?? 0));
      const element = nearest.scheme.element;
      expect(fast.codes).toEqual(convert(products, { to: element, rounding: 'rs', seed: 9 }));
    },
  );

  test('parts of an array use the same random bits as the whole', () => {
    const source = moderate(640, 2);
    const options = { to: 'nvfp4', rounding: 'rs', seed: 1n, amax: largestMagnitude(source) } as const;
    const parts = [0, 320].map((at) => quantize(source.subarray(at, at + 320), { ...options, firstElement: at }));
    expect(parts.flatMap(({ codes }) => [...codes])).toEqual([...quantize(source, options).codes]);
  });

  test('rounding is unbiased on average', () => {
    const source = new Float32Array(65_536).fill(1.1).fill(4, 0, 1);
    const values = dequantize(quantize(source, { to: 'mxfp4', shape: [1, 65_536], rounding: 'rs', seed: 3 }));
    const mean = values.subarray(1).reduce((sum, value) => sum + value, 0) / 65_535;
    expect(Math.abs(mean - 1.1)).toBeLessThan(0.01);
  });

  test('stochastic rounding needs a seed and a float format', () => {
    const values = new Float32Array(4);
    expect(() => quantize(values, { to: 'mxfp4', rounding: 'rs' })).toThrow('seed');
    expect(() => quantize(values, { to: 's8', rounding: 'rs', seed: 1 })).toThrow('s8 is rounded by rn');
    expect(() => quantize(values, { to: 'nvfp4', rounding: 'rs', seed: 1, firstElement: 3 })).toThrow('multiple of 4');
  });
});

/** The codes that the quantized array would have if every element were 1. */
function codesOfOne({ scheme, packing, codes }: QuantizedArray): Uint8Array {
  const one = codeOf(codeTable(scheme.element), 0x3f800000);
  const isDense = packing !== 'bytes';
  return codes.map(() => (isDense ? one * (scheme.element === 'e2m1' ? 0x11 : 0x55) : one));
}
