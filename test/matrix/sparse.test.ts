/**
 * Tests sparse mma: the kept elements are distributed over the lanes according to the ISA's formulas, and the metadata
 * is in the lanes that the selector chooses. If sums are exact, the result must equal a dense product in which the
 * missing elements of A are zeros. In floating point, each result must equal the dot product of the kept elements
 * alone.
 */
import { describe, expect, test } from 'vitest';
import { evaluateDot } from '../../src/dot-products.ts';
import { type ElementName, elementTypes } from './element-codes.ts';
import { placeOfA, placeOfB, placeOfC } from './isa-fragments.ts';
import { columnOf, warpMetadata } from './metadata.ts';
import { floats, pick } from './pick.ts';
import { engines, type Engine, type Lanes, lanesOf, runWarp } from './warp.ts';

interface Case {
  readonly k: number;
  readonly a: ElementName;
  readonly b: ElementName;
  readonly d: 'f16' | 'f32' | 's32';
  readonly target?: string;
  readonly selectors: readonly number[];
}

const of = (k: number, type: ElementName, d: Case['d'], selectors: readonly number[]): Case => ({
  k,
  a: type,
  b: type,
  d,
  selectors,
});

const cases: readonly Case[] = [
  of(16, 'f16', 'f16', [0, 1, 2, 3]),
  of(16, 'f16', 'f32', [0, 1, 2, 3]),
  of(32, 'f16', 'f32', [0, 1]),
  of(16, 'bf16', 'f32', [0, 1, 2, 3]),
  of(32, 'bf16', 'f32', [0, 1]),
  of(8, 'tf32', 'f32', [0, 1, 2, 3]),
  of(16, 'tf32', 'f32', [0, 1]),
  { ...of(32, 's8', 's32', [0, 1]), b: 'u8' },
  { ...of(64, 'u8', 's32', [0]), b: 's8' },
  { ...of(64, 's4', 's32', [0, 1]), b: 'u4' },
  { ...of(128, 'u4', 's32', [0]), b: 's4' },
  { ...of(64, 'e4m3', 'f32', [0]), b: 'e5m2', target: 'sm_89' },
];

const valuesOf: Readonly<Partial<Record<ElementName, readonly number[]>>> = {
  s8: [-128, -7, 1, 3, 127],
  u8: [1, 5, 200, 255],
  s4: [-8, -3, -1, 1, 7],
  u4: [1, 4, 15],
};

function mnemonicOf({ k, a, b, d }: Case): string {
  return `mma.sp::ordered_metadata.sync.aligned.m16n8k${k}.row.col.${d}.${a}.${b}.${d}`;
}

/** The codes of the elements of B and C, by row and column, and of the kept elements of A, by row and index. */
interface Operands {
  readonly a: (row: number, kept: number) => bigint;
  readonly b: (row: number, column: number) => bigint;
  readonly c: (row: number, column: number) => bigint;
}

function run(one: Case, selector: number, engine: Engine, { a, b, c }: Operands): Promise<Lanes> {
  const { k, target = 'sm_80' } = one;
  const bits = elementTypes[one.a].bits;
  const p = 32 / bits;
  const [placeA, placeB] = [placeOfA(16, p), placeOfB(p)];
  const sum = elementTypes[one.d].bits;
  return runWarp({
    engine,
    target,
    width: 32,
    mnemonic: mnemonicOf(one),
    results: (4 * sum) / 32,
    a: lanesOf(k / 4, (lane, i) => a(placeA(lane, i).row, placeA(lane, i).column), bits, 32),
    b: lanesOf(k / 4, (lane, i) => b(placeB(lane, i).row, placeB(lane, i).column), bits, 32),
    c: lanesOf(4, (lane, i) => c(placeOfC(lane, i).row, placeOfC(lane, i).column), sum, 32),
    more: warpMetadata(one, selector),
    after: `, %e0, ${selector}`,
  });
}

const all = cases.flatMap((one) =>
  one.selectors.map((selector) => [`${mnemonicOf(one)} with selector ${selector}`, one, selector] as const),
);

describe.each(engines)('on %s', (engine) => {
  test.each(all)('%s is a dense product with zeros put in', async (_, one, selector) => {
    const [typeA, typeB, typeD] = [elementTypes[one.a], elementTypes[one.b], elementTypes[one.d]];
    const a = (row: number, kept: number): number => pick(valuesOf[one.a] ?? floats, 0, row, kept);
    const b = (row: number, column: number): number => pick(valuesOf[one.b] ?? floats, 1, row, column);
    const c = (row: number, column: number): number => pick([0, 1, -2, 5, 3], 2, row, column);
    const dense = Array.from({ length: 16 }, (__, row) => {
      const values = new Array<number>(one.k).fill(0);
      for (let kept = 0; kept < one.k / 2; kept++) values[columnOf(one.a, row, kept)] = a(row, kept);
      return values;
    });
    const found = await run(one, selector, engine, {
      a: (row, kept) => typeA.code(a(row, kept)),
      b: (row, column) => typeB.code(b(row, column)),
      c: (row, column) => typeD.code(c(row, column)),
    });
    const product = (row: number, column: number): number =>
      (dense[row] ?? []).reduce((sum, value, i) => sum + value * b(i, column), c(row, column));
    const wanted = lanesOf(
      4,
      (lane, i) => typeD.code(product(placeOfC(lane, i).row, placeOfC(lane, i).column)),
      typeD.bits,
      32,
    );
    expect(found).toEqual(wanted);
  });

  test('rounded sums are those of a dot product over the kept elements', async () => {
    const one = of(32, 'f16', 'f32', [0]);
    const exponents = [0x2c00, 0x3400, 0x3c00, 0x4400, 0x4c00];
    const bits = (matrix: number) => (row: number, column: number) =>
      BigInt(pick(exponents, matrix, row, column) | pick([0x0155, 0x82aa, 0x03ff, 0x8001], matrix + 8, row, column));
    const [a, b] = [bits(0), bits(1)];
    const c = (row: number, column: number): bigint =>
      elementTypes.f32.code(Math.fround(pick([1e3, -0.37, 12.3], 2, row, column)));
    const element = (row: number, column: number): bigint => {
      const kept = Array.from({ length: 16 }, (_, i) => i);
      return BigInt(
        evaluateDot(
          mnemonicOf(one),
          {
            a: kept.map((i) => Number(a(row, i))),
            b: kept.map((i) => Number(b(columnOf('f16', row, i), column))),
            c: Number(c(row, column)),
          },
          { gpu: 'sm_80' },
        ),
      );
    };
    const wanted = lanesOf(4, (lane, i) => element(placeOfC(lane, i).row, placeOfC(lane, i).column), 32, 32);
    expect(await run(one, 0, engine, { a, b, c })).toEqual(wanted);
  });
});
