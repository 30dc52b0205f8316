import { expect, test } from 'vitest';
import { exponentOf } from './exponent-histogram.ts';

test.each([
  [1, 0],
  [-1.99, 0],
  [2, 1],
  [2 ** -1022, -1022],
  [2 ** -1022 - 2 ** -1074, -1023],
  [2 ** -1042, -1042],
  [2 ** -1043, -1043],
  [2 ** -1074, -1074],
  [Number.MAX_VALUE, 1023],
])('%d is at least two to the power of %d and less than twice that', (value, exponent) => {
  expect(exponentOf(value)).toBe(exponent);
});
