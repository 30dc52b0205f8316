import { expect, test } from 'vitest';
import { CompensatedSum } from './compensated-sum.ts';

function sumOf(...values: readonly number[]): CompensatedSum {
  const sum = new CompensatedSum();
  for (const value of values) sum.add(value);
  return sum;
}

test('what each addition rounds away is kept', () => {
  expect(1 + 2 ** 60 + 1 - 2 ** 60).toBe(0);
  expect(sumOf(1, 2 ** 60, 1, -(2 ** 60)).value).toBe(2);
});

test('also by what is added to it as a sum', () => {
  const sum = sumOf(1, 2 ** 60);
  sum.merge(sumOf(2 ** 60, 1));
  sum.add(-(2 ** 61));
  expect(sum.value).toBe(2);
});

test('beyond the range of f64 it is infinite', () => {
  expect(sumOf(Number.MAX_VALUE, Number.MAX_VALUE).value).toBe(Number.POSITIVE_INFINITY);
});
