import { expect, test } from 'vitest';
import { canRedraw, leftText } from './progress.ts';

test.each([
  [true, 'xterm-256color', true],
  [true, undefined, true],
  [true, 'dumb', false],
  [false, 'xterm', false],
  [undefined, 'xterm', false],
])('terminal: %s, TERM: %s, progress bar: %s', (isTTY, term, shown) => {
  expect(canRedraw(isTTY === undefined ? {} : { isTTY }, term === undefined ? {} : { TERM: term })).toBe(shown);
});

test.each([
  ['nothing is done', 0, 5000, ''],
  ['it has just begun', 1, 10, ''],
  ['a quarter of the work took 30 s', 25, 30_000, ', 1m30s left'],
  ['nearly all of the work is done', 99, 10_000, ', 1s left'],
  ['all is done', 100, 10_000, ''],
])('the time left is estimated or omitted when %s', (_, done, passed, text) => {
  expect(leftText(done, 100, passed)).toBe(text);
});
