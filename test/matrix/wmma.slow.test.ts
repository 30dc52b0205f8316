/**
 * Compares wmma.load, wmma.mma and wmma.store with plain arithmetic. The ISA does not specify which lane holds which
 * element, so these tests check only that the three instructions work together. The tests use matrices without symmetry
 * in every shape and type, stored in row-major and in column-major order, with and without a stride.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { type ElementName, elementTypes } from './element-codes.ts';
import { floats, pick } from './pick.ts';
import { engines, type Engine } from './warp.ts';

type Layout = 'row' | 'col';
type Factor = 'f16' | 'bf16' | 'tf32' | 'f64' | 's8' | 'u8' | 's4' | 'u4' | 'b1';
type Sum = 'f16' | 'f32' | 'f64' | 's32';

interface Case {
  readonly shape: string;
  readonly factor: Factor;
  readonly c: Sum;
  readonly d: Sum;
  readonly op?: 'and' | 'xor';
}

const wide = ['m16n16k16', 'm32n8k16', 'm8n32k16'];
const halves = ['f16', 'f32'] as const;
const cases: readonly Case[] = [
  ...wide.flatMap((shape) => halves.flatMap((d) => halves.map((c): Case => ({ shape, factor: 'f16', c, d })))),
  ...wide.map((shape): Case => ({ shape, factor: 'bf16', c: 'f32', d: 'f32' })),
  { shape: 'm16n16k8', factor: 'tf32', c: 'f32', d: 'f32' },
  { shape: 'm8n8k4', factor: 'f64', c: 'f64', d: 'f64' },
  ...wide.flatMap((shape) => (['s8', 'u8'] as const).map((factor): Case => ({ shape, factor, c: 's32', d: 's32' }))),
  ...(['s4', 'u4'] as const).map((factor): Case => ({ shape: 'm8n8k32', factor, c: 's32', d: 's32' })),
  ...(['and', 'xor'] as const).map((op): Case => ({ shape: 'm8n8k128', factor: 'b1', c: 's32', d: 's32', op })),
];

const integers: Readonly<Partial<Record<ElementName, readonly number[]>>> = {
  s8: [-128, -7, -1, 0, 1, 3, 127],
  u8: [0, 1, 5, 200, 255],
  s4: [-8, -3, -1, 0, 1, 7],
  u4: [0, 1, 4, 15],
  b1: [0, 1],
};

/**
 * A matrix in memory. `stride` is the distance in elements between the starts of consecutive rows (or columns, in a
 * column-major matrix); null if there are no gaps between them.
 */
interface Stored {
  readonly layout: Layout;
  readonly rows: number;
  readonly columns: number;
  readonly type: ElementName;
  readonly stride: number | null;
}

function strideOf({ layout, rows, columns, stride }: Stored): number {
  return stride ?? (layout === 'row' ? columns : rows);
}

/** Returns the position of an element in memory, as a number of bits from the start of the matrix. */
function bitAt(stored: Stored, row: number, column: number): number {
  const [far, near] = stored.layout === 'row' ? [row, column] : [column, row];
  return (far * strideOf(stored) + near) * elementTypes[stored.type].bits;
}

function bytesOf(stored: Stored): number {
  const lines = stored.layout === 'row' ? stored.rows : stored.columns;
  return (lines * strideOf(stored) * elementTypes[stored.type].bits) / 8;
}

type Matrix = (row: number, column: number) => number;

function write(stored: Stored, matrix: Matrix): Uint8Array {
  const { bits, code } = elementTypes[stored.type];
  const bytes = new Uint8Array(bytesOf(stored));
  for (let row = 0; row < stored.rows; row++) {
    for (let column = 0; column < stored.columns; column++) {
      const [first, element] = [bitAt(stored, row, column), code(matrix(row, column))];
      for (let at = 0; at < bits; at += 8) {
        const byte = (first + at) >> 3;
        bytes[byte] = (bytes[byte] ?? 0) | (Number((element >> BigInt(at)) & 255n) << (first & 7));
      }
    }
  }
  return bytes;
}

/** The layouts of A, B, C and D, and whether there are gaps between rows or columns in memory. */
interface Arrangement {
  readonly layouts: readonly [Layout, Layout, Layout, Layout];
  readonly strided: boolean;
}

const arrangements: readonly Arrangement[] = [
  { layouts: ['row', 'col', 'row', 'col'], strided: true },
  { layouts: ['row', 'row', 'col', 'col'], strided: false },
  { layouts: ['col', 'row', 'row', 'row'], strided: false },
  { layouts: ['col', 'col', 'col', 'row'], strided: true },
];

/** If the elements of A and B are narrower than 8 bits, A is row-major and B is column-major. */
const narrowArrangements: readonly Arrangement[] = [
  { layouts: ['row', 'col', 'row', 'col'], strided: true },
  { layouts: ['row', 'col', 'col', 'row'], strided: false },
];

const listOf = (prefix: string, count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `%${prefix}${i}`).join(', ')}}`;

/**
 * The number of registers that each lane needs for each matrix. A factor of type f16 needs twice as many registers as
 * one copy of its elements would, because the lanes hold two copies of each element.
 */
function registersOf({ factor, c, d }: Case, m: number, n: number, k: number) {
  const count = (elements: number, bits: number): number => Math.max(1, (elements * bits) / 32 / Math.max(32, bits));
  const ofFactor = (elements: number): number => (factor === 'f16' ? 8 : count(elements, elementTypes[factor].bits));
  return {
    a: ofFactor(m * k),
    b: ofFactor(n * k),
    c: count(m * n, elementTypes[c].bits),
    d: count(m * n, elementTypes[d].bits),
  };
}

async function check(one: Case, engine: Engine): Promise<void> {
  const [m = 0, n = 0, k = 0] = one.shape.slice(1).split(/[nk]/).map(Number);
  const values = integers[one.factor] ?? floats;
  const a: Matrix = (row, column) => pick(values, 0, row, column);
  const b: Matrix = (row, column) => pick(values, 1, row, column);
  const c: Matrix = (row, column) => pick([0, 1, -2, 5, 3], 2, row, column);
  const term = (x: number, y: number): number => (one.op === 'xor' ? x ^ y : x * y);
  const sum: Matrix = (row, column) =>
    Array.from({ length: k }, (_, at) => term(a(row, at), b(at, column))).reduce((x, y) => x + y, c(row, column));
  const isNarrow = elementTypes[one.factor].bits < 8;
  for (const { layouts, strided } of isNarrow ? narrowArrangements : arrangements) {
    const [layoutA, layoutB, layoutC, layoutD] = layouts;
    const stored = (type: ElementName, layout: Layout, rows: number, columns: number): Stored => {
      const near = layout === 'row' ? columns : rows;
      return { type, layout, rows, columns, stride: strided ? near + 256 / elementTypes[type].bits : null };
    };
    const matrices = {
      a: stored(one.factor, layoutA, m, k),
      b: stored(one.factor, layoutB, k, n),
      c: stored(one.c, layoutC, m, n),
      d: stored(one.d, layoutD, m, n),
    };
    const found = await multiply(one, engine, matrices, [
      write(matrices.a, a),
      write(matrices.b, b),
      write(matrices.c, c),
    ]);
    expect(Buffer.from(found).toString('hex'), layouts.join()).toBe(
      Buffer.from(write(matrices.d, sum)).toString('hex'),
    );
  }
}

function mnemonicOf({ shape, factor, c, d, op }: Case, a: Layout, b: Layout): string {
  const types = factor === 'f16' ? `${d}.${c}` : `${d}.${factor}.${factor}.${c}`;
  const bits = op === undefined ? '' : `.${op}.popc`;
  return `wmma.mma${bits}.sync.aligned.${a}.${b}.${shape}.${types}`;
}

async function multiply(
  one: Case,
  engine: Engine,
  { a, b, c, d }: Readonly<Record<'a' | 'b' | 'c' | 'd', Stored>>,
  inputs: readonly Uint8Array[],
): Promise<Uint8Array> {
  const [m = 0, n = 0, k = 0] = one.shape.slice(1).split(/[nk]/).map(Number);
  const registers = registersOf(one, m, n, k);
  const stride = ({ stride: own }: Stored): string => (own === null ? '' : `, ${own}`);
  const type = (name: ElementName): string => (elementTypes[name].bits === 64 ? 'f64' : 'b32');
  const load = (side: 'a' | 'b' | 'c', stored: Stored): string =>
    `wmma.load.${side}.sync.aligned.${stored.layout}.${one.shape}.global.${stored.type} ${listOf(side, registers[side])}, [%p${side}]${stride(stored)};`;
  const source = `.version 7.1\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {
.reg .b64 %pa, %pb, %pc, %pd;
.reg .${type(one.factor)} %a<8>, %b<8>; .reg .${type(one.c)} %c<8>; .reg .${type(one.d)} %d<8>;
ld.param.u64 %pa, [pa]; ld.param.u64 %pb, [pb]; ld.param.u64 %pc, [pc]; ld.param.u64 %pd, [pd];
${load('a', a)}\n${load('b', b)}\n${load('c', c)}
${mnemonicOf(one, a.layout, b.layout)} ${listOf('d', registers.d)}, ${listOf('a', registers.a)}, ${listOf('b', registers.b)}, ${listOf('c', registers.c)};
wmma.store.d.sync.aligned.${d.layout}.${one.shape}.global.${one.d} [%pd], ${listOf('d', registers.d)}${stride(d)};
ret; }`;
  const device = await Device.create({ memory: 2 ** 20 });
  const to = device.alloc(new Uint8Array(bytesOf(d)));
  const args = [...inputs.map((bytes) => device.alloc(bytes)), to];
  const result = await device.load(source).kernel('k').launch({ grid: 1, block: 32, args, engine });
  if (!result.ok) throw new Error(result.fault.message);
  const found = Uint8Array.from(to.read('u8'));
  device.close();
  return found;
}

describe.each(engines)('on %s', (engine) => {
  test.each(cases.map((one) => [mnemonicOf(one, 'row', 'col').replace('.row.col', ''), one] as const))('%s', (_, one) =>
    check(one, engine),
  );
});
