import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bits } from '../base/bits.ts';
import { type IntegerName, formats } from './formats.ts';
import { bitOperation, integerConversion, integerOperation, packClamp } from './integers.ts';
import type { BitFunction, IntegerFunction } from './operations.ts';

const types = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64'] as const;

function bitsOf(value: bigint, width: number): Bits {
  const low = BigInt.asUintN(width, value);
  return width > 32 ? low : Number(low);
}

function valueOf(type: IntegerName, bits: Bits): bigint {
  const { width, signed } = formats[type];
  return signed ? BigInt.asIntN(width, BigInt(bits)) : BigInt(bits);
}

/** A random value of a type, often close to zero or to either end of the range of the type. */
function valuesOf(type: IntegerName): fc.Arbitrary<bigint> {
  const { width, signed } = formats[type];
  const least = signed ? -(1n << BigInt(width - 1)) : 0n;
  const most = signed ? (1n << BigInt(width - 1)) - 1n : (1n << BigInt(width)) - 1n;
  const edges = [least, least + 1n, 0n, 1n, 2n, most - 1n, most, signed ? -1n : most >> 1n];
  return fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: least, max: most }));
}

type Exactly = (a: bigint, b: bigint, c: bigint, width: bigint) => bigint;

const exactly: Record<IntegerFunction, Exactly> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  'mul.lo': (a, b) => a * b,
  'mul.hi': (a, b, _, width) => (a * b) >> width,
  'mul.wide': (a, b) => a * b,
  'mad.lo': (a, b, c) => a * b + c,
  'mad.hi': (a, b, c, width) => ((a * b) >> width) + c,
  'mad.wide': (a, b, c) => a * b + c,
  div: (a, b) => (b === 0n ? -1n : a / b),
  rem: (a, b) => (b === 0n ? -1n : a - (a / b) * b),
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
  neg: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
};

const widening: readonly IntegerFunction[] = ['mul.wide', 'mad.wide'];
const wideOf: Partial<Record<IntegerName, IntegerName>> = { u16: 'u32', s16: 's32', u32: 'u64', s32: 's64' };

describe('integer instructions are exact modulo the width of the result', () => {
  const cases = (Object.keys(exactly) as IntegerFunction[]).flatMap((fn) =>
    types.filter((type) => !widening.includes(fn) || type in wideOf).map((type) => [fn, type] as const),
  );

  it.each(cases)('%s.%s', (fn, type) => {
    const { width } = formats[type];
    const isWide = widening.includes(fn);
    const addend = isWide ? (wideOf[type] as IntegerName) : type;
    const resultWidth = isWide ? width * 2 : width;
    const operation = integerOperation(fn, type, false);
    fc.assert(
      fc.property(valuesOf(type), valuesOf(type), valuesOf(addend), (a, b, c) => {
        const result = operation(bitsOf(a, width), bitsOf(b, width), bitsOf(c, formats[addend].width));
        expect(result).toBe(bitsOf(exactly[fn](a, b, c, BigInt(width)), resultWidth));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['add', 'sub', 'mad.hi'] as const)('%s.sat.s32 stops at the ends of the range', (fn) => {
    const operation = integerOperation(fn, 's32', true);
    const [least, most] = [-(2n ** 31n), 2n ** 31n - 1n];
    fc.assert(
      fc.property(valuesOf('s32'), valuesOf('s32'), valuesOf('s32'), (a, b, c) => {
        const exact = exactly[fn](a, b, c, 32n);
        const clamped = exact < least ? least : exact > most ? most : exact;
        expect(operation(bitsOf(a, 32), bitsOf(b, 32), bitsOf(c, 32))).toBe(bitsOf(clamped, 32));
      }),
    );
  });
});

describe('division whose result wraps or is left open by the specification', () => {
  it.each([
    ['div', 'u32', 7, 0, 0xffffffff],
    ['rem', 'u32', 7, 0, 0xffffffff],
    ['div', 's16', 0xfff9, 0, 0xffff],
    ['div', 's32', 0x80000000, 0xffffffff, 0x80000000],
    ['rem', 's32', 0x80000000, 0xffffffff, 0],
    ['rem', 's32', 0xfffffff9, 3, 0xffffffff],
  ] as const)('%s.%s %i %i', (fn, type, a, b, wanted) => {
    expect(integerOperation(fn, type, false)(a, b, 0)).toBe(wanted);
  });
});

describe('logic and shifts', () => {
  const table: readonly (readonly [BitFunction, number, Bits, Bits, Bits])[] = [
    ['and', 32, 0xff00ff00, 0xf0f0f0f0, 0xf000f000],
    ['or', 16, 0xff00, 0x00f0, 0xfff0],
    ['xor', 64, 0xffff0000ffff0000n, 0xff00ff00ff00ff00n, 0x00ffff0000ffff00n],
    ['not', 1, 1, 0, 0],
    ['not', 1, 0, 0, 1],
    ['not', 32, 0, 0, 0xffffffff],
    ['not', 64, 1n, 0, 0xfffffffffffffffen],
    ['cnot', 32, 0, 0, 1],
    ['cnot', 64, 5n, 0, 0n],
    ['shl', 32, 0x80000001, 1, 2],
    ['shl', 32, 1, 31, 0x80000000],
    ['shl', 32, 1, 32, 0],
    ['shl', 16, 1, 15, 0x8000],
    ['shl', 16, 3, 16, 0],
    ['shl', 64, 1n, 63, 0x8000000000000000n],
    ['shl', 64, 1n, 0xffffffff, 0n],
    ['shr.u', 32, 0x80000000, 31, 1],
    ['shr.u', 32, 0x80000000, 33, 0],
    ['shr.u', 64, 0x8000000000000000n, 64, 0n],
    ['shr.s', 32, 0x80000000, 4, 0xf8000000],
    ['shr.s', 32, 0x80000000, 0xffffffff, 0xffffffff],
    ['shr.s', 32, 0x40000000, 40, 0],
    ['shr.s', 16, 0x8000, 1, 0xc000],
    ['shr.s', 16, 0x8000, 16, 0xffff],
    ['shr.s', 64, 0x8000000000000000n, 100, 0xffffffffffffffffn],
  ];

  it.each(table)('%s.b%i %x by %x', (fn, width, a, b, wanted) => {
    expect(bitOperation(fn, width)(a, b, 0)).toBe(wanted);
  });
});

describe('conversion from integer to integer', () => {
  const pairs = types.flatMap((from) => types.map((to) => [from, to] as const));

  it.each(pairs)('%s to %s: the low bits, or the nearest end of the range with .sat', (from, to) => {
    const { width, signed } = formats[to];
    const least = signed ? -(1n << BigInt(width - 1)) : 0n;
    const most = least + (1n << BigInt(width)) - 1n;
    fc.assert(
      fc.property(valuesOf(from), (value) => {
        const source = bitsOf(value, formats[from].width);
        expect(integerConversion(from, to, false)(source)).toBe(bitsOf(value, width));
        const clamped = value < least ? least : value > most ? most : value;
        expect(valueOf(to, integerConversion(from, to, true)(source))).toBe(clamped);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['u2', 5, 3],
    ['u2', 0xffffffff, 0],
    ['s2', 5, 1],
    ['s2', 0x80000000, 2],
    ['s4', 0xfffffff7, 8],
    ['u16', 0x10000, 0xffff],
  ] as const)('cvt.pack clamps to %s', (to, source, wanted) => {
    expect(packClamp(to)(source)).toBe(wanted);
  });
});
