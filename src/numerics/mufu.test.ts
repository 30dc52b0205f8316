/** Results of an H200 at the ends of the ranges and pieces; test/golden/approximations.test.ts has all the others. */
import { describe, expect, test } from 'vitest';
import type { MufuFunction } from './mufu-tables.ts';
import { mufu } from './mufu.ts';

const [one, inf, nan] = [0x3f800000, 0x7f800000, 0x7fffffff];
const negative = (bits: number): number => bits + 2 ** 31;

describe('special operands', () => {
  const table: readonly (readonly [MufuFunction, operand: number, result: number])[] = [
    ['rcp', one, one],
    ['rcp', 0x007fffff, inf],
    ['rcp', negative(1), negative(inf)],
    ['rcp', negative(inf), negative(0)],
    ['rcp', 0x7e800000, 0x00800000],
    ['rcp', 0x7e800001, 0],
    ['rcp', 0x7f000000, 0],
    ['rcp', 0x7fc00001, nan],
    ['rsqrt', 0x40800000, 0x3f000000],
    ['rsqrt', negative(0), negative(inf)],
    ['rsqrt', negative(one), nan],
    ['sqrt', negative(1), negative(0)],
    ['sqrt', inf, inf],
    ['ex2', 1, one],
    ['ex2', negative(inf), 0],
    ['ex2', 0x43000000, inf],
    ['ex2', 0xc2fc0000, 0x00800000],
    ['ex2', 0xc2fc0001, 0],
    ['lg2', one, 0],
    ['lg2', 0x007fffff, negative(inf)],
    ['lg2', 0x3f000000, 0xbf7ffffe],
    ['sin', negative(0), negative(0)],
    ['cos', 1, one],
    ['cos', inf, nan],
    ['tanh', 1, 1],
    ['tanh', negative(inf), negative(one)],
    ['rcp64h', 0x3ff00000, 0x3ff00000],
    ['rsqrt64h', negative(0x3ff00000), nan],
  ];

  test.each(table)('%s of %s', (fn, operand, result) => {
    expect(mufu(fn)(operand).toString(16)).toBe(result.toString(16));
  });
});
