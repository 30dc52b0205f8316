import { expect, test } from 'vitest';
import { canRedraw } from './progress.ts';

test.each([
  [true, 'xterm-256color', true],
  [true, undefined, true],
  [true, 'dumb', false],
  [false, 'xterm', false],
  [undefined, 'xterm', false],
])('a terminal: %s, TERM: %s, a bar: %s', (isTTY, term, shown) => {
  expect(canRedraw(isTTY === undefined ? {} : { isTTY }, term === undefined ? {} : { TERM: term })).toBe(shown);
});
