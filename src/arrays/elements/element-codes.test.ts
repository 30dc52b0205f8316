import { describe, expect, test } from 'vitest';
import { linearCongruential } from '../../../test/linear-congruential.ts';
import { conversion } from '../../numerics/convert.ts';
import { codeOf, codeTable, elementConversion, valuesOf } from './element-codes.ts';

const elements = ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1', 's8', 's4', 's2'] as const;

/**
 * Whether the exponent field of an f32 is in the range where the result also depends on the significand. All other
 * inputs become zero, the largest value, an infinity or a NaN.
 */
const isInRange = (exponent: number): boolean => Math.abs((exponent & 0xff) - 127) <= 20;

/**
 * Bit patterns of f32 values with every combination of sign and exponent. The significands include every possible tie
 * when rounding to eight fraction bits, its two neighbors, and random values. Fewer significands are tested if the
 * exponent alone determines the result.
 */
function* singles(): Generator<number> {
  const word = linearCongruential(1);
  for (let exponent = 0; exponent < 512; exponent++) {
    for (let top = 0; top < 512; top += isInRange(exponent) ? 1 : 73) {
      const tie = exponent * 2 ** 23 + top * 2 ** 14;
      yield tie;
      yield tie + 1;
      yield (tie - 1) >>> 0;
    }
    for (let i = 0; i < (isInRange(exponent) ? 64 : 8); i++) {
      yield exponent * 2 ** 23 + (word() >>> 9);
    }
  }
}

describe.each(elements)('the table of %s', (element) => {
  test('matches the reference conversion', () => {
    const table = codeTable(element);
    const convert = conversion(elementConversion(element));
    const wrong: string[] = [];
    for (const bits of singles()) {
      if (codeOf(table, bits) !== convert(bits, 0, 0x7f)) wrong.push(bits.toString(16));
    }
    expect(wrong.slice(0, 10)).toEqual([]);
  });

  test('values convert to their own codes', () => {
    const words = new Uint32Array(valuesOf(element).buffer);
    const table = codeTable(element);
    const again = [...words].map((bits) => codeOf(table, bits));
    const isNan = (code: number): boolean => Number.isNaN(valuesOf(element).at(code));
    const isInfinite = (code: number): boolean =>
      Math.abs(valuesOf(element).at(code) ?? 0) === Number.POSITIVE_INFINITY;
    again.forEach((code, i) => {
      if (!isNan(i) && !isInfinite(i)) expect(code).toBe(i);
    });
  });
});
