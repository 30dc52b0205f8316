/**
 * Multiplies random matrices on both engines, and requires the results to be identical bit for bit. The fast engine
 * computes four columns at a time; it adds terms one by one only if the result would otherwise be wrong.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { findGpu, type GpuName } from '../../src/isa/gpus.ts';
import { formats, type FloatName } from '../../src/numerics/formats.ts';
import { RandomSource } from './random-source.ts';

type Element = Extract<FloatName, 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'e3m2' | 'e2m1' | 'f32'> | 'integer';

interface Product {
  readonly mnemonic: string;
  readonly gpu: GpuName;
  /** The formats of the elements of A and of B. */
  readonly factors: readonly [Element, Element];
  readonly sum: Element;
  /** The number of registers per lane for A, B, C and D. */
  readonly registers: readonly [number, number, number, number];
}

const wide = [4, 2, 4, 4] as const;
const m16n8k16 = 'mma.sync.aligned.m16n8k16.row.col';
const m16n8k32 = 'mma.sync.aligned.m16n8k32.row.col';

const floats: readonly Product[] = [
  { mnemonic: `${m16n8k16}.f32.f16.f16.f32`, gpu: 'sm_80', factors: ['f16', 'f16'], sum: 'f32', registers: wide },
  { mnemonic: `${m16n8k16}.f32.f16.f16.f32`, gpu: 'sm_90', factors: ['f16', 'f16'], sum: 'f32', registers: wide },
  { mnemonic: `${m16n8k16}.f32.bf16.bf16.f32`, gpu: 'sm_80', factors: ['bf16', 'bf16'], sum: 'f32', registers: wide },
  { mnemonic: `${m16n8k16}.f32.bf16.bf16.f32`, gpu: 'sm_90', factors: ['bf16', 'bf16'], sum: 'f32', registers: wide },
  {
    mnemonic: 'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32',
    gpu: 'sm_80',
    factors: ['tf32', 'tf32'],
    sum: 'f32',
    registers: wide,
  },
  {
    mnemonic: 'mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32',
    gpu: 'sm_90',
    factors: ['tf32', 'tf32'],
    sum: 'f32',
    registers: [2, 1, 4, 4],
  },
  { mnemonic: `${m16n8k32}.f32.e4m3.e5m2.f32`, gpu: 'sm_89', factors: ['e4m3', 'e5m2'], sum: 'f32', registers: wide },
  { mnemonic: `${m16n8k32}.f32.e4m3.e4m3.f32`, gpu: 'sm_90', factors: ['e4m3', 'e4m3'], sum: 'f32', registers: wide },
  { mnemonic: `${m16n8k32}.f32.e5m2.e4m3.f32`, gpu: 'sm_120', factors: ['e5m2', 'e4m3'], sum: 'f32', registers: wide },
  {
    mnemonic: `${m16n8k32}.f16.e4m3.e4m3.f16`,
    gpu: 'sm_89',
    factors: ['e4m3', 'e4m3'],
    sum: 'f16',
    registers: [4, 2, 2, 2],
  },
  {
    mnemonic: `${m16n8k16}.f16.f16.f16.f16`,
    gpu: 'sm_80',
    factors: ['f16', 'f16'],
    sum: 'f16',
    registers: [4, 2, 2, 2],
  },
  {
    mnemonic: `${m16n8k16}.f16.f16.f16.f16`,
    gpu: 'sm_90',
    factors: ['f16', 'f16'],
    sum: 'f16',
    registers: [4, 2, 2, 2],
  },
  {
    mnemonic: `${m16n8k32}.kind::f8f6f4.f32.e2m1.e3m2.f32`,
    gpu: 'sm_120',
    factors: ['e2m1', 'e3m2'],
    sum: 'f32',
    registers: wide,
  },
  { mnemonic: `${m16n8k32}.f32.e4m3.e5m2.f32`, gpu: 'sm_90', factors: ['e4m3', 'e5m2'], sum: 'f32', registers: wide },
  {
    mnemonic: `${m16n8k16}.f32.e4m3.e5m2.f32`,
    gpu: 'sm_90',
    factors: ['e4m3', 'e5m2'],
    sum: 'f32',
    registers: [2, 1, 4, 4],
  },
  {
    mnemonic: 'wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32',
    gpu: 'sm_90',
    factors: ['f16', 'f16'],
    sum: 'f32',
    registers: [8, 8, 8, 8],
  },
  {
    mnemonic: 'wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32',
    gpu: 'sm_90',
    factors: ['tf32', 'tf32'],
    sum: 'f32',
    registers: [4, 4, 8, 8],
  },
  {
    mnemonic: 'wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32',
    gpu: 'sm_80',
    factors: ['f16', 'f16'],
    sum: 'f32',
    registers: [8, 8, 8, 8],
  },
];

/** Kinds of products for which the fast engine never computes four columns at a time. */
const others: readonly Product[] = [
  {
    mnemonic: `${m16n8k16}.f16.e5m2.e4m3.f16`,
    gpu: 'sm_90',
    factors: ['e5m2', 'e4m3'],
    sum: 'f16',
    registers: [2, 1, 2, 2],
  },
  {
    mnemonic: 'mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32',
    gpu: 'sm_80',
    factors: ['f16', 'f16'],
    sum: 'f32',
    registers: [2, 2, 8, 8],
  },
  {
    mnemonic: 'mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16',
    gpu: 'sm_90',
    factors: ['f16', 'f16'],
    sum: 'f16',
    registers: [2, 2, 4, 4],
  },
];

const integers: readonly Product[] = (
  [
    [`${m16n8k32}.s32.s8.u8.s32`, wide],
    [`${m16n8k32}.satfinite.s32.u8.u8.s32`, wide],
    ['mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32', wide],
    ['mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32', [1, 1, 2, 2]],
    ['wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32', [1, 4, 8, 8]],
    ['mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc', wide],
    ['mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc', [1, 1, 2, 2]],
  ] as const
).map(([mnemonic, registers]) => ({
  mnemonic,
  gpu: 'sm_80',
  factors: ['integer', 'integer'],
  sum: 'integer',
  registers,
}));

// --- the data -------------------------------------------------------------------------------------------------------

/** Kinds of data, one for each warp. */
const kinds = [
  'ordinary',
  'spread',
  'zeros',
  'cancelling',
  'powers',
  'large',
  'leaning',
  'far accumulators',
  'lone accumulators',
  'subnormal',
  'tiny',
  'any bits',
] as const;
type Kind = (typeof kinds)[number];

/** A random code whose exponent differs by at most `range` from the exponent of 1. */
function near(random: RandomSource, format: FloatName, range: number): number {
  const { exponentBits, fractionBits, padding, bias } = formats[format];
  const most = 2 ** exponentBits - 2;
  const field = Math.max(0, Math.min(most, bias + random.below(2 * range + 1) - range));
  const sign = random.below(2) * 2 ** exponentBits;
  return ((sign + field) * 2 ** fractionBits + random.below(2 ** fractionBits)) * 2 ** padding;
}

/** A random power of two, with either sign, whose exponent differs by at most `range` from the exponent of 1. */
function powerOfTwo(random: RandomSource, format: FloatName, range: number): number {
  const { fractionBits, padding } = formats[format];
  const last = 2 ** (fractionBits + padding);
  return Math.floor(near(random, format, range) / last) * last;
}

function factorOf(random: RandomSource, format: FloatName, kind: Kind): number {
  const { width, exponentBits, fractionBits, padding, bias } = formats[format];
  const last = 2 ** (fractionBits + padding);
  switch (kind) {
    case 'ordinary':
    case 'far accumulators':
      return near(random, format, 2);
    case 'spread':
      return near(random, format, Math.min(12, 2 ** (exponentBits - 1)));
    case 'zeros':
      return random.percent(70) ? random.below(2) * 2 ** (width - 1) : near(random, format, 1);
    case 'cancelling':
      return powerOfTwo(random, format, 0);
    case 'lone accumulators':
      return 0;
    case 'powers':
      // Sums of these powers of two are often halfway between two f16 numbers if their smallest terms are left out.
      return powerOfTwo(random, format, 0) - Math.min(random.pick([0, 5, 12]), bias - 1) * last;
    case 'large':
    case 'leaning': {
      // Nearly all of these large numbers have the same sign, so that their sums become as large as possible.
      const below = random.percent(40) ? 1 : 1 + random.below(2 ** fractionBits);
      const isNegative = random.percent(kind === 'large' ? 3 : 20);
      return 2 ** (exponentBits - 1) * last - below * 2 ** padding + (isNegative ? 2 ** (width - 1) : 0);
    }
    case 'tiny':
      // Products of these numbers are below the smallest normal f32, or have subnormal factors.
      if (exponentBits === 8) return near(random, format, 0) - (64 + random.below(2)) * last;
      return random.percent(30) ? 0 : random.below(2 ** (fractionBits + 1)) * 2 ** padding;
    case 'subnormal':
      return random.percent(85) ? random.below(2 ** fractionBits) * 2 ** padding : near(random, format, 12);
    case 'any bits':
      return random.percent(96) ? near(random, format, 9) : random.below(2 ** width);
  }
}

function sumOf(random: RandomSource, format: FloatName, kind: Kind): number {
  if (kind === 'zeros') return random.percent(50) ? 0 : random.below(2) * 2 ** (formats[format].width - 1);
  if (kind === 'tiny') return 0;
  if (kind === 'lone accumulators') return near(random, format, 200);
  if (kind === 'far accumulators') return near(random, format, format === 'f32' ? 60 : 12);
  return factorOf(random, format, kind === 'subnormal' && format === 'f32' ? 'ordinary' : kind);
}

/** Returns random elements of a format as the contents of `count` registers in each lane of a warp. */
function wordsOf(random: RandomSource, format: Element, count: number, kind: Kind, sum: boolean): Uint32Array {
  return new Uint32Array(32 * count).map(() => {
    if (format === 'integer') return sum && random.percent(50) ? 0x7ffffff0 + random.below(32) : random.bits();
    const bits = formats[format].width > 8 ? formats[format].width : 8;
    const low = format === 'e2m1' ? 2 : 0;
    const code = sum ? sumOf : factorOf;
    return Array.from({ length: 32 / bits }, () => code(random, format, kind) * 2 ** low).reduceRight(
      (word, one) => (bits === 32 ? one : (word << bits) | one),
      0,
    );
  });
}

// --- the launch -----------------------------------------------------------------------------------------------------

/**
 * A module whose kernel loads the registers of A, B and C, executes the product, and stores D. In the buffers, the data
 * of each warp follows the data of the previous warp.
 */
function moduleOf({ mnemonic, gpu, registers }: Product): string {
  const names = ['a', 'b', 'c', 'd'] as const;
  const isFloat = mnemonic.includes('.f32');
  const list = (i: number): string =>
    `{${Array.from({ length: registers[i] ?? 0 }, (_, j) => `%${names[i]}${j}`).join(', ')}}`;
  const each = (i: number, line: (register: string, offset: number) => string): string =>
    Array.from({ length: registers[i] ?? 0 }, (_, j) => line(`%${names[i]}${j}`, 4 * j)).join('\n');
  const place = (i: number): string =>
    `mul.lo.u32 %x, %id, ${4 * (registers[i] ?? 0)}; cvt.u64.u32 %o, %x; add.u64 %o, %p${i}, %o;`;
  const type = (i: number): string => (i >= 2 && isFloat && registers[i] !== 2 ? 'f32' : 'b32');
  const target = findGpu(gpu)?.sm === 120 ? 'sm_120a' : gpu;
  return `.version 9.0\n.target ${target}\n.address_size 64
.visible .entry k(.param .u64 q0, .param .u64 q1, .param .u64 q2, .param .u64 q3)
{
.reg .b32 %id, %x, %y; .reg .b64 %o, %p<4>;
${names.map((name, i) => `.reg .${type(i)} %${name}<${registers[i] ?? 0}>; ld.param.u64 %p${i}, [q${i}];`).join('\n')}
mov.u32 %id, %tid.x; mov.u32 %y, %ctaid.x; shl.b32 %y, %y, 5; add.u32 %id, %id, %y;
${[0, 1, 2].map((i) => `${place(i)}\n${each(i, (name, offset) => `ld.global.${type(i)} ${name}, [%o+${offset}];`)}`).join('\n')}
${mnemonic} ${list(3)}, ${list(0)}, ${list(1)}, ${list(2)};
${place(3)}
${each(3, (name, offset) => `st.global.${type(3)} [%o+${offset}], ${name};`)}
ret;
}
`;
}

interface Multiplied {
  /** The elements of D, one array for each kind of data. */
  readonly results: readonly (readonly number[])[];
  readonly slowTiles: number;
}

async function multiply(product: Product, engine: 'interp' | 'jit', of: readonly Kind[]): Promise<Multiplied> {
  const device = await Device.create();
  const random = new RandomSource(product.mnemonic.length + of.length);
  const { factors, sum, registers } = product;
  const formatsOf = [factors[0], factors[1], sum] as const;
  const buffers = formatsOf.map((format, i) => {
    const warps = of.map((kind) => wordsOf(random, format, registers[i] ?? 0, kind, i === 2));
    return device.alloc(Uint32Array.from(warps.flatMap((words) => [...words])));
  });
  const words = 32 * registers[3];
  const d = device.alloc(4 * words * of.length);
  const kernel = device.load(moduleOf(product)).kernel('k');
  const result = await kernel.launch({ grid: of.length, block: 32, args: [...buffers, d], engine });
  if (!result.ok) throw new Error(result.fault.message);
  const all = [...d.read('u32')];
  const results = of.map((_, i) => all.slice(i * words, (i + 1) * words));
  return { results, slowTiles: result.stats.slowTiles };
}

const named = (products: readonly Product[]) =>
  products.map((product) => ({ product, text: `${product.gpu} ${product.mnemonic}` }));

describe('the engines agree on products of', () => {
  test.each(named([...floats, ...others]))('floats: $text', async ({ product }) => {
    const [fast, exact] = [await multiply(product, 'jit', kinds), await multiply(product, 'interp', kinds)];
    kinds.forEach((kind, i) => expect(fast.results[i], kind).toEqual(exact.results[i]));
  });

  test.each(named(integers))('integers: $text', async ({ product }) => {
    const [fast, exact] = [
      await multiply(product, 'jit', ['any bits']),
      await multiply(product, 'interp', ['any bits']),
    ];
    expect(fast.results).toEqual(exact.results);
    expect(fast.slowTiles).toBe(0);
  });
});

test.each(named(floats))('no ordinary tile is slow: $text', async ({ product }) => {
  const { slowTiles } = await multiply(product, 'jit', ['ordinary', 'zeros', 'cancelling']);
  expect(slowTiles).toBe(0);
});
