import { describe, expect, test } from 'vitest';
import { Comparer, type Comparison } from './comparison.ts';
import type { FormatName } from '../../numerics/formats.ts';

function compare(a: readonly number[], b: readonly number[], unit: FormatName = 'f32'): Comparison {
  const comparer = new Comparer({ unit: { format: unit, anyExponent: false }, worst: 3 });
  comparer.add(Float64Array.from(a), Float64Array.from(b));
  return comparer.result();
}

const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;

describe('equal and different', () => {
  test('equal streams', () => {
    expect(compare([1, nan, infinity, 0], [1, nan, infinity, 0])).toEqual({
      count: 4,
      different: 0,
      zeroSigns: 0,
      nanMismatches: 0,
      infinityMismatches: 0,
      maxAbs: 0,
      maxRel: 0,
      meanSquaredError: 0,
      sqnr: infinity,
      cosine: 1,
      ulps: [{ ulps: 0, count: 2 }],
      worst: [],
    });
  });

  test('a different sign of zero is counted, but is not a difference', () => {
    expect(compare([0, -0], [-0, -0])).toMatchObject({ different: 0, zeroSigns: 1 });
  });

  test('a NaN or an infinity in place of a number is the worst error and is excluded from averages', () => {
    const found = compare([1, nan, 2, infinity, 4], [1, 1, infinity, -infinity, 3]);
    expect(found).toMatchObject({ different: 4, nanMismatches: 1, infinityMismatches: 2, maxAbs: 1, maxRel: 0.25 });
    expect(found.meanSquaredError).toBe(0.5);
    expect(found.worst.map(({ index, error }) => [index, error])).toEqual([
      [1, infinity],
      [2, infinity],
      [3, infinity],
    ]);
  });
});

describe('sizes of errors', () => {
  test('mean squared error, signal-to-noise ratio and cosine of two short vectors', () => {
    const found = compare([3, 4], [3, 5]);
    expect(found).toMatchObject({ maxAbs: 1, maxRel: 0.25, meanSquaredError: 0.5 });
    expect(found.sqnr).toBeCloseTo(10 * Math.log10(25), 12);
    expect(found.cosine).toBeCloseTo(29 / (5 * Math.sqrt(34)), 12);
  });

  test('a nonzero number in place of zero has an infinite relative error', () => {
    expect(compare([0], [1])).toMatchObject({ maxRel: infinity, cosine: 0 });
  });

  test('errors are counted in units of the spacing of a format at the expected element', () => {
    const ulps = (a: number, b: number, unit: FormatName): number => compare([a], [b], unit).ulps.at(-1)?.ulps ?? -1;
    expect(ulps(1, 1.125, 'e4m3')).toBe(1);
    expect(ulps(1, 1.0625, 'e4m3')).toBe(0.5);
    expect(ulps(1, 1 + 3 * 2 ** -23, 'f32')).toBe(4);
    expect(ulps(1, 1 + 5 * 2 ** -23, 'f32')).toBe(8);
    expect(ulps(2 ** -9, 2 ** -8, 'e4m3')).toBe(1);
    expect(ulps(0, 2 ** -149, 'f32')).toBe(1);
    expect(ulps(7, 9, 's8')).toBe(2);
    expect(ulps(1, 2, 'ue8m0')).toBe(1);
    expect(ulps(2 ** -127, 2 ** -126, 'ue8m0')).toBe(1);
    expect(ulps(1, 2 ** 100, 'f32')).toBe(infinity);
  });

  test('if scales shifted the exponents, every binade has the spacing of normal numbers', () => {
    const comparer = new Comparer({ unit: { format: 'e4m3', anyExponent: true }, worst: 0 });
    comparer.add(Float64Array.of(2 ** -30, 2 ** 20), Float64Array.of(2 ** -30 + 2 ** -33, 2 ** 20 + 2 ** 16));
    expect(comparer.result().ulps.map(({ count }) => count)).toEqual([0, 1, 1]);
  });

  test('each interval up to the largest error is listed', () => {
    expect(compare([1, 1, 1], [1, 1.5, 1.125], 'e4m3').ulps).toEqual([
      { ulps: 0, count: 1 },
      { ulps: 0.5, count: 0 },
      { ulps: 1, count: 1 },
      { ulps: 2, count: 0 },
      { ulps: 4, count: 1 },
    ]);
  });

  test('the worst elements have the largest errors; of equal errors, the earlier comes first', () => {
    const found = compare([0, 0, 0, 0, 0], [1, 3, 2, 3, 1]);
    expect(found.worst.map(({ index, b }) => [index, b])).toEqual([
      [1, 3],
      [3, 3],
      [2, 2],
    ]);
  });
});

describe('doubles whose squares overflow or underflow are measured accurately', () => {
  test.each<[string, readonly number[], readonly number[], number, number]>([
    ['small', [1e-200], [2e-200], 0, 1],
    ['large', [1e200], [1.1e200], 20, 1],
    ['small next to zeros', [0, 1e-300, 0], [0, 1.1e-300, 0], 20, 1],
    ['subnormal', [2 ** -1070], [2 ** -1070 + 2 ** -1074], 10 * Math.log10(256), 1],
    ['numbers at the ends of the f64 range', [Number.MAX_VALUE], [-Number.MAX_VALUE], 10 * Math.log10(1 / 4), -1],
    ['large next to small', [1e200, 1e-200], [1.1e200, 5e-200], 20, 1],
    ['large compared with small', [1e200], [1e-200], 0, 1],
    ['small compared with large', [1e-200], [1e200], -8000, 1],
    ['at right angles', [1e200, 0], [0, 1e200], 10 * Math.log10(1 / 2), 0],
    ['large compared with zero', [1e200], [0], 0, 0],
    ['an error far smaller than the elements', [1e200, 1e-120], [1e200, 2e-120], 6400, 1],
    ['an error ratio too small for f64', [1e150, 1e-150], [1e150, 2e-150], 6000, 1],
  ])('%s', (_, a, b, sqnr, expectedCosine) => {
    const found = compare(a, b, 'f64');
    expect(found.sqnr).toBeCloseTo(sqnr, 9);
    expect(found.cosine).toBeCloseTo(expectedCosine, 12);
  });

  test('blocks of different magnitude', () => {
    const [a, b] = [new Float64Array(4096), new Float64Array(4096)];
    a.fill(3e-250, 0, 1024).fill(3e250, 1024, 2048).fill(3, 2048);
    b.set(a);
    b[1500] = 4e250;
    const { sqnr, meanSquaredError, cosine } = compare([...a], [...b], 'f64');
    expect(sqnr).toBeCloseTo(10 * Math.log10(1024 * 9), 9);
    expect(cosine).toBeCloseTo((1024 * 9 + 3) / Math.sqrt(1024 * 9 * (1024 * 9 + 7)), 12);
    expect(meanSquaredError).toBe(infinity);
  });

  test('the result is the same wherever the streams are split', () => {
    const a = Float64Array.from({ length: 3_000 }, (_, i) => (i - 1500) * 10 ** ((i % 5) * 120 - 240));
    const b = a.map((value, i) => (i % 3 === 0 ? value * 1.25 : value));
    const options = { unit: { format: 'f64', anyExponent: false }, worst: 5 } as const;
    const whole = new Comparer(options);
    whole.add(a, b);
    const [left, right] = [new Comparer(options), new Comparer({ ...options, firstIndex: 2_048 })];
    left.add(a.subarray(0, 2_048), b.subarray(0, 2_048));
    right.add(a.subarray(2_048), b.subarray(2_048));
    left.merge(right);
    expect(left.result()).toEqual(whole.result());
    expect(whole.result().sqnr).toBeGreaterThan(0);
  });
});

test('the part of a 64-bit integer that a double cannot represent is included', () => {
  const comparer = new Comparer({ unit: { format: 's64', anyExponent: false }, worst: 3 });
  comparer.add(Float64Array.of(2 ** 53, 2 ** 60, 4), Float64Array.of(2 ** 53, 2 ** 60, 5), Float64Array.of(1, 0, 0));
  expect(comparer.result()).toMatchObject({ different: 2, maxAbs: 1, maxRel: 0.25 });
  expect(comparer.result().worst.map(({ index }) => index)).toEqual([0, 2]);
});

test('the result is the same however streams are split and compared', () => {
  const a = Float32Array.from({ length: 5_000 }, (_, i) => ((i * 7919) % 1009) - 500);
  const b = a.map((value, i) => (i % 3 === 0 ? value + (i % 5) : value));
  const options = { unit: { format: 'bf16', anyExponent: false }, worst: 5 } as const;
  const whole = new Comparer(options);
  whole.add(a, b);
  const chunked = new Comparer(options);
  for (let at = 0; at < a.length; at += 777) chunked.add(a.subarray(at, at + 777), b.subarray(at, at + 777));
  const [left, right] = [new Comparer(options), new Comparer({ ...options, firstIndex: 2_345 })];
  left.add(a.subarray(0, 2_345), b.subarray(0, 2_345));
  right.add(a.subarray(2_345), b.subarray(2_345));
  left.merge(right);
  expect(chunked.result()).toEqual(whole.result());
  expect(left.result()).toEqual(whole.result());
});

test('merging the worst elements of the parts gives the worst elements of the whole', () => {
  const options = { unit: { format: 'f32', anyExponent: false }, worst: 2 } as const;
  const [left, right] = [new Comparer(options), new Comparer({ ...options, firstIndex: 3 })];
  left.add(Float32Array.of(0, 0, 0), Float32Array.of(1, 3, 2));
  right.add(Float32Array.of(0, 0), Float32Array.of(4, 3));
  left.merge(right);
  expect(left.result().worst.map(({ index, b }) => [index, b])).toEqual([
    [3, 4],
    [1, 3],
  ]);
});
