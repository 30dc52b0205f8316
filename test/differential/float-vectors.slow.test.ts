/**
 * Tests float instructions in code for one thread and in code for four threads at a time. The operands are special
 * values, random bits, and numbers whose sums and products are close to the midpoint between two representable values.
 * The expected results come from the reference engine.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { RandomSource } from './random-source.ts';
import { ternaryBlock, ternaryKernel } from './ternary-kernel.ts';

/** Number of threads. */
const count = 2048;

const random = new RandomSource(17);

const specialHalves = [
  0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe34,
  0x7fff, 0x0080, 0x007f, 0x7f80, 0xff80, 0x7f81, 0x3f80, 0xbf80, 0x7f7f, 0x3f81,
];
const specialSingles = [
  0, 0x8000_0000, 1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0xbf80_0000, 0x3f7f_ffff, 0x7f7f_ffff,
  0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xffc1_2345, 0x7e80_0000, 0x7e80_0001, 0xff00_0000, 0x3380_0000,
];

function half(): number {
  if (random.percent(30)) return random.pick(specialHalves);
  // If numbers have few significant bits, exact ties are frequent.
  const bits = random.below(0x1_0000);
  return random.percent(50) ? bits : bits & ~((1 << random.below(11)) - 1);
}

const sources: Readonly<Record<string, () => number>> = {
  f32: () => (random.percent(30) ? random.pick(specialSingles) : random.bits()),
  'f32 near 1': () => (0x3f80_0000 + random.below(0x0200_0000) - 0x0100_0000) | (random.percent(50) ? 0 : 0x8000_0000),
  halves: () => (half() << 16) | half(),
  'halves near 1': () => {
    const one = (): number => 0x3c00 + random.below(0x800) - 0x400;
    return (one() << 16) | one() | (random.percent(50) ? 0 : 0x8000_8000);
  },
  // The products of these 16-bit floats are close to one half of the smallest subnormal f16 or bf16.
  'halves with tiny products': () => {
    const one = (): number => random.pick([0x0c00, 0x0800, 0x1e80, 0x2400]) + random.below(8) - 4;
    return (one() << 16) | (random.percent(50) ? one() : 0x0200 + random.below(0x200));
  },
};

const single = ['f32', 'f32 near 1'];
const packed = ['halves', 'halves near 1', 'halves with tiny products'];

const elementaryHalves = ['ex2.approx.f16x2', 'tanh.approx.f16x2', 'tanh.approx.bf16x2', 'ex2.approx.ftz.bf16x2'].map(
  (name) => `${name} %x, %y;`,
);

/** The instructions, with the kinds of operands for which they are tested. */
const instructions: readonly (readonly [string, readonly string[]])[] = [
  ...['add', 'sub', 'mul', 'min', 'max', 'min.NaN', 'max.NaN', 'min.xorsign.abs', 'max.NaN.xorsign.abs'].flatMap(
    (name) => ['', '.ftz'].map((ftz) => [`${placed(name, ftz)}.f32 %d, %a, %b;`, single] as const),
  ),
  ...['add', 'add.ftz', 'sub', 'mul', 'mul.ftz'].map((name) => [`${name}.sat.f32 %d, %a, %b;`, single] as const),
  ...['fma.rn.sat', 'fma.rn.ftz.sat', 'fma.rn', 'fma.rn.ftz'].map(
    (name) => [`${name}.f32 %d, %a, %b, %c;`, single] as const,
  ),
  ...['rz', 'rm', 'rp'].flatMap((rounding) =>
    ['add %a, %b', 'sub %a, %b', 'mul %a, %b', 'fma %a, %b, %c'].flatMap((operation) =>
      ['', '.ftz', '.sat', '.ftz.sat'].map((modifiers) => {
        const [fn = '', operands = ''] = operation.split(/ (.*)/);
        return [`${fn}.${rounding}${modifiers}.f32 %d, ${operands};`, single] as const;
      }),
    ),
  ),
  ...['div.rn', 'div.rn.ftz', 'div.approx', 'div.approx.ftz', 'div.full', 'div.full.ftz'].map(
    (name) => [`${name}.f32 %d, %a, %b;`, single] as const,
  ),
  ...['neg', 'neg.ftz', 'abs', 'abs.ftz', 'rcp.rn', 'rcp.rn.ftz', 'rcp.approx', 'rcp.approx.ftz', 'sqrt.rn'].map(
    (name) => [`${name}.f32 %d, %a;`, single] as const,
  ),
  ...['ex2', 'tanh', 'sin', 'cos', 'rsqrt', 'lg2'].map((fn) => [`${fn}.approx.f32 %d, %a;`, single] as const),
  ...['ex2', 'sin', 'cos', 'rsqrt', 'lg2'].map((fn) => [`${fn}.approx.ftz.f32 %d, %a;`, single] as const),
  [
    `.reg .f64 %l; .reg .b32 %lo, %hi; cvt.f64.f32 %l, %a; mov.b64 {%lo, %hi}, %l; xor.b32 %lo, %lo, %hi; mov.b32 %d, %lo;`,
    single,
  ],
  ...['f16x2', 'bf16x2'].flatMap((type) => [
    ...['add.rn', 'sub.rn', 'mul.rn', 'min', 'max', 'min.NaN', 'max.NaN', 'min.xorsign.abs'].map(
      (name) => [`${name}.${type} %x, %y, %z;`, packed] as const,
    ),
    [`fma.rn.${type} %x, %y, %z, %w;`, packed] as const,
    [`fma.rn.relu.${type} %x, %y, %z, %w;`, packed] as const,
    [`neg.${type} %x, %y;`, packed] as const,
    [`abs.${type} %x, %y;`, packed] as const,
  ]),
  ...['eq', 'ne', 'lt', 'ge', 'num', 'nan', 'ltu', 'geu', 'neu'].flatMap((order) => [
    [`setp.${order}.f32 %p, %a, %b; selp.f32 %d, %a, %c, %p;`, single] as const,
    [`setp.${order}.ftz.f32 %p, %a, %b; selp.f32 %d, %a, %c, %p;`, single] as const,
    [`set.${order}.f16x2.f16x2 %x, %y, %z;`, packed] as const,
    [`set.${order}.bf16x2.bf16x2 %x, %y, %z;`, packed] as const,
  ]),
  ...['set.lt.ftz.f16x2.f16x2', 'add.rn.ftz.f16x2', 'add.rn.sat.f16x2', 'mul.rn.sat.f16x2', 'min.ftz.f16x2'].map(
    (name) => [`${name} %x, %y, %z;`, packed] as const,
  ),
  ...['fma.rn.sat.f16x2', 'fma.rn.ftz.f16x2'].map((name) => [`${name} %x, %y, %z, %w;`, packed] as const),
];

function placed(name: string, ftz: string): string {
  const [opcode = '', ...modifiers] = name.split('.');
  return [opcode + ftz, ...modifiers].join('.');
}

const packedText = (text: string): string => `
  .reg .b32 %x, %y, %z, %w;
  mov.b32 %y, %a;
  mov.b32 %z, %b;
  mov.b32 %w, %c;
  ${text}
  mov.b32 %d, %x;`;

describe.each(Object.entries(sources))('%s', (name, make) => {
  const operands = Uint32Array.from({ length: 3 * count }, () => make());
  const cases = instructions.filter(([, kinds]) => kinds.includes(name)).map(([text]) => text);
  test.each(cases)('%s', (text) => compareEngines(text, operands));
});

describe('every half', () => {
  const words = Uint32Array.from({ length: 2 ** 15 }, (_, i) => ((2 * i + 1) << 16) | (2 * i));
  const operands = new Uint32Array(3 * words.length);
  operands.set(words);
  test.each(elementaryHalves)('%s', (text) => compareEngines(text, operands));
});

/** @param operands the bits of all values for a, followed by those for b and those for c */
async function compareEngines(text: string, operands: Uint32Array): Promise<void> {
  const threads = operands.length / 3;
  const device = await Device.create();
  const body = text.includes('%x') ? packedText(text) : text;
  const kernel = device.load(ternaryKernel('f32', threads, body)).kernel('ternary');
  const from = device.alloc(operands);
  const results: unknown[] = [];
  for (const way of [{ engine: 'interp' }, { simd: true }, { simd: false }] as const) {
    const to = device.alloc(4 * threads);
    const ended = await kernel.launch({ ...way, grid: threads / ternaryBlock, block: ternaryBlock, args: [from, to] });
    expect(ended).toMatchObject({ ok: true });
    results.push(to.read('u32'));
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
}
