/**
 * Tests instructions that count, reverse and find bits, by comparing their results with the binary digits of the
 * operands.
 */
import { describe, expect, test } from 'vitest';
import type { Bits } from '../base/bits.ts';
import { bitOperation } from './integers.ts';

const widths = [32, 64] as const;

/** Patterns of a given width: single bits, runs of ones, and others. */
function samples(width: number): readonly Bits[] {
  const found: bigint[] = [0n, (1n << BigInt(width)) - 1n];
  for (let i = 0n; i < BigInt(width); i++) {
    found.push(1n << i, (1n << i) - 1n, BigInt.asUintN(width, 0x9e3779b97f4a7c15n * (i + 1n)));
  }
  return found.map((value) => (width > 32 ? value : Number(value)));
}

const digitsOf = (value: Bits, width: number): string => value.toString(2).padStart(width, '0');

describe.each(widths)('%i bits', (width) => {
  test('popc counts ones', () => {
    const count = bitOperation('popc', width);
    for (const value of samples(width))
      expect(count(value, 0, 0)).toBe(digitsOf(value, width).replaceAll('0', '').length);
  });

  test('clz counts leading zeros', () => {
    const count = bitOperation('clz', width);
    for (const value of samples(width)) {
      const digits = digitsOf(value, width);
      expect(count(value, 0, 0)).toBe(digits.includes('1') ? digits.indexOf('1') : width);
    }
  });

  test('brev reverses the digits', () => {
    const reverse = bitOperation('brev', width);
    for (const value of samples(width)) {
      const turned = BigInt(`0b${digitsOf(value, width).split('').toReversed().join('')}`);
      expect(reverse(value, 0, 0)).toBe(width > 32 ? turned : Number(turned));
    }
  });
});

describe('fns', () => {
  const find = bitOperation('fns', 32);
  const mask = 0b1010_0110;

  test.each([
    [0, 1, 1],
    [0, 4, 7],
    [2, 1, 2],
    [3, 1, 5],
    [0, 5, 0xffffffff],
    [7, -1, 7],
    [6, -2, 2],
    [0, -1, 0xffffffff],
    [5, 0, 5],
    [4, 0, 0xffffffff],
    [40, 1, 0xffffffff],
    [40, 0, 0xffffffff],
  ])('counted from bit %i, set bit number %i is bit %i', (base, n, place) => {
    expect(find(mask, base, n >>> 0)).toBe(place);
  });
});
