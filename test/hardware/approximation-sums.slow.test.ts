/**
 * Tests that approximate instructions produce the same results as an H200 (test/golden/hardware). Only the most
 * interesting ranges of operands are tested: from 0, from the smallest normal number, around 1, from 2^126, around
 * infinity, and from -1 downward.
 */
import { describe, expect, it } from 'vitest';
import { computedSums, recordedSums } from './approximation-sums.ts';

/** Ranges of blocks: the first block and the number of blocks. */
const ranges = [
  [0, 1],
  [8, 1],
  [1015, 2],
  [2024, 2],
  [2039, 2],
  [3064, 1],
] as const;

describe.each([true, false])('with simd: %s', (simd) => {
  it.each([...recordedSums()])('%s', async (inst, recorded) => {
    for (const [first, count] of ranges)
      expect(await computedSums(inst, first, count, { simd })).toEqual(recorded.slice(first, first + count));
  });
});
