/**
 * Tests f64 arithmetic on the fast engine, in code for one thread and in code for four threads at a time. There are
 * three kinds of operands: those for which a fused multiply-add is hard to round, numbers of all magnitudes, and
 * special values. The expected results come from the reference engine.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { RandomSource } from './random-source.ts';
import { ternaryBlock, ternaryKernel } from './ternary-kernel.ts';

/** Number of threads. */
const count = 4096;

const random = new RandomSource(64);

/**
 * Returns the bits of a random f64 whose exponent is between `least` and `most`. About a third of these numbers end
 * with several zero bits.
 */
function numberBetween(least: number, most: number): bigint {
  const exponent = BigInt(1023 + least + random.below(most - least + 1));
  const significand = ((BigInt(random.bits()) << 32n) | BigInt(random.bits())) & (2n ** 52n - 1n);
  const zeros = random.percent(30) ? BigInt(random.below(50)) : 0n;
  return (BigInt(random.below(2)) << 63n) | (exponent << 52n) | ((significand >> zeros) << zeros);
}

function product(a: bigint, b: bigint): bigint {
  const [x = 0, y = 0] = new Float64Array(BigUint64Array.of(a, b).buffer);
  return new BigUint64Array(Float64Array.of(x * y).buffer)[0] ?? 0n;
}

const sign = 1n << 63n;

type Triple = readonly [bigint, bigint, bigint];

/**
 * Returns a number to add to a * b: one that nearly cancels the product, one that overlaps the last bits of the
 * product, or an unrelated one.
 */
function closeAddend(a: bigint, b: bigint): bigint {
  const near = product(a, b);
  const kinds = [
    () => near ^ sign,
    () => (near ^ sign) + BigInt(random.below(9)) - 4n,
    () => (near & ~(2n ** 40n - 1n)) + (BigInt(random.below(120) - 60) << 52n),
    () => numberBetween(-60, 60),
    () => 0n,
  ];
  return random.pick(kinds)();
}

const specials: readonly bigint[] = [
  0n,
  sign,
  1n,
  sign | 1n,
  0x000fffffffffffffn,
  0x0010000000000000n,
  0x7fefffffffffffffn,
  0x7ff0000000000000n,
  0xfff0000000000000n,
  0x7ff8000000000001n,
  0x7ff0000000000123n,
  0xfff8dead00000000n,
];

const operands: Readonly<Record<string, () => Triple>> = {
  'close addends': () => {
    const [a, b] = [numberBetween(-30, 30), numberBetween(-30, 30)];
    return [a, b, closeAddend(a, b)];
  },
  'all sizes': () => [numberBetween(-1022, 1023), numberBetween(-1022, 1023), numberBetween(-1022, 1023)],
  'tiny products': () => [numberBetween(-500, -430), numberBetween(-500, -430), numberBetween(-1022, -860)],
  'special values': () => {
    const one = (): bigint => (random.percent(40) ? random.pick(specials) : numberBetween(-2, 2));
    return [one(), one(), one()];
  },
};

const roundings = ['rni', 'rzi', 'rmi', 'rpi'];

const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'];

type Instruction = readonly [mnemonic: string, text: string];

export const fusedDouble: Instruction = ['fma.rn.f64', 'fma.rn.f64 %d, %a, %b, %c;'];

export const doubleInstructions: readonly Instruction[] = [
  fusedDouble,
  ['add.rn.f64', 'add.rn.f64 %d, %a, %c;'],
  ['sub.rn.f64', 'sub.rn.f64 %d, %a, %c;'],
  ['mul.rn.f64', 'mul.rn.f64 %d, %a, %b;'],
  ['div.rn.f64', 'div.rn.f64 %d, %a, %b;'],
  ['sqrt.rn.f64', 'sqrt.rn.f64 %d, %a;'],
  ['rcp.rn.f64', 'rcp.rn.f64 %d, %a;'],
  ['rcp.approx.ftz.f64', 'rcp.approx.ftz.f64 %d, %a;'],
  ['rsqrt.approx.f64', 'rsqrt.approx.f64 %d, %a;'],
  ['rsqrt.approx.ftz.f64 of a magnitude', 'abs.f64 %d, %a; rsqrt.approx.ftz.f64 %d, %d;'],
  ['rsqrt.approx.f64 of a magnitude', 'abs.f64 %d, %a; rsqrt.approx.f64 %d, %d;'],
  ['min.f64', 'min.f64 %d, %a, %c;'],
  ['max.f64', 'max.f64 %d, %a, %c;'],
  ['neg.f64', 'neg.f64 %d, %a;'],
  ['abs.f64', 'abs.f64 %d, %a;'],
  ['cvt.rn.f32.f64', '.reg .f32 %s; cvt.rn.f32.f64 %s, %a; cvt.f64.f32 %d, %s;'],
  ['cvt.rz.f32.f64', '.reg .f32 %s; cvt.rz.f32.f64 %s, %a; cvt.f64.f32 %d, %s;'],
  ...roundings.flatMap((mode): readonly Instruction[] => [
    [`cvt.${mode}.f64.f64`, `cvt.${mode}.f64.f64 %d, %a;`],
    ...['s32', 'u32'].map(
      (type): Instruction => [
        `cvt.${mode}.${type}.f64`,
        `.reg .b32 %w; cvt.${mode}.${type}.f64 %w, %a; mov.b64 %d, {%w, %w};`,
      ],
    ),
  ]),
  ...['s32', 'u32'].map(
    (type): Instruction => [
      `cvt.rn.f64.${type}`,
      `.reg .b32 %lo, %hi; mov.b64 {%lo, %hi}, %a; xor.b32 %lo, %lo, %hi; cvt.rn.f64.${type} %d, %lo;`,
    ],
  ),
  ['cvt.f64.f64', 'cvt.f64.f64 %d, %a;'],
  ['cvt.rmi.sat.f64.f64', 'cvt.rmi.sat.f64.f64 %d, %a;'],
  ...comparisons.map((one) => [`setp.${one}.f64`, `setp.${one}.f64 %p, %a, %c; selp.f64 %d, %a, %b, %p;`] as const),
];

export function testDoubles(instructions: readonly Instruction[]): void {
  test.each(instructions)('%s', (_, text) => compareDoubles(text));
}

async function compareDoubles(text: string): Promise<void> {
  const device = await Device.create();
  const doubles = device.load(ternaryKernel('f64', count, text)).kernel('ternary');
  for (const [name, make] of Object.entries(operands)) {
    const from = new BigUint64Array(3 * count);
    for (let i = 0; i < count; i++) make().forEach((bits, operand) => from.set([bits], operand * count + i));
    const results: Uint8Array[] = [];
    for (const way of [{ engine: 'interp' }, { simd: true }, { simd: false }] as const) {
      const to = device.alloc(8 * count);
      const args = [device.alloc(from), to];
      expect(await doubles.launch({ ...way, grid: count / ternaryBlock, block: ternaryBlock, args })).toMatchObject({
        ok: true,
      });
      results.push(to.read());
    }
    expect({ name, results: results[1] }).toEqual({ name, results: results[0] });
    expect({ name, results: results[2] }).toEqual({ name, results: results[0] });
  }
}
