import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bits } from '../base/bits.ts';
import { formatValue } from './describe.ts';
import type { FormatName } from './formats.ts';

describe('formatValue', () => {
  const table: readonly (readonly [FormatName, Bits, string])[] = [
    ['e4m3', 0x7e, '448'],
    ['e4m3', 0x7f, 'NaN (0x7f)'],
    ['e5m2', 0xfc, '-inf'],
    ['e2m1', 0x7, '6'],
    ['e3m2', 0x01, '0.0625'],
    ['s2f6', 0x81, '-1.984375'],
    ['ue8m0', 0x7f, '1'],
    ['ue8m0', 0x00, '2^-127'],
    ['ue8m0', 0xff, 'NaN (0xff)'],
    ['f16', 0x8000, '-0'],
    ['f16', 0x7bff, '65504'],
    ['f16', 0x0001, '5.9604644775390625e-8'],
    ['bf16', 0x7fff, 'NaN (0x7fff)'],
    ['tf32', 0x3f802000, '1.0009765625'],
    ['f32', 0x3f800000, '1'],
    ['f32', 0x3dcccccd, '0.1 (0x1.99999ap-4)'],
    ['f32', 0x00000001, '1e-45 (0x1p-149)'],
    ['f32', 0x00800000, '1.1754944e-38 (0x1p-126)'],
    ['f32', 0x7f7fffff, '3.4028235e+38 (0x1.fffffep+127)'],
    ['f64', 0x3fb999999999999an, '0.1 (0x1.999999999999ap-4)'],
    ['f64', 0xc024000000000000n, '-10'],
    ['s8', 0x80, '-128'],
    ['u64', 0xffffffffffffffffn, '18446744073709551615'],
    ['u2', 3, '3'],
  ];

  it.each(table)('%s %x', (format, bits, text) => {
    expect(formatValue(format, bits)).toBe(text);
  });

  it('parses back to the same bits', () => {
    const words = new DataView(new ArrayBuffer(8));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (bits) => {
        const text = formatValue('f64', bits).replace(/ .*/, '');
        if (text === 'NaN') return;
        words.setFloat64(0, text.endsWith('inf') ? Number(text.replace('inf', 'Infinity')) : Number(text));
        expect(words.getBigUint64(0)).toBe(bits);
      }),
      { numRuns: 500 },
    );
  });

  it('has no more digits than the decimal that JavaScript prints', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-5, max: 1e20 }), (value) => {
        const words = new DataView(new ArrayBuffer(8));
        words.setFloat64(0, value);
        const text = formatValue('f64', words.getBigUint64(0));
        if (text.includes('(')) expect(Number(text.split(' ')[0]).toString()).toBe(value.toString());
      }),
    );
  });
});
