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

test.each([
  ['all numbers', Array.from({ length: 100 }, (_, i) => i)],
  ['runs that do not start at a word', Array.from({ length: 90 }, (_, i) => i + 7)],
  ['two runs', Array.from({ length: 90 }, (_, i) => (i < 40 ? i : i + 10))],
  ['every other number', Array.from({ length: 50 }, (_, i) => 2 * i)],
])('%s of a set are selected', (_, numbers) => {
  const members = [0, 3, 31, 32, 33, 63, 64, 65, 98, 99];
  const set = new BitSet(100);
  for (const number of members) set.add(number);
  expect(set.select(numbers).numbers()).toEqual(numbers.flatMap((number, i) => (members.includes(number) ? [i] : [])));
});
