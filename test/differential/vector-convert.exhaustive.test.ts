/**
 * Compares conversions of four values at once with conversions of single values. For narrow source formats, all inputs
 * are converted, each with many random bits and scales. For wide source formats, 20 million random words and words near
 * the ends of ranges are converted. The operands of all golden rows are converted as well.
 */
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/numerics/formats.ts';
import { differenceOn, differenceOnAll, differenceOnWords, goldenWords } from './vector-convert.ts';
import { narrowConversions } from './vector-conversions.ts';

const conversions = [...narrowConversions()];
const wide = conversions.filter(([, { from }]) => formats[from].width > 16);
const narrow = conversions.filter(([, { from }]) => formats[from].width <= 16);

describe('all inputs', () => {
  it.each(narrow)('%s', (_, c) => {
    expect(differenceOnAll(c, c.rounding === 'rs' || c.scaled !== null ? 64 : 1)).toBeNull();
  });
});

describe('20 million words', () => {
  it.each(wide)('%s', (_, c) => {
    expect(differenceOnWords(c, 320)).toBeNull();
  });
});

it('operands of all golden rows', () => {
  const golden = goldenWords();
  expect(golden.size).toBeGreaterThan(300);
  const differences = conversions.flatMap(([name, c]) => {
    const words = golden.get(name);
    const difference = words === undefined ? null : differenceOn(c, words);
    return difference === null ? [] : [`${name}: ${difference}`];
  });
  expect(differences).toEqual([]);
});
