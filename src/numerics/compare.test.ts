import { describe, expect, it } from 'vitest';
import type { Bits } from '../base/bits.ts';
import { comparison } from './compare.ts';
import type { Comparison } from './operations.ts';

/** The results for a < b, for a = b, for a > b, and for a NaN operand. */
const truth: Record<Comparison, readonly [less: boolean, equal: boolean, greater: boolean, nan: boolean]> = {
  eq: [false, true, false, false],
  ne: [true, false, true, false],
  lt: [true, false, false, false],
  le: [true, true, false, false],
  gt: [false, false, true, false],
  ge: [false, true, true, false],
  lo: [true, false, false, false],
  ls: [true, true, false, false],
  hi: [false, false, true, false],
  hs: [false, true, true, false],
  equ: [false, true, false, true],
  neu: [true, false, true, true],
  ltu: [true, false, false, true],
  leu: [true, true, false, true],
  gtu: [false, false, true, true],
  geu: [false, true, true, true],
  num: [true, true, true, false],
  nan: [false, false, false, true],
};

const names = Object.keys(truth) as Comparison[];

const floats = {
  f16: { minusOne: 0xbc00, minusZero: 0x8000, zero: 0, one: 0x3c00, infinity: 0x7c00, nan: 0xfe00 },
  bf16: { minusOne: 0xbf80, minusZero: 0x8000, zero: 0, one: 0x3f80, infinity: 0x7f80, nan: 0x7fc0 },
  f32: { minusOne: 0xbf800000, minusZero: 0x80000000, zero: 0, one: 0x3f800000, infinity: 0x7f800000, nan: 0xffc00000 },
  f64: {
    minusOne: 0xbff0000000000000n,
    minusZero: 0x8000000000000000n,
    zero: 0n,
    one: 0x3ff0000000000000n,
    infinity: 0x7ff0000000000000n,
    nan: 0x7ff0000000000001n,
  },
} satisfies Record<string, Record<string, Bits>>;

describe.each(['f16', 'bf16', 'f32', 'f64'] as const)('%s', (format) => {
  const { minusOne, minusZero, zero, one, infinity, nan } = floats[format];

  it.each(names)('%s', (name) => {
    const compare = comparison(name, format, false);
    const [less, equal, greater, unordered] = truth[name];
    expect([compare(minusOne, one), compare(zero, one), compare(one, infinity)]).toEqual([less, less, less]);
    expect([compare(one, one), compare(minusZero, zero)]).toEqual([equal, equal]);
    expect([compare(one, minusOne), compare(minusZero, minusOne)]).toEqual([greater, greater]);
    expect([compare(nan, one), compare(one, nan), compare(nan, nan)]).toEqual([unordered, unordered, unordered]);
  });
});

describe('integers', () => {
  const ordered: readonly Comparison[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'];

  it.each(ordered)('%s interprets the sign bit according to its type', (name) => {
    const [less, equal, greater] = truth[name];
    expect(comparison(name, 's32', false)(0xffffffff, 1)).toBe(less);
    expect(comparison(name, 'u32', false)(0xffffffff, 1)).toBe(greater);
    expect(comparison(name, 's16', false)(0x8000, 0x7fff)).toBe(less);
    expect(comparison(name, 's64', false)(0x8000000000000000n, 0n)).toBe(less);
    expect(comparison(name, 'u64', false)(0x8000000000000000n, 0n)).toBe(greater);
    expect(comparison(name, 's64', false)(5n, 5n)).toBe(equal);
  });
});

it('reads subnormals as zero under .ftz', () => {
  expect(comparison('eq', 'f32', true)(0x00000001, 0x807fffff)).toBe(true);
  expect(comparison('eq', 'f32', false)(0x00000001, 0x807fffff)).toBe(false);
  expect(comparison('lt', 'f16', true)(0x03ff, 0x0400)).toBe(true);
});
