import { expect, test } from 'vitest';
import { receiveBytes } from './mbarrier-word.ts';

const negated = (width: number, value: number): bigint => BigInt.asUintN(width, BigInt(-value));

/** An mbarrier object that expects `expected` arrivals in each phase. */
const objectOf = (pending: number, expected: number, bytes: number, phase: number): bigint =>
  (negated(20, expected) << 1n) | (negated(21, bytes) << 21n) | (negated(20, pending) << 43n) | (BigInt(phase) << 63n);

test('bytes reduce the number of bytes that a phase expects', () => {
  expect(receiveBytes(objectOf(0, 3, 100, 1), 60)).toBe(objectOf(0, 3, 40, 1));
  expect(receiveBytes(objectOf(2, 3, 100, 1), 100)).toBe(objectOf(2, 3, 0, 1));
});

test('the last bytes complete the phase if no arrival is pending', () => {
  expect(receiveBytes(objectOf(0, 3, 100, 1), 100)).toBe(objectOf(3, 3, 0, 0));
});

test('bytes may arrive before they are expected', () => {
  expect(receiveBytes(objectOf(1, 1, 0, 0), 16)).toBe(objectOf(1, 1, -16, 0));
});
