/** Tests that approximate instructions produce the same results as an H200 for all 2^32 operands. */
import { expect, it } from 'vitest';
import { blockCount, computedSums, recordedSums } from './approximation-sums.ts';

const step = 256;

it.each([...recordedSums()])('%s', { timeout: 600_000 }, async (inst, recorded) => {
  for (let first = 0; first < blockCount; first += step)
    expect(await computedSums(inst, first, step, { simd: true })).toEqual(recorded.slice(first, first + step));
});
