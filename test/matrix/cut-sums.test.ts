/**
 * The sum of a chunk is truncated to 24 significant bits, toward zero, no matter how many bits the exact sum has. In
 * these tests, the individual terms are never truncated, so the sums before truncation can be computed exactly.
 */
import { describe, expect, test } from 'vitest';
import { RandomSource } from '../differential/random-source.ts';
import { placeOfA, placeOfB, placeOfC } from './isa-fragments.ts';
import { engines, lanesOf, runWarp, unpacked } from './warp.ts';

/**
 * For each target, the number of products in a chunk (`chunk`), and the number of bits below the greatest exponent that
 * are kept in each term (`kept`).
 */
const chunks = [
  { target: 'sm_80', chunk: 8, kept: 24 },
  { target: 'sm_90', chunk: 16, kept: 25 },
] as const;

const [rows, columns, k] = [16, 8, 16];

/**
 * Returns lists of random significands of f16 numbers, as integers. In each list, the first `count` significands
 * represent values from 1.5 to just below 2, and all others are 0.
 */
function significands(random: RandomSource, lines: number, count: number): readonly (readonly number[])[] {
  return Array.from({ length: lines }, () =>
    Array.from({ length: k }, (_, at) => (at < count ? 0x600 + random.below(0x200) : 0)),
  );
}

/** Returns the f16 code of a number that has the given significand and the same exponent as the number 1. */
const f16Of = (significand: number, negative: boolean): bigint =>
  BigInt(significand === 0 ? 0 : (negative ? 0x8000 : 0) + 0x3800 + significand);

/** Truncates `units` * 2^-`below` to its 24 highest bits, and returns the bits of the result as an f32. */
function cutOff(units: number, below: number, negative: boolean): bigint {
  const last = 2 ** Math.max(0, Math.floor(Math.log2(units)) - 23);
  const value = (Math.floor(units / last) * last) / 2 ** below;
  return BigInt(new Uint32Array(Float32Array.of(negative ? -value : value).buffer)[0] ?? 0);
}

describe.each(engines)('on %s', (engine) => {
  const cases = chunks.flatMap((one) =>
    [1, 2, 4, 8, 16].flatMap((count) => (count > one.chunk ? [] : [{ ...one, count }])),
  );

  test.each(cases)('$target: an accumulator and $count products of 2.25 to 4', async ({ target, count, kept }) => {
    const random = new RandomSource(count);
    const [a, b] = [significands(random, rows, count), significands(random, columns, count)];
    // Accumulators below 1, whose bits are random down to the last bit that is kept in a sum.
    const c = a.map(() => Array.from({ length: columns }, () => random.below(2 ** 24)));
    const isNegative = (row: number): boolean => row % 2 === 1;
    const ofC = (row: number, column: number): number => c[row]?.[column] ?? 0;
    const f32Of = (units: number, row: number): bigint => cutOff(units, kept, isNegative(row));
    const results = await runWarp({
      engine,
      target,
      width: 32,
      mnemonic: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32',
      results: 4,
      a: lanesOf(
        8,
        (lane, i) => {
          const { row, column } = placeOfA(rows, 2)(lane, i);
          return f16Of(a[row]?.[column] ?? 0, isNegative(row));
        },
        16,
        32,
      ),
      b: lanesOf(
        4,
        (lane, i) => {
          const { row, column } = placeOfB(2)(lane, i);
          return f16Of(b[column]?.[row] ?? 0, false);
        },
        16,
        32,
      ),
      c: lanesOf(
        4,
        (lane, i) => {
          const { row, column } = placeOfC(lane, i);
          return f32Of(ofC(row, column), row);
        },
        32,
        32,
      ),
    });
    const wanted = lanesOf(
      4,
      (lane, i) => {
        const { row, column } = placeOfC(lane, i);
        const products = (a[row] ?? []).reduce((sum, factor, at) => sum + factor * (b[column]?.[at] ?? 0), 0);
        // Products have 20 bits after the binary point.
        return f32Of(products * 2 ** (kept - 20) + ofC(row, column), row);
      },
      32,
      32,
    );
    const flat = (lanes: typeof results): readonly bigint[] => lanes.flatMap((of) => unpacked(of, 32, 32));
    expect(flat(results)).toEqual(flat(wanted));
  });
});
