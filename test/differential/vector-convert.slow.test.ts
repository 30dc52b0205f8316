/**
 * Tests that conversions of four values at once produce the same bits as conversions of single values; the exhaustive
 * tests cover more inputs.
 */
import { expect, it } from 'vitest';
import { differenceOnWords } from './vector-convert.ts';
import { narrowConversions } from './vector-conversions.ts';

const conversions = [...narrowConversions()];

it('covers every conversion of at most 32 bits', () => {
  expect(conversions.length).toBe(1018);
});

it.each(conversions)('%s', (_, c) => {
  expect(differenceOnWords(c, 1, 2 ** 10)).toBeNull();
});
