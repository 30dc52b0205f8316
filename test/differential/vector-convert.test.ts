/** Conversions of four values at once give every bit that conversions of one give; the exhaustive tests go further. */
import { expect, it } from 'vitest';
import { differenceOnWords } from './vector-convert.ts';
import { narrowConversions } from './vector-conversions.ts';

const conversions = [...narrowConversions()];

it('knows every conversion of at most 32 bits', () => {
  expect(conversions.length).toBe(627);
});

it.each(conversions)('%s', (_, c) => {
  expect(differenceOnWords(c, 1, 2 ** 12)).toBeNull();
});
