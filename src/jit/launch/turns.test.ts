import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/**
 * Takes turns in the given order, and returns a log of the turns in the order in which they start; `end(i)` ends a
 * turn.
 */
function begin(capacity: number, wanted: readonly number[]) {
  const turns = new Turns(capacity);
  const log: number[] = [];
  const ends = wanted.map(async (threads, i) => {
    const end = await turns.take(threads);
    log.push(i);
    return end;
  });
  const end = async (i: number): Promise<void> => {
    (await ends[i])?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { log, end };
}

test('launches run at the same time as long as there are threads for them', async () => {
  const { log, end } = begin(4, [2, 2, 2, 1]);
  await Promise.resolve();
  expect(log).toEqual([0, 1]);
  await end(1);
  expect(log).toEqual([0, 1, 2]);
  await end(0);
  expect(log).toEqual([0, 1, 2, 3]);
});

test('a launch that needs more threads than there are runs alone, and is not overtaken', async () => {
  const { log, end } = begin(4, [1, 8, 1]);
  await Promise.resolve();
  expect(log).toEqual([0]);
  await end(0);
  expect(log).toEqual([0, 1]);
  await end(1);
  expect(log).toEqual([0, 1, 2]);
});
