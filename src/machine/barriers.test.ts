import { expect, test } from 'vitest';
import { Barriers } from './barriers.ts';

test('a barrier opens for the last of all threads, and can be used again', () => {
  const barriers = new Barriers(3);
  for (let round = 0; round < 2; round++) {
    expect(barriers.arrive(0, 0, null)).toEqual([]);
    expect(barriers.arrive(2, 0, null)).toEqual([]);
    expect(barriers.arrive(1, 0, null)).toEqual([0, 2, 1]);
  }
});

test('an exit may be what the others wait for', () => {
  const barriers = new Barriers(3);
  barriers.arrive(0, 0, null);
  expect(barriers.exit()).toEqual([]);
  expect(barriers.exit()).toEqual([0]);
});

test('a count opens a barrier for that many, whoever else there is', () => {
  const barriers = new Barriers(128);
  for (let thread = 0; thread < 31; thread++) expect(barriers.arrive(thread, 3, 32)).toEqual([]);
  expect(barriers.arrive(40, 3, 32)).toHaveLength(32);
});

test('barriers do not see each other', () => {
  const barriers = new Barriers(2);
  expect(barriers.arrive(0, 0, null)).toEqual([]);
  expect(barriers.arrive(1, 1, null)).toEqual([]);
  expect(barriers.describe()).toBe('1 of 2 at barrier 0, 1 of 2 at barrier 1');
});

test.each([
  [16, null, 'there are barriers 0 to 15'],
  [0, 0, 'a multiple of 32'],
  [0, 40, 'a multiple of 32'],
])('barrier %i for %s threads is refused', (number, count, message) => {
  expect(() => new Barriers(64).arrive(0, number, count)).toThrow(message);
});

test('threads at one barrier agree about its count', () => {
  const barriers = new Barriers(64);
  barriers.arrive(0, 0, 32);
  expect(() => barriers.arrive(1, 0, 64)).toThrow('different thread counts: 32 and 64');
});
