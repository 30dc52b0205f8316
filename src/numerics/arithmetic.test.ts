/**
 * Checks arithmetic against its definition. The exact result is calculated with integers, and is compared with the
 * computed result and with the neighbors of the computed result.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Comparison, isNegative, isRounded, unitExponent, unitsOf } from '../../test/oracle/oracle.ts';
import type { Bits } from '../base/bits.ts';
import { floatOperation } from './arithmetic.ts';
import { decode } from './exact.ts';
import { formats } from './formats.ts';
import type { FloatArithmeticFormat, FloatFunction, FloatMode } from './operations.ts';

const plain: FloatMode = { rounding: 'rn', flush: false, sat: false, approximate: false, nan: false, xorSign: false };
const roundings = ['rn', 'rz', 'rm', 'rp'] as const;
const names = ['f16', 'bf16', 'f32', 'f64'] as const;
const unit = BigInt(unitExponent);

function bitsOf(format: FloatArithmeticFormat, pattern: bigint): Bits {
  return format === 'f64' ? pattern : Number(pattern);
}

/**
 * Encodings of finite values. Many of them have exponents in a few narrow ranges, so that some sums cancel and some
 * products underflow.
 */
function finiteOf(format: FloatArithmeticFormat): fc.Arbitrary<Bits> {
  const { width } = formats[format];
  const fraction = format === 'f16' ? 10 : format === 'bf16' ? 7 : format === 'f32' ? 23 : 52;
  const fields = 2 ** (width - 1 - fraction) - 1;
  const anything = fc.bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n });
  const shaped = fc
    .tuple(
      fc.nat(1),
      fc.oneof(
        fc.nat(3),
        fc.integer({ min: fields >> 1, max: (fields >> 1) + 3 }),
        fc.integer({ min: fields - 3, max: fields - 1 }),
        fc.nat(fields - 1),
      ),
      fc.oneof(
        fc.constantFrom(0n, 1n, 2n ** BigInt(fraction) - 1n),
        fc.bigInt({ min: 0n, max: 2n ** BigInt(fraction) - 1n }),
      ),
    )
    .map(([sign, field, low]) => (BigInt(sign) << BigInt(width - 1)) | (BigInt(field) << BigInt(fraction)) | low);
  return fc
    .oneof(anything, shaped)
    .map((pattern) => bitsOf(format, pattern))
    .filter((bits) => unitsOf(format, bits) !== null);
}

/**
 * The properties of an exact result: its sign, whether it is zero, and a function that compares its magnitude with
 * other numbers.
 */
interface Result {
  readonly negative: boolean;
  readonly isZero: boolean;
  readonly compare: Comparison;
}

function ratio(numerator: bigint, denominator: bigint): Result {
  const [n, d] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  return { negative: numerator < 0n !== denominator < 0n, isZero: n === 0n, compare: (point) => order(n - point * d) };
}

function order(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

type Exactly = (a: bigint, b: bigint, c: bigint) => Result;

const exactly: Partial<Record<FloatFunction, Exactly>> = {
  add: (a, b) => ratio(a + b, 1n),
  sub: (a, b) => ratio(a - b, 1n),
  mul: (a, b) => ratio(a * b, 1n << unit),
  fma: (a, b, c) => ratio(a * b + (c << unit), 1n << unit),
  div: (a, b) => ratio(a << unit, b),
  rcp: (a) => ratio(1n << (unit * 2n), a),
  sqrt: (a) => ({ negative: false, isZero: a === 0n, compare: (point) => order((a << unit) - point * point) }),
  rsqrt: (a) => ({
    negative: false,
    isZero: false,
    compare: (point) => order((1n << (unit * 3n)) - point * point * a),
  }),
};

/** Operands whose result is neither an exact zero nor a special value. */
function isPlain(fn: FloatFunction, [a, b]: readonly bigint[], result: Result): boolean {
  if (result.isZero) return false;
  if (fn === 'sqrt' || fn === 'rsqrt') return (a ?? 0n) > 0n;
  return fn === 'div' ? b !== 0n : fn !== 'rcp' || a !== 0n;
}

const functions = Object.keys(exactly) as FloatFunction[];
const cases = functions.flatMap((fn) =>
  names.flatMap((format) => roundings.map((mode) => [fn, format, mode] as const)),
);

describe('gives the exact result, rounded once', () => {
  it.each(cases)('%s.%s, %s', (fn, format, rounding) => {
    const operation = floatOperation(fn, format, { ...plain, rounding });
    const operand = finiteOf(format);
    fc.assert(
      fc.property(operand, operand, operand, (a, b, c) => {
        const units = [a, b, c].map((bits) => unitsOf(format, bits) as bigint) as [bigint, bigint, bigint];
        if ((fn === 'div' && units[1] === 0n) || (fn === 'rcp' && units[0] === 0n)) return;
        const result = (exactly[fn] as Exactly)(...units);
        if (!isPlain(fn, units, result)) return;
        const bits = operation(a, b, c);
        expect(isNegative(format, bits)).toBe(result.negative);
        expect(isRounded(format, bits, rounding, result.compare)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('fma rounds ties that exist only on the subnormal grid', () => {
    const [a, b, c] = ['0x1.00006ap-75', '0x1.ffff2cp-76', '0x1.34aec8p-128'].map(parseHexFloat);
    expect(floatOperation('fma', 'f32', plain)(a as Bits, b as Bits, c as Bits)).toBe(0x002695d9);
  });

  it.each(['add', 'sub', 'mul', 'div', 'sqrt'] as const)("%s.f64 equals the host's", (fn) => {
    const host = {
      add: (a: number, b: number) => a + b,
      sub: (a: number, b: number) => a - b,
      mul: (a: number, b: number) => a * b,
      div: (a: number, b: number) => a / b,
      sqrt: Math.sqrt,
    };
    const operation = floatOperation(fn, 'f64', plain);
    fc.assert(
      fc.property(fc.double(), fc.double(), (a, b) => {
        const wanted = host[fn](a, b);
        if (Number.isNaN(wanted)) expect(decode('f64', operation(bits64(a), bits64(b), 0n)).kind).toBe('nan');
        else expect(operation(bits64(a), bits64(b), 0n)).toBe(bits64(wanted));
      }),
      { numRuns: 2000 },
    );
  });
});

const words = new DataView(new ArrayBuffer(8));

function bits64(value: number): bigint {
  words.setFloat64(0, value);
  return words.getBigUint64(0);
}

function bits32(value: number): number {
  words.setFloat32(0, value);
  return words.getUint32(0);
}

/** The bits of a hex float that f32 represents exactly. */
function parseHexFloat(text: string): number {
  const [, whole = '', fraction = '', exponent = ''] = /^0x([01])\.([0-9a-f]*)p(-?\d+)$/.exec(text) ?? [];
  return bits32(Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - fraction.length * 4));
}

const inf = 0x7f800000;
const negInf = 0xff800000;
const one = 0x3f800000;
const negOne = 0xbf800000;
const negZero = 0x80000000;
const nan = 0x7fffffff;
const payload = 0xff812345;
const least = 0x00000001;

describe('special operands of f32', () => {
  const table: readonly (readonly [FloatFunction, FloatMode['rounding'], readonly number[], number])[] = [
    ['add', 'rn', [inf, negInf], nan],
    ['add', 'rn', [inf, one], inf],
    ['add', 'rn', [one, negOne], 0],
    ['add', 'rm', [one, negOne], negZero],
    ['add', 'rn', [negZero, negZero], negZero],
    ['add', 'rn', [0, negZero], 0],
    ['add', 'rm', [0, negZero], negZero],
    ['sub', 'rn', [negZero, 0], negZero],
    ['sub', 'rn', [inf, inf], nan],
    ['add', 'rn', [payload, one], nan],
    ['mul', 'rn', [inf, 0], nan],
    ['mul', 'rn', [inf, negOne], negInf],
    ['mul', 'rn', [negZero, one], negZero],
    ['fma', 'rn', [inf, 0, one], nan],
    ['fma', 'rn', [inf, one, negInf], nan],
    ['fma', 'rn', [one, one, negInf], negInf],
    ['fma', 'rn', [one, negOne, one], 0],
    ['fma', 'rm', [one, negOne, one], negZero],
    ['fma', 'rn', [0, negOne, negZero], negZero],
    ['fma', 'rn', [0, negOne, 0], 0],
    ['fma', 'rn', [one, one, negZero], one],
    ['div', 'rn', [0, 0], nan],
    ['div', 'rn', [inf, inf], nan],
    ['div', 'rn', [negOne, 0], negInf],
    ['div', 'rn', [one, negInf], negZero],
    ['rcp', 'rn', [negZero], negInf],
    ['rcp', 'rn', [negInf], negZero],
    ['sqrt', 'rn', [negZero], negZero],
    ['sqrt', 'rn', [negOne], nan],
    ['sqrt', 'rn', [inf], inf],
    ['rsqrt', 'rn', [negZero], negInf],
    ['rsqrt', 'rn', [inf], 0],
    ['rsqrt', 'rn', [negOne], nan],
    ['min', 'rn', [0, negZero], negZero],
    ['max', 'rn', [negZero, 0], 0],
    ['min', 'rn', [payload, one], one],
    ['max', 'rn', [one, payload], one],
    ['min', 'rn', [payload, nan], nan],
    ['max', 'rn', [negInf, negOne], negOne],
    ['neg', 'rn', [0], negZero],
    ['abs', 'rn', [negInf], inf],
    ['neg', 'rn', [payload], nan],
    ['abs', 'rn', [payload], nan],
  ];

  it.each(table)('%s.%s %x', (fn, rounding, [a = 0, b = 0, c = 0], wanted) => {
    expect(floatOperation(fn, 'f32', { ...plain, rounding })(a, b, c)).toBe(wanted);
  });
});

describe('overflow follows the rounding direction', () => {
  it.each([
    ['rn', inf, negInf],
    ['rz', 0x7f7fffff, 0xff7fffff],
    ['rm', 0x7f7fffff, negInf],
    ['rp', inf, 0xff7fffff],
  ] as const)('mul.%s', (rounding, positive, negative) => {
    const multiply = floatOperation('mul', 'f32', { ...plain, rounding });
    expect(multiply(0x7f7fffff, 0x40000000, 0)).toBe(positive);
    expect(multiply(0xff7fffff, 0x40000000, 0)).toBe(negative);
  });
});

describe('.ftz', () => {
  const flush = { ...plain, flush: true };

  it('reads subnormal operands as zeros with the same sign', () => {
    expect(floatOperation('add', 'f32', flush)(0x80000001, 0x80000001, 0)).toBe(negZero);
    expect(floatOperation('rcp', 'f32', flush)(0x807fffff, 0, 0)).toBe(negInf);
    expect(floatOperation('neg', 'f32', flush)(least, 0, 0)).toBe(negZero);
    expect(floatOperation('max', 'f32', flush)(least, negOne, 0)).toBe(0);
  });

  it('flushes subnormal results to zeros with the same sign', () => {
    expect(floatOperation('sub', 'f32', flush)(0x00800000, 0x00800001, 0)).toBe(negZero);
    expect(floatOperation('mul', 'f16', flush)(0x0400, 0xb800, 0)).toBe(0x8000);
  });

  it('flushes a result that would reach the smallest normal number only on the subnormal grid', () => {
    expect(floatOperation('mul', 'f32', plain)(0x00ffffff, 0x3f000000, 0)).toBe(0x00800000);
    expect(floatOperation('mul', 'f32', flush)(0x00ffffff, 0x3f000000, 0)).toBe(0);
  });

  it('keeps a result that reaches the smallest normal number on every grid', () => {
    const [a, b] = [bits32(2 ** -75), bits32(-(2 ** -77))];
    expect(floatOperation('fma', 'f32', flush)(a, b, 0x00800000)).toBe(0x00800000);
  });
});

describe('.sat clamps to [0, 1]', () => {
  const add = floatOperation('add', 'f32', { ...plain, sat: true });

  it.each([
    ['a sum above 1', one, one, one],
    ['a negative sum', negOne, 0, 0],
    ['-0', negZero, negZero, 0],
    ['NaN', payload, one, 0],
    ['infinity', inf, one, one],
    ['a sum between', 0x3e800000, 0x3e800000, 0x3f000000],
  ])('%s', (_, a, b, wanted) => {
    expect(add(a, b, 0)).toBe(wanted);
  });
});

describe('f64 NaNs keep their payload', () => {
  const add = floatOperation('add', 'f64', plain);
  const signaling = 0x7ff4000000001234n;

  it('the result is the last NaN operand, made quiet; a factor b precedes an addend', () => {
    expect(add(signaling, 0xfff8000000000001n, 0n)).toBe(0xfff8000000000001n);
    expect(add(0xfff8000000000001n, signaling, 0n)).toBe(0x7ffc000000001234n);
    expect(add(0x3ff0000000000000n, signaling, 0n)).toBe(0x7ffc000000001234n);
    const fma = floatOperation('fma', 'f64', plain);
    expect(fma(0x7ff0000000000000n, 0n, signaling)).toBe(0x7ffc000000001234n);
    expect(fma(0xfff8000000000001n, 0n, signaling)).toBe(0x7ffc000000001234n);
    expect(fma(0xfff8000000000001n, 0xfff8000000000002n, signaling)).toBe(0xfff8000000000002n);
    expect(fma(0xfff8000000000001n, signaling, 0n)).toBe(0x7ffc000000001234n);
  });

  it('div returns the first NaN operand, because it is not a single instruction', () => {
    const div = floatOperation('div', 'f64', plain);
    expect(div(signaling, 0xfff8000000000001n, 0n)).toBe(0x7ffc000000001234n);
  });

  it("without a NaN operand the result is CUDA's NaN", () => {
    expect(add(0x7ff0000000000000n, 0xfff0000000000000n, 0n)).toBe(0xfff8000000000000n);
  });

  it('neg and abs make it quiet and keep its sign', () => {
    expect(floatOperation('neg', 'f64', plain)(signaling, 0n, 0n)).toBe(0x7ffc000000001234n);
    expect(floatOperation('abs', 'f64', plain)(0xfff4000000001234n, 0n, 0n)).toBe(0xfffc000000001234n);
  });
});

describe('the modifiers of min and max', () => {
  it('.NaN lets any NaN win', () => {
    expect(floatOperation('min', 'f32', { ...plain, nan: true })(payload, one, 0)).toBe(nan);
    expect(floatOperation('max', 'bf16', { ...plain, nan: true })(0x3f80, 0x7f81, 0)).toBe(0x7fff);
  });

  it('.xorsign.abs compares magnitudes and multiplies signs', () => {
    const max = floatOperation('max', 'f32', { ...plain, xorSign: true });
    expect(max(0xc0000000, one, 0)).toBe(0xc0000000);
    expect(max(0xc0000000, negOne, 0)).toBe(0x40000000);
    expect(max(payload, one, 0)).toBe(negOne);
    expect(floatOperation('min', 'f32', { ...plain, xorSign: true })(0xc0000000, one, 0)).toBe(negOne);
  });

  it.each(names)('%s: follows the order of the values', (format) => {
    const min = floatOperation('min', format, plain);
    const max = floatOperation('max', format, plain);
    fc.assert(
      fc.property(finiteOf(format), finiteOf(format), (a, b) => {
        const isLess = (unitsOf(format, a) as bigint) < (unitsOf(format, b) as bigint);
        const isMore = (unitsOf(format, a) as bigint) > (unitsOf(format, b) as bigint);
        if (!isLess && !isMore) return;
        expect(min(a, b, 0)).toBe(isLess ? a : b);
        expect(max(a, b, 0)).toBe(isLess ? b : a);
      }),
    );
  });
});

describe('approximate division', () => {
  const divide = floatOperation('div', 'f32', { ...plain, approximate: true });
  const huge = 0x7f000000;

  it('gives 0 for a divisor above 2^126, or NaN if the dividend is infinite', () => {
    expect(divide(one, huge, 0)).toBe(0);
    expect(divide(negOne, huge, 0)).toBe(negZero);
    expect(divide(inf, huge, 0)).toBe(nan);
  });

  it('otherwise gives the rounded quotient, as div.full always does', () => {
    expect(divide(one, 0x7e800000, 0)).toBe(0x00800000);
    expect(divide(one, 0x40400000, 0)).toBe(0x3eaaaaab);
    expect(floatOperation('div.full', 'f32', plain)(one, huge, 0)).toBe(0x00400000);
  });
});
