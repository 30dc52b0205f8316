/**
 * Tests integer instructions on the fast engine, in code for one thread and in code for four threads at a time. The
 * expected results come from the reference engine.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { RandomSource } from './random-source.ts';
import { ternaryBlock, ternaryKernel } from './ternary-kernel.ts';

const random = new RandomSource(32);

type Width = 16 | 32 | 64;

/** Numbers near the limits of a type, small numbers, powers of two and their neighbors, and random bits. */
function edges(width: Width): readonly bigint[] {
  const powers = [3, 7, 8, 15, 16, 31, 32, 33, 53, 63].filter((power) => power < width);
  const near = powers.flatMap((power) => [-1n, 0n, 1n].map((distance) => (1n << BigInt(power)) + distance));
  const small = [0n, 1n, 2n, 3n, 5n, 10n, 17n, 21n, 30n, 48n, 64n, 65n];
  const bits = Array.from({ length: 6 }, () => (BigInt(random.bits()) << 32n) | BigInt(random.bits()));
  const negative = [-1n, -2n, -3n, -7n, -64n, -(1n << BigInt(width - 2))];
  return [...new Set([...near, ...small, ...bits, ...negative].map((value) => BigInt.asUintN(width, value)))];
}

interface Operands {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** All pairs of edge cases as a and b; c is a random edge case. */
function operandsOf(width: Width): Operands {
  const values = edges(width);
  const triples = values.flatMap((a) => values.map((b) => [a, b, random.pick(values)] as const));
  const count = Math.ceil(triples.length / ternaryBlock) * ternaryBlock;
  const wide = new BigUint64Array(3 * count);
  triples.forEach((triple, i) => triple.forEach((bits, operand) => wide.set([bits], operand * count + i)));
  const all = new Uint8Array(wide.buffer);
  const bytes = new Uint8Array((3 * count * width) / 8).map(
    (_, i) => all[i + Math.floor(i / (width / 8)) * (8 - width / 8)] ?? 0,
  );
  return { count, bytes };
}

const operands = { 16: operandsOf(16), 32: operandsOf(32), 64: operandsOf(64) } as const;

/** Registers for the instructions. `%same` has the same value in all threads of a block. */
const registers = `
  .reg .b16 %h;
  .reg .b32 %n, %same, %w;
  .reg .b64 %x;
  mul.lo.u32 %same, %block, 7;`;

/** Mixes the bits of a 16-bit result, so that the result changes if bits above its width are set by mistake. */
const mix16 = `
  shr.b16 %h, %d, 5;
  xor.b16 %d, %d, %h;`;

async function compare(width: Width, instructions: string): Promise<void> {
  const { count, bytes } = operands[width];
  const device = await Device.create();
  const kernel = device
    .load(ternaryKernel(`b${width}`, count, registers + instructions + (width === 16 ? mix16 : '')))
    .kernel('ternary');
  const from = device.alloc(bytes);
  const results: Uint8Array[] = [];
  for (const way of [{ engine: 'interp' }, { simd: true }, { simd: false }] as const) {
    const to = device.alloc((count * width) / 8);
    const ended = await kernel.launch({ ...way, grid: count / ternaryBlock, block: ternaryBlock, args: [from, to] });
    expect(ended).toMatchObject({ ok: true });
    results.push(to.read());
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
}

type Case = readonly [name: string, width: Width, instructions: string];

const widths = [16, 32, 64] as const;
const types = widths.flatMap((width) => [`u${width}`, `s${width}`].map((type) => [type, width] as const));

function testAll(cases: readonly Case[]): void {
  test.each(cases)('%s', (_, width, instructions) => compare(width, instructions));
}

/** Copies a 32-bit result from `%w` to `%d`, which may have another width. */
const keepWord = (width: Width): string => (width === 32 ? 'mov.b32 %d, %w;' : `cvt.u${width}.u32 %d, %w;`);

// --- bits ------------------------------------------------------------------------------------------------------------

testAll([
  ...widths.flatMap((width): Case[] => [
    ...(['and', 'or', 'xor'] as const).map((fn): Case => [`${fn}.b${width}`, width, `${fn}.b${width} %d, %a, %b;`]),
    ...(['not', 'cnot'] as const).map((fn): Case => [`${fn}.b${width}`, width, `${fn}.b${width} %d, %a;`]),
  ]),
  ...([32, 64] as const).flatMap((width): Case[] => [
    [`popc.b${width}`, width, `popc.b${width} %w, %a; ${keepWord(width)}`],
    [`clz.b${width}`, width, `clz.b${width} %w, %a; ${keepWord(width)}`],
    [`brev.b${width}`, width, `brev.b${width} %d, %a;`],
    ...['u', 's'].map(
      (sign): Case => [`bfind.${sign}${width}`, width, `bfind.${sign}${width} %w, %a; ${keepWord(width)}`],
    ),
  ]),
]);

const amountOf = (width: Width): string => (width === 32 ? 'mov.b32 %n, %b;' : `cvt.u32.u${width} %n, %b;`);

const shifts = [
  ...widths.map((width) => ['shl', `b${width}`, width] as const),
  ...types.map(([type, width]) => ['shr', type, width] as const),
];

testAll(
  shifts.flatMap(([fn, type, width]): Case[] => {
    const by = (name: string, amount: string, before = ''): Case => [
      `${fn}.${type} by ${name}`,
      width,
      `${before} ${fn}.${type} %d, %a, ${amount};`,
    ];
    return [
      by('amounts that differ', '%n', amountOf(width)),
      by('small amounts that differ', '%n', `${amountOf(width)} and.b32 %n, %n, 63;`),
      by('amounts that a block shares', '%same'),
      by('large amounts that a block shares', '%n', 'mad.lo.u32 %n, %block, 0x2000001, 0x1000000;'),
      ...[0, 1, width - 1, width, width + 1, 100, 0xffffffff].map((amount) => by(`${amount}`, `${amount}`)),
    ];
  }),
);

/** Combines the results of several instructions in %d. Each instruction writes its result to %w. */
const mixed = (instructions: readonly string[]): string =>
  ['mov.b32 %d, 0;', ...instructions.map((one) => `${one} mad.lo.u32 %d, %d, 0x9e3779b1, %w;`)].join('\n');

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const modes = ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'] as const;
const selectors = [
  0x3210,
  0x7654,
  0x5410,
  0x7632,
  0x0123,
  0xffff,
  0x8888,
  0xba98,
  0x12345,
  ...numbers(40).map(() => random.bits() & 0xffff),
];

testAll([
  ...numbers(16).map(
    (upper): Case => [
      `lop3.b32 with tables from ${16 * upper}`,
      32,
      mixed(numbers(16).map((lower) => `lop3.b32 %w, %a, %b, %c, ${16 * upper + lower};`)),
    ],
  ),
  ['lop3.b32 with a constant', 32, 'lop3.b32 %d, %a, 0xff00ff, %c, 0xca;'],
  ['prmt.b32 by constants', 32, mixed(selectors.map((selector) => `prmt.b32 %w, %a, %b, ${selector};`))],
  ['prmt.b32 by selectors that differ', 32, 'prmt.b32 %d, %a, %b, %c;'],
  ['prmt.b32 by selectors that a block shares', 32, 'mul.lo.u32 %n, %same, 0x1357; prmt.b32 %d, %a, %b, %n;'],
  ...modes.flatMap((mode): Case[] => [
    [`prmt.b32.${mode} by constants`, 32, mixed([0, 1, 2, 3, 7].map((c) => `prmt.b32.${mode} %w, %a, %b, ${c};`))],
    [`prmt.b32.${mode} by selectors that differ`, 32, `prmt.b32.${mode} %d, %a, %b, %c;`],
  ]),
]);

// --- arithmetic ------------------------------------------------------------------------------------------------------

const binary = ['add', 'sub', 'mul.lo', 'mul.hi', 'div', 'rem', 'min', 'max'] as const;

testAll(
  types.flatMap(([type, width]): Case[] => [
    ...binary.map((fn): Case => [`${fn}.${type}`, width, `${fn}.${type} %d, %a, %b;`]),
    ...(['mad.lo', 'mad.hi'] as const).map((fn): Case => [`${fn}.${type}`, width, `${fn}.${type} %d, %a, %b, %c;`]),
    ...['div', 'rem']
      .flatMap((fn) => [`${fn}.${type} %d, %a, 7;`, `${fn}.${type} %d, -9, %b;`])
      .map((one): Case => [one, width, one]),
    ...(type.startsWith('s') ? ['neg', 'abs'] : []).map(
      (fn): Case => [`${fn}.${type}`, width, `${fn}.${type} %d, %a;`],
    ),
  ]),
);

testAll([
  ...['add', 'sub'].map((fn): Case => [`${fn}.sat.s32`, 32, `${fn}.sat.s32 %d, %a, %b;`]),
  ['mad.hi.sat.s32', 32, 'mad.hi.sat.s32 %d, %a, %b, %c;'],
  ...['u', 's'].flatMap((sign): Case[] => [
    [`the lower half of mul.wide.${sign}16`, 16, `mul.wide.${sign}16 %w, %a, %b; cvt.u16.u32 %d, %w;`],
    [`the upper half of mul.wide.${sign}16`, 16, `mul.wide.${sign}16 %w, %a, %b; mov.b32 {%h, %d}, %w;`],
    [`the upper half of mad.wide.${sign}16`, 16, `mad.wide.${sign}16 %w, %a, %b, %i; mov.b32 {%h, %d}, %w;`],
    [`the lower half of mul.wide.${sign}32`, 32, `mul.wide.${sign}32 %x, %a, %b; cvt.u32.u64 %d, %x;`],
    [`the upper half of mad.wide.${sign}32`, 32, `mad.wide.${sign}32 %x, %a, %b, %offset; mov.b64 {%w, %d}, %x;`],
  ]),
]);

const packed = ['u16', 's16'] as const;

testAll([
  ...packed.map((type): Case => [`cvt.pack.sat.${type}`, 32, `cvt.pack.sat.${type}.s32 %d, %a, %b;`]),
  ...['u8', 's8', 'u4', 's4'].map(
    (type): Case => [`cvt.pack.sat.${type}`, 32, `cvt.pack.sat.${type}.s32.b32 %d, %a, %b, %c;`],
  ),
]);

const orders = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;

testAll([
  ...types.flatMap(([type, width]) =>
    orders.map(
      (order): Case => [
        `setp.${order}.${type}`,
        width,
        `setp.${order}.${type} %p, %a, %b; selp.b${width} %d, %a, %c, %p;`,
      ],
    ),
  ),
  ...widths.flatMap((width) =>
    ['lo', 'ls', 'hi', 'hs'].map(
      (order): Case => [
        `setp.${order}.u${width}`,
        width,
        `setp.${order}.u${width} %p, %a, %b; selp.b${width} %d, %a, %c, %p;`,
      ],
    ),
  ),
]);

// --- conversions and narrow products ---------------------------------------------------------------------------------

const narrow = ['u8', 's8', 'u16', 's16', 'u32', 's32'] as const;

/**
 * Whether `type` can represent all values of `other`. If it can, `.sat` is not allowed in conversions from `other` to
 * `type`.
 */
function hasAll(type: string, other: string): boolean {
  const [bits, otherBits] = [Number(type.slice(1)), Number(other.slice(1))];
  if (type.startsWith('s') === other.startsWith('s')) return bits >= otherBits;
  return type.startsWith('s') && bits > otherBits;
}

testAll([
  ...narrow.flatMap((from) =>
    narrow.map(
      (to): Case => [
        `cvt.${to}.${from}`,
        32,
        mixed((hasAll(to, from) ? [''] : ['', '.sat']).map((sat) => `cvt${sat}.${to}.${from} %w, %a;`)),
      ],
    ),
  ),
  ...['u32', 's32'].flatMap((one) => [
    ...['u32', 's32'].flatMap((other): Case[] => [
      [`dp4a.${one}.${other}`, 32, `dp4a.${one}.${other} %d, %a, %b, %c;`],
      [`dp2a.${one}.${other}`, 32, mixed(['lo', 'hi'].map((half) => `dp2a.${half}.${one}.${other} %w, %a, %b, %c;`))],
      [
        `vadd4.${one}.${other}`,
        32,
        mixed(['', '.sat'].map((sat) => `vadd4.s32.${one}.${other}${sat} %w, %a, %b, %c;`)),
      ],
    ]),
    [`mad24.${one}`, 32, mixed(['lo', 'hi'].map((half) => `mad24.${half}.${one} %w, %a, %b, %c;`))] satisfies Case,
  ]),
]);

// --- instructions of several steps, some of which have the same operands for all threads -----------------------------

const places = [0, 1, 5, 31, 32, 33, 255];

testAll([
  ...['l', 'r'].flatMap((way) =>
    ['wrap', 'clamp'].flatMap((bound): Case[] => {
      const shf = `shf.${way}.${bound}.b32`;
      return [
        [`${shf} by amounts that differ`, 32, `${shf} %d, %a, %b, %c;`],
        [`${shf} by amounts that a block shares`, 32, `${shf} %d, %a, %b, %same;`],
        [`${shf} by constants`, 32, mixed(places.map((place) => `${shf} %w, %a, %b, ${place};`))],
      ];
    }),
  ),
  ...([32, 64] as const).flatMap((width): Case[] => [
    ...['u', 's'].flatMap((sign): Case[] => [
      [
        `bfe.${sign}${width} of fields that differ`,
        width,
        `${amountOf(width)} cvt.u32.u${width} %w, %c; and.b32 %n, %n, 255; and.b32 %w, %w, 255; bfe.${sign}${width} %d, %a, %n, %w;`,
      ],
      [`bfe.${sign}${width} of fields that a block shares`, width, `bfe.${sign}${width} %d, %a, %same, %block;`],
      [`bfe.${sign}${width} of a constant field`, width, `bfe.${sign}${width} %d, %a, 4, 8;`],
      [`bfind.shiftamt.${sign}${width}`, width, `bfind.shiftamt.${sign}${width} %w, %a; ${keepWord(width)}`],
    ]),
    [
      `bfi.b${width} of fields that differ`,
      width,
      `cvt.u32.u${width} %w, %c; and.b32 %w, %w, 255; bfi.b${width} %d, %a, %b, %w, %w;`,
    ],
    [`bfi.b${width} of fields that a block shares`, width, `bfi.b${width} %d, %a, %b, %same, %block;`],
    [`bfi.b${width} of a constant field`, width, `bfi.b${width} %d, %a, %b, 12, 20;`],
  ]),
  [
    'a register that only here gets the same value in all threads',
    32,
    `.reg .pred %q;
    setp.lt.u32 %p, %a, %b;
    mov.b32 %d, %a;
    @%p lop3.or.b32 %d|%q, %same, %block, 77, 0x96, %p;
    lop3.or.b32 %n|%q, %d, %block, 77, 0x96, %p;
    lop3.or.b32 %d|%q, %same, %block, 77, 0x96, %p;
    @%q add.u32 %d, %d, %n;`,
  ],
  ['a 64-bit value of words', 64, 'mov.b64 {%n, %w}, %a; mov.b64 {%n, _}, %b; mov.b64 %d, {%w, %n};'],
  [
    'a 64-bit value of halves',
    64,
    '.reg .b16 %r<4>; mov.b64 {%r0, %r1, %r2, %r3}, %a; mov.b64 %d, {%r2, %r0, %r3, %r1};',
  ],
]);
