import { expect, test } from 'vitest';
import { CompensatedSum } from './compensated-sum.ts';

function sumOf(...values: readonly number[]): CompensatedSum {
  const sum = new CompensatedSum();
  for (const value of values) sum.add(value);
  return sum;
}

test('the rounding error of each addition is kept', () => {
  expect(1 + 2 ** 60 + 1 - 2 ** 60).toBe(0);
  expect(sumOf(1, 2 ** 60, 1, -(2 ** 60)).value).toBe(2);
});

test('adding another sum keeps the rounding errors of that sum, too', () => {
  const sum = sumOf(1, 2 ** 60);
  sum.merge(sumOf(2 ** 60, 1));
  sum.add(-(2 ** 61));
  expect(sum.value).toBe(2);
});

test('a sum beyond the range of f64 is infinite', () => {
  expect(sumOf(Number.MAX_VALUE, Number.MAX_VALUE).value).toBe(Number.POSITIVE_INFINITY);
});
