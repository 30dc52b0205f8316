/**
 * Tests that printf in kernels writes the same text as the C library (recorded from glibc by tools/record-printf.py).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { printf } from '../../src/machine/printing/printf.ts';

interface Case {
  readonly format: string;
  readonly args: readonly (readonly ['i32' | 'i64' | 'f64', string] | readonly ['text', string | null])[];
  readonly text: string;
}

const lines = readFileSync(new URL('./printf/cases.jsonl', import.meta.url), 'utf8').trim().split('\n');
const cases = lines.map((line): Case => JSON.parse(line));

/** The address of a string is the index of its argument plus one. */
function write({ format, args }: Case): { readonly text: string; readonly taken: number } {
  const rest = [...args.entries()];
  return printf(format, {
    next: (bytes) => {
      const [index, [kind, value]] = rest.shift() ?? [0, ['i32', '0']];
      expect(bytes).toBe(kind === 'i32' ? 4 : 8);
      if (kind === 'text') return value === null ? 0n : BigInt(index + 1);
      return BigInt(`0x${value}`);
    },
    text: (address, limit) => String(args[Number(address) - 1]?.[1]).slice(0, limit),
  }, Number.POSITIVE_INFINITY);
}

describe.each(['diouxX', 'fF', 'eE', 'gG', 'aA', 'scp%'])('conversions %s', (conversions) => {
  test('write what C writes', () => {
    const own = cases.filter(({ format }) => new RegExp(`[${conversions}]\\W*$`).test(format));
    expect(own.length).toBeGreaterThan(10);
    const wrong = own.filter((one) => write(one).text !== one.text).map((one) => ({ ...one, got: write(one).text }));
    expect(wrong).toEqual([]);
  });
});

test('printf takes as many arguments as the format asks for', () => {
  for (const one of cases) expect(write(one).taken).toBe(one.args.length);
});

test('text that is not a conversion is copied', () => {
  expect(write({ format: '%y %', args: [], text: '' })).toEqual({ text: '%y %', taken: 0 });
});
