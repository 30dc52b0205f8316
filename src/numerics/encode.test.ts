import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternsOf } from './encode.ts';
import { decode, type Exact, fromInteger, fromRatio, power } from './exact.ts';
import { formatValue } from './describe.ts';
import { formats, formatNames } from './formats.ts';

const narrow = formatNames.filter((name) => formats[name].width <= 16);

/** The double that equals a finite value. */
function doubleOf(value: Exact): number {
  if (value.kind === 'zero') return value.sign === 1 ? -0 : 0;
  if (value.kind !== 'finite') return Number.NaN;
  return (value.sign === 1 ? -1 : 1) * value.significand * power(value.exponent);
}

describe('encoding is the inverse of decoding', () => {
  it.each(narrow)('every %s', (name) => {
    const { encode, zero } = patternsOf(name);
    const wrong: number[] = [];
    for (let bits = 0; bits < 2 ** formats[name].width; bits++) {
      const value = decode(name, bits);
      if (value.kind === 'finite' && encode(value.sign, value.significand, value.exponent) !== bits) wrong.push(bits);
      if (value.kind === 'zero' && zero[value.sign] !== bits) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });

  const words = new DataView(new ArrayBuffer(8));

  it('f32 and f64 bits have the same meaning as in JavaScript', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        words.setFloat64(0, value);
        expect(doubleOf(decode('f64', words.getBigUint64(0)))).toBe(value);
        words.setFloat32(0, value);
        const single = words.getFloat32(0);
        if (Number.isFinite(single)) expect(doubleOf(decode('f32', words.getUint32(0)))).toBe(single);
      }),
    );
  });

  it.each(['f32', 'f64', 's32', 'u64', 's64'] as const)('%s', (name) => {
    const { encode } = patternsOf(name);
    const { width } = formats[name];
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n }), (pattern) => {
        const bits = width > 32 ? pattern : Number(pattern);
        const value = decode(name, bits);
        if (value.kind !== 'finite' || value.tail !== 0) return;
        expect(encode(value.sign, value.significand, value.exponent)).toBe(bits);
      }),
    );
  });
});

describe('the limits and the special values of each format', () => {
  it.each([
    ['f16', '65504', 'inf', 'NaN (0x7fff)'],
    ['bf16', '3.39e+38 (0x1.fep+127)', 'inf', 'NaN (0x7fff)'],
    ['tf32', '3.401e+38 (0x1.ffcp+127)', 'inf', 'NaN (0x7fffffff)'],
    ['f32', '3.4028235e+38 (0x1.fffffep+127)', 'inf', 'NaN (0x7fffffff)'],
    ['f64', '1.7976931348623157e+308 (0x1.fffffffffffffp+1023)', 'inf', 'NaN (0xfff8000000000000)'],
    ['e4m3', '448', null, 'NaN (0x7f)'],
    ['e5m2', '57344', 'inf', 'NaN (0x7f)'],
    ['e2m3', '7.5', null, null],
    ['e3m2', '28', null, null],
    ['e2m1', '6', null, null],
    ['ue8m0', '2^127', null, 'NaN (0xff)'],
    ['s2f6', '1.984375', null, null],
    ['s8', '127', null, null],
    ['u4', '15', null, null],
    ['s64', '9223372036854775807', null, null],
  ] as const)('the largest value of %s is %s', (name, largest, infinity, nan) => {
    const patterns = patternsOf(name);
    expect(formatValue(name, patterns.largest[0])).toBe(largest);
    expect(patterns.infinity === null ? null : formatValue(name, patterns.infinity[0])).toBe(infinity);
    expect(patterns.canonicalNan === null ? null : formatValue(name, patterns.canonicalNan)).toBe(nan);
  });

  it.each([
    ['s2f6', '-1.984375'],
    ['s8', '-128'],
    ['u8', '0'],
    ['e4m3', '-448'],
    ['s64', '-9223372036854775808'],
  ] as const)('the smallest value of %s is %s', (name, lowest) => {
    expect(formatValue(name, patternsOf(name).largest[1])).toBe(lowest);
  });
});

describe('values too wide for a JavaScript number', () => {
  it('keep 53 bits and classify the rest as a tail', () => {
    const base = 1n << 60n;
    expect(fromInteger(0, base, 0)).toMatchObject({ significand: 2 ** 52, exponent: 8, tail: 0 });
    expect(fromInteger(0, base + 1n, 0).tail).toBe(1);
    expect(fromInteger(0, base + 128n, 0).tail).toBe(2);
    expect(fromInteger(0, base + 128n, 0, true).tail).toBe(3);
    expect(fromInteger(0, base + 255n, 0).tail).toBe(3);
    expect(fromInteger(0, 3n, 0, true)).toMatchObject({ tail: 1 });
  });

  it('may be quotients', () => {
    expect(fromRatio(0, 1n, 4n)).toMatchObject({ tail: 0 });
    const third = fromRatio(1, 1n, 3n);
    expect(third).toMatchObject({ sign: 1, significand: 6004799503160661, exponent: -54, tail: 1 });
  });
});
