/** Tests that rows computed by compiled code match elements that are computed one by one. */
import { describe, expect, test } from 'vitest';
import { RandomSource } from '../../../test/differential/random-source.ts';
import { findGpu } from '../../isa/gpus.ts';
import { arithmeticOf } from '../../isa/matrix-arithmetic.ts';
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';
import { dotTile, tileLines } from '../../numerics/dot-tile.ts';
import { formats } from '../../numerics/formats.ts';
import { groupScaledTile, multipliedLines, productScaledTile, tileScales } from '../../numerics/scaled-tile.ts';
import { tileRows } from './tile-rows.ts';

const gpu = findGpu('B200');
if (gpu === undefined) throw new Error('B200 is unknown');
const b200 = gpu;

const [rows, columns] = [24, 40] as const;

const cases = [
  ['f16', 'f16', 'tcgen05 of f16 and bf16', 'f32', 16],
  ['f16', 'f16', 'tcgen05 of f16 and bf16', 'f16', 16],
  ['bf16', 'bf16', 'tcgen05 of f16 and bf16', 'f32', 16],
  ['f16', 'bf16', 'tcgen05 of f16 and bf16', 'f32', 16],
  ['tf32', 'tf32', 'tcgen05 of tf32', 'f32', 8],
  ['e4m3', 'e5m2', 'tcgen05 of fp8, fp6 and fp4', 'f32', 32],
  ['e2m1', 'e3m2', 'tcgen05 of fp8, fp6 and fp4', 'f16', 32],
] as const;

/**
 * Codes of finite numbers. About one number in `rare` may have any exponent; the exponents of all other numbers are
 * close together.
 */
function codesOf(random: RandomSource, format: FactorFormat, count: number, rare: number): Uint32Array {
  const { width, exponentBits, fractionBits, padding } = formats[format];
  const field = padding + fractionBits;
  const middle = 2 ** (exponentBits - 1) - 2;
  return Uint32Array.from({ length: count }, () => {
    const any = width === 32 ? random.bits() : random.bits() % 2 ** width;
    const exponent = random.below(rare) === 0 ? random.below(2 ** exponentBits - 1) : middle + random.below(3);
    return ((any & ~((2 ** exponentBits - 1) << field)) | (exponent << field)) >>> 0;
  });
}

function sumsOf(random: RandomSource, { end }: DotArithmetic): Uint32Array {
  return Uint32Array.from({ length: columns }, () => {
    if (end === 'f16') return random.pick([0, 0x8000, 0x3c00 | (random.bits() & 0x83ff)]);
    return random.pick([0, 0x8000_0000, 0x3f80_0000 ^ (random.bits() & 0x80ff_ffff)]);
  });
}

interface Compared {
  /** The number of rows that compiled code multiplied. */
  readonly done: number;
  readonly differences: readonly string[];
}

type Element = (row: number, column: number, before: number) => number;

function compare(multiply: ReturnType<typeof tileRows>, element: Element, make: () => Uint32Array): Compared {
  const differences: string[] = [];
  let done = 0;
  for (let row = 0; row < rows; row++) {
    const first = row % 2 === 0 ? 0 : 8;
    const sums = make().subarray(0, columns - first);
    const before = sums.slice();
    if (!multiply(row, first, sums)) {
      expect(sums).toEqual(before);
      continue;
    }
    done++;
    before.forEach((old, at) => {
      const wanted = element(row, first + at, old);
      if (sums[at] !== wanted)
        differences.push(`${row}, ${first + at}: ${sums[at]?.toString(16)}, not ${wanted.toString(16)}`);
    });
  }
  return { done, differences };
}

describe.each(cases)('%s by %s, %s, to %s', (formatA, formatB, family, to, length) => {
  const arithmetic = arithmeticOf(b200, family, to);

  test.each([2, 40, 1e9])('gives the results of dot products, with an unusual exponent in %d', (rare) => {
    const random = new RandomSource(rare);
    const a = tileLines(formatA, codesOf(random, formatA, rows * length, rare), length, false);
    const b = tileLines(formatB, codesOf(random, formatB, columns * length, rare), length, true);
    const multiply = tileRows({ kind: 'elements', a, b, arithmetic, formats: [formatA, formatB] });
    const { done, differences } = compare(multiply, dotTile(a, b, arithmetic), () => sumsOf(random, arithmetic));
    expect(differences).toEqual([]);
    if (rare === 1e9) expect(done).toBe(rows);
  });
});

test.each([8, 60, 140])('scale factors between 2^-%d and its inverse', (spread) => {
  const random = new RandomSource(spread);
  const length = 32;
  const arithmetic = { ...arithmeticOf(b200, 'tcgen05 of fp8, fp6 and fp4', 'f32'), chunk: length };
  const side = (format: FactorFormat, count: number) => ({
    lines: tileLines(format, codesOf(random, format, count * length, 4), length, false),
    scales: tileScales(
      'ue8m0',
      Uint8Array.from({ length: count }, () => Math.min(255, Math.max(0, 127 - spread + random.below(2 * spread)))),
      1,
    ),
  });
  const [a, b] = [side('e4m3', rows), side('e5m2', columns)];
  const [fromA, fromB] = [multipliedLines(a), multipliedLines(b)];
  const multiply = tileRows({ kind: 'elements', a: fromA.lines, b: fromB.lines, arithmetic, formats: null });
  const each = productScaledTile(a, b, arithmetic);
  const whole: Element = (row, column, before) => (fromB.others.has(column) ? Number.NaN : each(row, column, before));
  const { done, differences } = compare(
    (row, first, sums) => !fromA.others.has(row) && multiply(row, first, sums),
    whole,
    () => sumsOf(random, arithmetic),
  );
  expect(differences.filter((one) => !one.endsWith('NaN'))).toEqual([]);
  if (spread === 8) expect(done).toBe(rows);
});

describe.each([
  ['ue8m0', 2, 64, 12],
  ['ue8m0', 2, 64, 100],
  ['ue4m3', 4, 64, 40],
  ['ue4m3', 6, 96, 40],
] as const)('%s, %i factors for %i elements of e2m1', (format, count, length, spread) => {
  test.each([2, 5, 1000])('gives the results of sums of groups, with one group in %i all zeros', (rare) => {
    const random = new RandomSource(rare + spread);
    const arithmetic = arithmeticOf(b200, 'mxf4', 'f32');
    const middle = format === 'ue8m0' ? 127 : 56;
    const side = (lines: number) => {
      const codes = new Uint32Array(lines * length);
      for (let at = 0; at < codes.length; at += 16)
        if (random.below(rare) > 0) for (let i = 0; i < 16; i++) codes[at + i] = random.bits() & 15;
      const scales = Uint8Array.from({ length: lines * count }, () => middle - spread + random.below(2 * spread));
      return { lines: tileLines('e2m1', codes, length, false), scales: tileScales(format, scales, count) };
    };
    const [a, b] = [side(rows), side(columns)];
    const multiply = tileRows({ kind: 'groups', a, b, arithmetic });
    const { done, differences } = compare(multiply, groupScaledTile(a, b, arithmetic), () =>
      sumsOf(random, arithmetic),
    );
    expect(differences).toEqual([]);
    if (spread < 100) expect(done).toBe(rows);
  });
});

test('products take turns', () => {
  const arithmetic = arithmeticOf(b200, 'tcgen05 of f16 and bf16', 'f32');
  const of = (code: number) => {
    const one = tileLines('f16', new Uint32Array(8).fill(code), 1, false);
    return tileRows({ kind: 'elements', a: one, b: one, arithmetic, formats: ['f16', 'f16'] });
  };
  const [two, three] = [of(0x4000), of(0x4200)];
  const result = (multiply: ReturnType<typeof tileRows>): number | undefined => {
    const sums = new Uint32Array(8);
    multiply(0, 0, sums);
    return new Float32Array(sums.buffer)[7];
  };
  expect([result(two), result(three), result(two)]).toEqual([4, 9, 4]);
});
