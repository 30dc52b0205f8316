import { expect, test } from 'vitest';
import { bar, drawBinades, sparkline } from './histogram-text.ts';

test('a bar is drawn in eighths of a character, and a small nonzero value still gets a sliver', () => {
  expect([0, 0.001, 0.5, 0.8125, 1].map((share) => bar(share, 2, false))).toEqual(['', '▏', '█', '█▋', '██']);
  expect([0, 0.001, 0.5, 1].map((share) => bar(share, 4, true))).toEqual(['', '#', '##', '####']);
});

test('a sparkline ends with the highest binade; its first column includes all lower binades', () => {
  const counts = [
    { exponent: -40, negative: 4, positive: 0 },
    { exponent: -1, negative: 0, positive: 1 },
    { exponent: 1, negative: 4, positive: 4 },
  ];
  expect(sparkline(counts, false)).toBe('▄        ▁ █ 2^1');
  expect(sparkline(counts.slice(1), true)).toBe('         . @ 2^1');
  expect(sparkline([], false)).toBe('');
});

test('binades are listed from the highest down, negative elements on the left', () => {
  const counts = [
    { exponent: 0, negative: 0, positive: 1 },
    { exponent: 1, negative: 2, positive: 1 },
  ];
  const [, first = '', second = ''] = drawBinades(counts, 80, false);
  expect(first).toMatch(/^█{24} +2\^1 {2}█{12} +3 +75\.0%$/);
  expect(second).toMatch(/^ +2\^0 {2}█{12} +1 +25\.0%$/);
});
