import { expect, test } from 'vitest';
import { BitSet } from './bit-set.ts';

test.each([
  ['no numbers', []],
  ['the ends of words', [0, 31, 32, 63, 64, 99]],
  ['every number', Array.from({ length: 100 }, (_, i) => i)],
  ['every third number', Array.from({ length: 34 }, (_, i) => 3 * i)],
] as const)('%s: members are added, counted and removed', (_, numbers) => {
  const set = new BitSet(100);
  expect(numbers.map((number) => set.insert(number))).toEqual(numbers.map(() => true));
  expect(numbers.map((number) => set.insert(number))).toEqual(numbers.map(() => false));
  expect(set.size).toBe(numbers.length);
  expect(set.numbers()).toEqual(numbers);
  expect(numbers.map((number) => set.delete(number))).toEqual(numbers.map(() => true));
  expect(numbers.map((number) => set.delete(number))).toEqual(numbers.map(() => false));
  expect(set.size).toBe(0);
});
