import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

test('an entry is made once per key, and made again after it was evicted as the oldest', () => {
  const kept = new BoundedCache<string, number>(2);
  let made = 0;
  const of = (key: string): number => kept.of(key, () => ++made);
  expect([of('a'), of('b'), of('a'), of('b')]).toEqual([1, 2, 1, 2]);
  expect([of('c'), of('b'), of('a')]).toEqual([3, 2, 4]);
});
