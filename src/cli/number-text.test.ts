import { expect, test } from 'vitest';
import { bytesText, countText, percentText, valueText } from './number-text.ts';

test.each([
  [0, '0'],
  [-0, '-0'],
  [448, '448'],
  [-0.08399, '-0.08399'],
  [1.5, '1.5'],
  [1 / 3, '0.3333'],
  [123456.7, '1.235e5'],
  [65504, '65504'],
  [2 ** -126, '1.175e-38'],
  [1e6, '1e6'],
  [Number.NaN, 'NaN'],
  [-1 / 0, '-inf'],
])('value %d: %s', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test.each([
  [0, '0 B'],
  [855.1836314432201, '855 B'],
  [999, '999 B'],
  [1_000, '1.00 kB'],
  [999_499, '999 kB'],
  [999_500, '1.00 MB'],
  [4_294_967_296, '4.29 GB'],
])('%s bytes: %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test.each([
  [0, 7, '0%'],
  [7, 7, '100%'],
  [1, 1_000_000, '< 0.01%'],
  [999_999, 1_000_000, '99.9%'],
  [1, 3, '33.3%'],
  [1, 30, '3.33%'],
  [0, 0, '0%'],
])('%d of %d: %s', (part, whole, text) => {
  expect(percentText(part, whole)).toBe(text);
});

test('counts are grouped', () => {
  expect([0, 999, 1_000, 1_048_576, 2 ** 53].map(countText)).toEqual([
    '0',
    '999',
    '1,000',
    '1,048,576',
    '9,007,199,254,740,992',
  ]);
});
