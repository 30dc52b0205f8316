/** The same text under the same key is compiled once, as long as there are not too many others. */
import { expect, test } from 'vitest';
import { type Compiled, compiledOnce } from './cache.ts';

function counter(): { readonly make: () => Compiled; readonly made: () => number } {
  let count = 0;
  return { make: () => ({ number: count++ }) as unknown as Compiled, made: () => count };
}

test('the same text and key are made once, others anew', () => {
  const { make, made } = counter();
  const first = compiledOnce('text', 'key', make);
  expect(compiledOnce('text', 'key', make)).toBe(first);
  expect(made()).toBe(1);
  expect(compiledOnce('text', 'other key', make)).not.toBe(first);
  expect(compiledOnce('other text', 'key', make)).not.toBe(first);
  expect(made()).toBe(3);
});

test('texts that were not used for long are forgotten', () => {
  const { make } = counter();
  const kept = compiledOnce('kept', '', make);
  const dropped = compiledOnce('dropped', '', make);
  for (let i = 0; i < 100; i++) {
    compiledOnce(`one more ${i}`, '', make);
    expect(compiledOnce('kept', '', make)).toBe(kept);
  }
  expect(compiledOnce('dropped', '', make)).not.toBe(dropped);
});

test('long texts count by their length', () => {
  const { make } = counter();
  const first = compiledOnce('a'.repeat(2 ** 24), '', make);
  compiledOnce('b'.repeat(2 ** 24), '', make);
  expect(compiledOnce('a'.repeat(2 ** 24), '', make)).toBe(first);
  compiledOnce('c'.repeat(2 ** 24), '', make);
  compiledOnce('d'.repeat(2 ** 24), '', make);
  expect(compiledOnce('a'.repeat(2 ** 24), '', make)).not.toBe(first);
});
