import { describe, expect, test } from 'vitest';
import { Summarizer, type Summary } from './summary.ts';
import type { FormatName } from '../../numerics/formats.ts';

function summaryOf(values: Float32Array | Float64Array, format: FormatName = 'f32'): Summary {
  const summarizer = new Summarizer(format);
  summarizer.add(values);
  return summarizer.result();
}

const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;

describe.each([
  ['singles', Float32Array],
  ['doubles', Float64Array],
])('%s', (_, Kind) => {
  test('range and mean cover the finite elements', () => {
    const found = summaryOf(Kind.of(1, -3, nan, infinity, -infinity, 0, -0, 0.5));
    expect(found).toMatchObject({ count: 8, min: -3, max: 1, amax: 3, mean: -0.3, nans: 1, infinities: 2, zeros: 2 });
  });

  test('exponents are counted by sign: 2^e <= |x| < 2^(e+1)', () => {
    expect(summaryOf(Kind.of(1, 1.5, -1, 2, -0.75, 0, infinity, 2 ** -140)).exponents).toEqual([
      { exponent: -140, negative: 0, positive: 1 },
      { exponent: -1, negative: 1, positive: 0 },
      { exponent: 0, negative: 1, positive: 2 },
      { exponent: 1, negative: 0, positive: 1 },
    ]);
  });

  test('subnormals are counted in the source format', () => {
    const values = Kind.of(2 ** -15, -(2 ** -14), 2 ** -127, 0);
    expect(summaryOf(values, 'f16').subnormals).toBe(2);
    expect(summaryOf(values, 'bf16').subnormals).toBe(1);
    expect(summaryOf(values, 'f64').subnormals).toBe(0);
    expect(summaryOf(values, 's32').subnormals).toBe(0);
  });

  test('without finite elements there is no range', () => {
    expect(summaryOf(Kind.of(nan))).toMatchObject({ count: 1, min: null, max: null, amax: null, mean: null });
    expect(summaryOf(new Kind(0))).toMatchObject({ count: 0, min: null, exponents: [] });
  });

  test('small terms are not lost next to a large sum', () => {
    const values = new Kind(1 << 16).fill(1 / 16);
    values.fill(0, 0, 1024).fill(0, -1024);
    values[0] = 2 ** 60;
    values[values.length - 1] = -(2 ** 60);
    expect(Array.from<number>(values).reduce((total, value) => total + value, 0)).toBe(0);
    expect((summaryOf(values).mean as number) * values.length).toBe((values.length - 2048) / 16);
  });
});

describe('doubles whose sum overflows', () => {
  test.each<[string, readonly number[], number]>([
    ['of both signs', [1e308, 1e308, -1e308, -1e308], 0],
    ['of one sign', [1e308, 1e308, 1e308], 1e308],
    ['beside small ones', [1.5e308, 1.5e308, -1.5e308, -1.5e308, 5], 1],
    ['beside infinities', [1e308, 1e308, infinity, nan], 1e308],
    ['the largest', Array<number>(3000).fill(Number.MAX_VALUE), Number.MAX_VALUE],
  ])('%s', (_, values, mean) => {
    expect(summaryOf(Float64Array.from(values), 'f64').mean).toBe(mean);
  });

  test('in separate blocks', () => {
    const values = new Float64Array(4096).fill(1e306, 0, 1024).fill(-1e306, 1024, 2048).fill(4, 2048);
    expect(summaryOf(values, 'f64').mean).toBe(2);
  });
});

test('the summary is the same however a stream is split, and whether elements are added singly or as counts', () => {
  const values = Float32Array.from({ length: 10_000 }, (_, i) => ((i * 7919) % 1009) - 500);
  const whole = summaryOf(values);
  const chunked = new Summarizer('f32');
  for (let at = 0; at < values.length; at += 777) chunked.add(values.subarray(at, at + 777));
  const [left, right] = [new Summarizer('f32'), new Summarizer('f32')];
  left.add(values.subarray(0, 4_321));
  right.add(values.subarray(4_321));
  left.merge(right);
  expect(chunked.result()).toEqual(whole);
  expect(left.result()).toEqual(whole);
});

test('a value can be counted several times at once', () => {
  const one = new Summarizer('e4m3');
  one.addRepeated(-448, 1_000_000_000);
  one.addRepeated(nan, 3);
  expect(one.result()).toMatchObject({ count: 1_000_000_003, mean: -448, amax: 448, nans: 3 });
});
