import { expect, test } from 'vitest';
import { columnsOf, wantsColor } from './style.ts';

const terminal = { isTTY: true, columns: 100 };
const pipe = {};

test('a terminal gets colors unless it is dumb', () => {
  expect(wantsColor('auto', terminal, { TERM: 'xterm' })).toBe(true);
  expect(wantsColor('auto', terminal, {})).toBe(true);
  expect(wantsColor('auto', terminal, { TERM: 'dumb' })).toBe(false);
});

test('NO_COLOR applies unless it is empty, FORCE_COLOR unless it is 0', () => {
  expect(wantsColor('auto', terminal, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColor('auto', terminal, { NO_COLOR: '' })).toBe(true);
  expect(wantsColor('auto', pipe, { FORCE_COLOR: '1' })).toBe(true);
  expect(wantsColor('auto', terminal, { FORCE_COLOR: '0' })).toBe(false);
});

test('drawings are 40 to 120 columns wide, and 80 if the width is unknown', () => {
  const widths = [undefined, 10, 100, 300].map((columns) => columnsOf(columns === undefined ? {} : { columns }));
  expect(widths).toEqual([80, 40, 100, 120]);
});
