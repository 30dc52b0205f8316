import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

test('an entry is made once per key, and made again after it was evicted as the oldest', () => {
  const kept = new BoundedCache<string, number>(2);
  let made = 0;
  const of = (key: string): number => kept.of(key, () => ++made);
  expect([of('a'), of('b'), of('a'), of('b')]).toEqual([1, 2, 1, 2]);
  expect([of('c'), of('b'), of('a')]).toEqual([3, 2, 4]);
});

test('a full cache drops one entry after another, and stores its own keys', () => {
  const stored: string[] = [];
  const cache = new BoundedCache<string, number>(3, (key) => {
    stored.push(key);
    return key;
  });
  for (let i = 0; i < 50; i++) expect(cache.of(`${i}`, () => i)).toBe(i);
  expect([47, 48, 49].map((i) => cache.of(`${i}`, () => -1))).toEqual([47, 48, 49]);
  expect(cache.of('46', () => -1)).toBe(-1);
  expect(stored).toHaveLength(51);
});
