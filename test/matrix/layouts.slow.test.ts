/**
 * Compares dense mma with plain arithmetic. Matrices without symmetry are distributed over the lanes according to the
 * ISA's formulas, and D is collected from the lanes in the same way. Values are small enough for sums to be exact on
 * every GPU.
 */
import { describe, expect, test } from 'vitest';
import { type ElementName, elementTypes } from './element-codes.ts';
import { floats, pick } from './pick.ts';
import { type Place, placeOfA, placeOfB, placeOfC, quadPair } from './isa-fragments.ts';
import { engines, type Engine, lanesOf, runWarp, unpacked } from './warp.ts';

const valuesOf: Readonly<Partial<Record<ElementName, readonly number[]>>> = {
  s8: [-128, -7, -1, 0, 1, 3, 127],
  u8: [0, 1, 5, 200, 255],
  s4: [-8, -3, -1, 0, 1, 7],
  u4: [0, 1, 4, 15],
  b1: [0, 1],
};

interface Case {
  readonly shape: string;
  readonly a: ElementName;
  readonly b: ElementName;
  readonly d: 'f16' | 'f32' | 'f64' | 's32';
  readonly target?: string;
  /** The parts of the mnemonic before and after the types. */
  readonly before?: string;
  readonly after?: string;
}

const both = ['f16', 'f32'] as const;
const fp8 = ['e4m3', 'e5m2'] as const;
const bytes = ['e4m3', 'e5m2', 'e3m2', 'e2m3', 'e2m1 in bytes'] as const;
const pairs = <T>(names: readonly T[]): readonly (readonly [T, T])[] =>
  names.flatMap((a) => names.map((b) => [a, b] as const));

const cases: readonly Case[] = [
  ...['m16n8k8', 'm16n8k16'].flatMap((shape) => [
    ...both.map((d): Case => ({ shape, a: 'f16', b: 'f16', d })),
    { shape, a: 'bf16', b: 'bf16', d: 'f32' } as const,
  ]),
  ...['m16n8k4', 'm16n8k8'].map((shape): Case => ({ shape, a: 'tf32', b: 'tf32', d: 'f32' })),
  ...['m8n8k4', 'm16n8k4', 'm16n8k8', 'm16n8k16'].map(
    (shape): Case => ({ shape, a: 'f64', b: 'f64', d: 'f64', target: 'sm_90' }),
  ),
  ...['m8n8k16', 'm16n8k16', 'm16n8k32'].flatMap((shape) =>
    pairs(['s8', 'u8'] as const).map(([a, b]): Case => ({ shape, a, b, d: 's32' })),
  ),
  ...['m8n8k32', 'm16n8k32', 'm16n8k64'].flatMap((shape) =>
    pairs(['s4', 'u4'] as const).map(([a, b]): Case => ({ shape, a, b, d: 's32' })),
  ),
  ...['m8n8k128', 'm16n8k128', 'm16n8k256'].flatMap((shape) =>
    ['.and.popc', '.xor.popc'].map((after): Case => ({ shape, a: 'b1', b: 'b1', d: 's32', after })),
  ),
  ...['m16n8k16', 'm16n8k32'].flatMap((shape) =>
    both.flatMap((d) => pairs(fp8).map(([a, b]): Case => ({ shape, a, b, d, target: 'sm_89' }))),
  ),
  ...both.flatMap((d) =>
    bytes.map(
      (a, i): Case => ({
        shape: 'm16n8k32',
        a,
        b: bytes[(i + 2) % 5] ?? a,
        d,
        target: 'sm_120a',
        before: '.kind::f8f6f4',
      }),
    ),
  ),
];

const word = (name: ElementName): string => `.${name.split(' ')[0]}`;

function mnemonicOf({ shape, a, b, d, before = '', after = '' }: Case): string {
  return `mma.sync.aligned.${shape}.row.col${before}.${d}${word(a)}${word(b)}.${d}${after}`;
}

type Matrix = (row: number, column: number) => number;

function plainProduct(k: number, a: Matrix, b: Matrix, c: Matrix, after: string): Matrix {
  const term = (x: number, y: number): number => (after.startsWith('.xor') ? x ^ y : x * y);
  return (row, column) => {
    let sum = c(row, column);
    for (let i = 0; i < k; i++) sum += term(a(row, i), b(i, column));
    return sum;
  };
}

async function check(one: Case, engine: Engine): Promise<void> {
  const [m = 0, n = 0, k = 0] = one.shape.slice(1).split(/[nk]/).map(Number);
  const width = one.d === 'f64' ? 64 : 32;
  const [typeA, typeB, typeD] = [elementTypes[one.a], elementTypes[one.b], elementTypes[one.d]];
  const p = width / typeA.bits;
  const [placeA, placeB] = [placeOfA(m, p), placeOfB(p)];
  const a: Matrix = (row, column) => pick(valuesOf[one.a] ?? floats, 0, row, column);
  const b: Matrix = (row, column) => pick(valuesOf[one.b] ?? floats, 1, row, column);
  const c: Matrix = (row, column) => pick([0, 1, -2, 5, 3], 2, row, column);
  const at = (of: Matrix, { row, column }: Place): number => of(row, column);
  const results = await runWarp({
    engine,
    width,
    target: one.target ?? 'sm_80',
    mnemonic: mnemonicOf(one),
    results: Math.max(1, (m * n * typeD.bits) / (32 * width)),
    a: lanesOf((m * k) / 32, (lane, i) => typeA.code(at(a, placeA(lane, i))), typeA.bits, width),
    b: lanesOf((n * k) / 32, (lane, i) => typeB.code(at(b, placeB(lane, i))), typeB.bits, width),
    c: lanesOf((m * n) / 32, (lane, i) => typeD.code(at(c, placeOfC(lane, i))), typeD.bits, width),
  });
  const d = plainProduct(k, a, b, c, one.after ?? '');
  const wanted = lanesOf((m * n) / 32, (lane, i) => typeD.code(at(d, placeOfC(lane, i))), typeD.bits, width);
  expect(results).toEqual(wanted);
}

describe.each(engines)('on %s', (engine) => {
  test.each(cases.map((one) => [mnemonicOf(one), one] as const))('%s', (_, one) => check(one, engine));

  const layouts = pairs(['row', 'col'] as const);
  const sums = [
    ['f16', 'f16'],
    ['f32', 'f16'],
    ['f32', 'f32'],
  ] as const;
  test.each(layouts.flatMap(([rowA, rowB]) => sums.map(([d, c]) => [rowA, rowB, d, c] as const)))(
    'mma.m8n8k4.%s.%s.%s.f16.f16.%s computes four products',
    async (layoutA, layoutB, d, c) => {
      const { f16 } = elementTypes;
      const placeOf = (type: 'f16' | 'f32') => (type === 'f16' ? quadPair.c16 : quadPair.c32);
      const value = (which: number, lane: number, { row, column }: Place): number =>
        pick(floats, which + 4 * quadPair.matrix(lane), row, column);
      const results = await runWarp({
        engine,
        width: 32,
        target: 'sm_70',
        mnemonic: `mma.sync.aligned.m8n8k4.${layoutA}.${layoutB}.${d}.f16.f16.${c}`,
        results: d === 'f16' ? 4 : 8,
        a: lanesOf(4, (lane, i) => f16.code(value(0, lane, quadPair.a(layoutA, lane, i))), 16, 32),
        b: lanesOf(4, (lane, i) => f16.code(value(1, lane, quadPair.b(layoutB, lane, i))), 16, 32),
        c: lanesOf(8, (lane, i) => elementTypes[c].code(value(2, lane, placeOf(c)(lane, i))), elementTypes[c].bits, 32),
      });
      const product = (lane: number, { row, column }: Place): number => {
        let sum = value(2, lane, { row, column });
        for (let i = 0; i < 4; i++) sum += value(0, lane, { row, column: i }) * value(1, lane, { row: i, column });
        return sum;
      };
      const { bits, code } = elementTypes[d];
      expect(results).toEqual(lanesOf(8, (lane, i) => code(product(lane, placeOf(d)(lane, i))), bits, 32));
    },
  );

  test.each([
    ['m8n8k16', 's8', 127, 4],
    ['m16n8k32', 'u8', 255, 8],
    ['m16n8k64', 's4', -8, 8],
  ] as const)('%s of %s beyond s32 wraps, and with .satfinite stops at its end', async (shape, type, value, count) => {
    const k = Number(shape.split('k')[1]);
    const { bits, code } = elementTypes[type];
    const m = shape.startsWith('m8') ? 8 : 16;
    const lane = (size: number) => lanesOf(size / 32, () => code(value), bits, 32);
    const most = 0x7fff_ffff;
    const run = (satfinite: string) =>
      runWarp({
        engine,
        width: 32,
        target: 'sm_80',
        mnemonic: `mma.sync.aligned.${shape}.row.col${satfinite}.s32.${type}.${type}.s32`,
        results: (m * 8) / 32,
        a: lane(m * k),
        b: lane(8 * k),
        c: lanesOf((m * 8) / 32, () => BigInt(most - count), 32, 32),
      });
    const elements = async (satfinite: string) => new Set((await run(satfinite)).flatMap((of) => unpacked(of, 32, 32)));
    expect(await elements('.satfinite')).toEqual(new Set([BigInt(most)]));
    expect(await elements('')).toEqual(new Set([BigInt.asUintN(32, BigInt(most - count + k * value * value))]));
  });
});
