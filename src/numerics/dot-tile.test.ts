import { describe, expect, test } from 'vitest';
import { findGpu } from '../isa/gpus.ts';
import { arithmeticOf } from '../isa/matrix-arithmetic.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { dotProduct, product, termOf } from './dot.ts';
import type { FactorFormat } from './dot-arithmetic.ts';
import { dotTile, tileLines } from './dot-tile.ts';
import { formats } from './formats.ts';

const gpu = findGpu('B200');
if (gpu === undefined) throw new Error('B200 is unknown');
const b200 = gpu;

const cases = [
  ['f16', 'f16', 'tcgen05 of f16 and bf16', 'f32', 16],
  ['f16', 'f16', 'tcgen05 of f16 and bf16', 'f16', 16],
  ['bf16', 'f16', 'tcgen05 of f16 and bf16', 'f32', 32],
  ['tf32', 'tf32', 'tcgen05 of tf32', 'f32', 8],
  ['e4m3', 'e5m2', 'tcgen05 of fp8, fp6 and fp4', 'f32', 32],
  ['e2m1', 'e3m2', 'tcgen05 of fp8, fp6 and fp4', 'f16', 32],
] as const;

/**
 * Random codes. About one in `rare` of them is chosen from all codes of the format; the others have exponents that are
 * close together.
 */
function codesOf(random: RandomSource, format: FactorFormat, count: number, rare: number): Uint32Array {
  const { width } = formats[format];
  const top = width - 4;
  return Uint32Array.from({ length: count }, () => {
    const any = width === 32 ? random.bits() : random.bits() % 2 ** width;
    const isAny = random.below(rare) === 0;
    return (isAny ? any : (any & (2 ** top - 1)) | (random.pick([5, 6, 11]) << top)) >>> 0;
  });
}

describe.each(cases)('%s by %s, %s, to %s', (formatA, formatB, family, to, length) => {
  const arithmetic = arithmeticOf(b200, family, to);
  const [termA, termB] = [termOf(formatA), termOf(formatB)];

  test.each([2, 40, 1e9])('gives the results of a dot product, with an unusual number in %d', (rare) => {
    const random = new RandomSource(rare);
    const count = 40;
    const [a, b] = [codesOf(random, formatA, count * length, rare), codesOf(random, formatB, count * length, rare)];
    const element = dotTile(tileLines(formatA, a, length, false), tileLines(formatB, b, length, false), arithmetic);
    for (let row = 0; row < count; row++) {
      for (let column = 0; column < count; column++) {
        const c = to === 'f16' ? random.bits() % 65536 : random.pick([0, random.bits(), 0x3f800000, 0x80000000]);
        const products = Array.from({ length }, (_, k) =>
          product(termA(a[row * length + k] ?? 0), termB(b[column * length + k] ?? 0)),
        );
        const wanted = dotProduct(products, c, arithmetic, () => 0);
        const found = element(row, column, c);
        if (found !== wanted) expect([row, column, found.toString(16)]).toEqual([row, column, wanted.toString(16)]);
      }
    }
  });
});

test('negated factors', () => {
  const one = Uint32Array.of(0x3c00);
  const infinity = Uint32Array.of(0x7c00);
  const arithmetic = arithmeticOf(b200, 'tcgen05 of f16 and bf16', 'f32');
  const multiply = (a: Uint32Array, negated: boolean): number =>
    dotTile(tileLines('f16', a, 1, negated), tileLines('f16', one, 1, false), arithmetic)(0, 0, 0);
  expect([multiply(one, true), multiply(infinity, true)]).toEqual([0xbf800000, 0xff800000]);
});

test('an accumulator that is divided by a power of two', () => {
  const zero = tileLines('f16', Uint32Array.of(0), 1, false);
  const arithmetic = arithmeticOf(b200, 'tcgen05 of f16 and bf16', 'f32');
  expect(dotTile(zero, zero, arithmetic, 3)(0, 0, 0x41000000)).toBe(0x3f800000);
});
