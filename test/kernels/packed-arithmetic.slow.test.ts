/**
 * Arithmetic on packed 8-bit, 6-bit and 4-bit values, and on pairs of different types (PTX ISA 9.4, sections 9.7.5 and
 * 9.7.6), compared with exact fractions. No ptxas or GPU that supports these instructions was available.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { check } from '../../src/check/check.ts';
import { randomSource } from './reference.ts';
import { ways } from '../device/run.ts';

// --- exact values ---------------------------------------------------------------------------------------------------

/** A value is a multiple of 2^-320, infinite, or not a number. A zero has a sign. */
type Value =
  | { readonly kind: 'finite'; readonly units: bigint; readonly isNegative: boolean }
  | { readonly kind: 'infinite'; readonly isNegative: boolean }
  | { readonly kind: 'nan'; readonly isNegative: boolean };

const unitShift = 320;

interface Format {
  readonly width: number;
  readonly significand: number;
  readonly bias: number;
  /**
   * The pattern of infinity and the first pattern of a NaN, both without the sign; null if the format has no such
   * pattern.
   */
  readonly infinity: number | null;
  readonly nanFrom: number | null;
}

const formats = {
  e4m3: { width: 8, significand: 3, bias: 7, infinity: null, nanFrom: 0x7f },
  e5m2: { width: 8, significand: 2, bias: 15, infinity: 0x7c, nanFrom: 0x7d },
  e3m2: { width: 6, significand: 2, bias: 3, infinity: null, nanFrom: null },
  e2m3: { width: 6, significand: 3, bias: 1, infinity: null, nanFrom: null },
  e2m1: { width: 4, significand: 1, bias: 1, infinity: null, nanFrom: null },
  f16: { width: 16, significand: 10, bias: 15, infinity: 0x7c00, nanFrom: 0x7c01 },
  bf16: { width: 16, significand: 7, bias: 127, infinity: 0x7f80, nanFrom: 0x7f81 },
  f32: { width: 32, significand: 23, bias: 127, infinity: 0x7f80_0000, nanFrom: 0x7f80_0001 },
} satisfies Record<string, Format>;

type Name = keyof typeof formats | 'ue8m0';

function magnitude({ significand, bias }: Format, pattern: number): bigint {
  const [power, fraction] = [Math.floor(pattern / 2 ** significand), pattern % 2 ** significand];
  const shift = Math.max(power, 1) - bias - significand + unitShift;
  return BigInt(power === 0 ? fraction : fraction + 2 ** significand) << BigInt(shift);
}

function decode(name: Name, bits: number): Value {
  if (name === 'ue8m0') {
    if (bits === 0xff) return { kind: 'nan', isNegative: false };
    return { kind: 'finite', units: 1n << BigInt(bits - 127 + unitShift), isNegative: false };
  }
  const format: Format = formats[name];
  const isNegative = bits >= 2 ** (format.width - 1);
  const pattern = bits % 2 ** (format.width - 1);
  if (format.nanFrom !== null && pattern >= format.nanFrom) return { kind: 'nan', isNegative };
  if (format.infinity === pattern) return { kind: 'infinite', isNegative };
  const units = magnitude(format, pattern);
  return { kind: 'finite', units: isNegative ? -units : units, isNegative };
}

const nan: Value = { kind: 'nan', isNegative: false };

function product(a: Value, b: Value): Value {
  const isNegative = a.isNegative !== b.isNegative;
  if (a.kind === 'nan' || b.kind === 'nan') return nan;
  if (a.kind === 'finite' && b.kind === 'finite')
    return { kind: 'finite', units: (a.units * b.units) >> BigInt(unitShift), isNegative };
  const other = a.kind === 'finite' ? a : b;
  return other.kind === 'finite' && other.units === 0n ? nan : { kind: 'infinite', isNegative };
}

function sum(a: Value, b: Value): Value {
  if (a.kind === 'nan' || b.kind === 'nan') return nan;
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.isNegative !== b.isNegative ? nan : a;
  if (b.kind === 'infinite') return b;
  const units = a.units + b.units;
  return { kind: 'finite', units, isNegative: units === 0n ? a.isNegative && b.isNegative : units < 0n };
}

const negated = (value: Value): Value =>
  value.kind === 'finite'
    ? { ...value, units: -value.units, isNegative: !value.isNegative }
    : { ...value, isNegative: !value.isNegative };

type Rounding = 'rn' | 'rz' | 'rm' | 'rp';

/** The largest pattern whose magnitude does not exceed `size`. */
function patternBelow(format: Format, size: bigint): number {
  let [low, high] = [0, (format.infinity ?? format.nanFrom ?? 0) - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (magnitude(format, middle) <= size) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Rounds a value once, and returns its bits. In the canonical NaNs, all bits except the sign are set. */
function encode(name: keyof typeof formats, value: Value, satfinite = false, rounding: Rounding = 'rn'): number {
  const format: Format = formats[name];
  const canonical = 2 ** (format.width - 1) - 1;
  const largest = (format.infinity ?? format.nanFrom ?? 0) - 1;
  const signed = (pattern: number): number => pattern + (value.isNegative ? 2 ** (format.width - 1) : 0);
  const beyond = (): number => {
    if (satfinite) return signed(largest);
    return format.infinity === null ? canonical : signed(format.infinity);
  };
  if (value.kind === 'nan') return canonical;
  if (value.kind === 'infinite') return beyond();
  const size = value.units < 0n ? -value.units : value.units;
  const below = patternBelow(format, size);
  const rest = size - magnitude(format, below);
  if (rest === 0n) return signed(below);
  const up = { rz: false, rm: value.isNegative, rp: !value.isNegative, rn: isNearer(format, below, rest) }[rounding];
  const pattern = below + (up ? 1 : 0);
  return pattern > largest ? beyond() : signed(pattern);
}

function isNearer(format: Format, below: number, rest: bigint): boolean {
  const gap = magnitude(format, below + 1) - magnitude(format, below);
  return 2n * rest > gap || (2n * rest === gap && below % 2 === 1);
}

// --- packed types ---------------------------------------------------------------------------------------------------

interface Packed {
  readonly format: Name;
  readonly lanes: number;
  readonly stride: number;
}

const types: Readonly<Record<string, Packed>> = {
  e5m2x4: { format: 'e5m2', lanes: 4, stride: 8 },
  e4m3x4: { format: 'e4m3', lanes: 4, stride: 8 },
  e3m2x4: { format: 'e3m2', lanes: 4, stride: 8 },
  e2m3x4: { format: 'e2m3', lanes: 4, stride: 8 },
  e2m1x4: { format: 'e2m1', lanes: 4, stride: 4 },
  e2m1p4x4: { format: 'e2m1', lanes: 4, stride: 8 },
  ue8m0x4: { format: 'ue8m0', lanes: 4, stride: 8 },
  f16x2: { format: 'f16', lanes: 2, stride: 16 },
  bf16x2: { format: 'bf16', lanes: 2, stride: 16 },
  f32x2: { format: 'f32', lanes: 2, stride: 32 },
};

function typeOf(name: string): Packed {
  const type = types[name];
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

const widthOf = ({ lanes, stride }: Packed): number => lanes * stride;

function valuesOf({ format, lanes, stride }: Packed, bits: bigint): readonly Value[] {
  const width = format === 'ue8m0' ? 8 : formats[format].width;
  return Array.from({ length: lanes }, (_, lane) =>
    decode(format, Number(BigInt.asUintN(width, bits >> BigInt(lane * stride)))),
  );
}

// --- kernels --------------------------------------------------------------------------------------------------------

interface Operation {
  readonly mnemonic: string;
  readonly target: string;
  readonly result: string;
  readonly sources: readonly string[];
  readonly compute: (...values: readonly Value[]) => number;
}

const register = (width: number): string => ({ 16: '%h', 32: '%r', 64: '%rd' })[width] ?? '';

function kernelOf({ mnemonic, target, result, sources }: Operation): string {
  const widths = sources.map((name) => widthOf(typeOf(name)));
  const outWidth = widthOf(typeOf(result));
  const loads = widths.map(
    (width, i) =>
      `ld.param.u64 %rd20, [p${i}]; mul.wide.u32 %rd21, %r20, ${width / 8}; add.u64 %rd20, %rd20, %rd21; ld.global.b${width} ${register(width)}${i + 1}, [%rd20];`,
  );
  const operands = [`${register(outWidth)}10`, ...widths.map((width, i) => `${register(width)}${i + 1}`)];
  return `.version 9.4
.target ${target}
.address_size 64
.visible .entry k(${[...sources.map((_, i) => `.param .u64 p${i}`), '.param .u64 out'].join(', ')}) {
.reg .b16 %h<16>; .reg .b32 %r<24>; .reg .b64 %rd<24>;
mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x; mad.lo.u32 %r20, %r21, 128, %r20;
${loads.join('\n')}
${mnemonic} ${operands.join(', ')};
ld.param.u64 %rd20, [out]; mul.wide.u32 %rd21, %r20, ${outWidth / 8}; add.u64 %rd20, %rd20, %rd21;
st.global.b${outWidth} [%rd20], ${register(outWidth)}10; ret; }
`;
}

const threads = 128;

function bytesOf(width: number, values: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array((values.length * width) / 8);
  values.forEach((value, i) => {
    for (let at = 0; at < width / 8; at++) bytes[(i * width) / 8 + at] = Number((value >> BigInt(8 * at)) & 0xffn);
  });
  return bytes;
}

function wordsOf(width: number, bytes: Uint8Array): readonly bigint[] {
  return Array.from({ length: (bytes.length * 8) / width }, (_, i) => {
    let word = 0n;
    for (let at = width / 8 - 1; at >= 0; at--) word = (word << 8n) | BigInt(bytes[(i * width) / 8 + at] ?? 0);
    return word;
  });
}

/** Patterns that are used for about half of the lanes: special values, the ends of ranges, and ordinary numbers. */
const near: Readonly<Record<string, readonly number[]>> = {
  e5m2x4: [0x7c, 0xfc, 0x7b, 0xfb, 0x7d, 0x01, 0x81, 0x00, 0x80],
  ue8m0x4: [0xfe, 0xfd, 0x00, 0x01, 0x7f, 0xff],
  f16x2: [0x3c01, 0xbc01, 0x0001, 0x8001, 0x7bff, 0x7c00, 0x7e00, 0x0000, 0x8000, 0x3555, 0x4111],
  bf16x2: [0x3f81, 0xbf81, 0x0001, 0x8001, 0x7f7f, 0x7f80, 0x7fc0, 0x0000, 0x8000, 0x3eab, 0x4049, 0x0081, 0x1901],
  f32x2: [0x3f80_0001, 0xbf80_1001, 1, 0x8000_0001, 0x7f7f_ffff, 0x7f80_0000, 0x7fff_ffff, 0, 0x8000_0000, 0x4049_0fdb],
};

function inputs(name: string, seed: number): readonly bigint[] {
  const random = randomSource(seed);
  const { lanes, stride } = typeOf(name);
  const chosen = near[name];
  const lane = (): bigint => {
    if (chosen !== undefined && random() < 0.5) return BigInt(chosen[Math.floor(random() * chosen.length)] ?? 0);
    return BigInt(Math.floor(random() * 2 ** stride));
  };
  return Array.from({ length: threads }, () =>
    Array.from({ length: lanes }, lane).reduce((word, bits) => (word << BigInt(stride)) | bits, 0n),
  );
}

async function run(operation: Operation, way: object): Promise<void> {
  const device = await Device.create();
  const given = operation.sources.map((name, i) => inputs(name, 7 * i + 3));
  const outType = typeOf(operation.result);
  const buffers = given.map((values, i) => device.alloc(bytesOf(widthOf(typeOf(operation.sources[i] ?? '')), values)));
  const out = device.alloc((threads * widthOf(outType)) / 8);
  const result = await device
    .load(kernelOf(operation))
    .kernel('k')
    .launch({ grid: threads / 128, block: 128, args: [...buffers, out], ...way });
  expect(result).toMatchObject({ ok: true });
  const lanesOf = (i: number): readonly (readonly Value[])[] =>
    given.map((values, source) => valuesOf(typeOf(operation.sources[source] ?? ''), values[i] ?? 0n));
  const expected = Array.from({ length: threads }, (_, i) => {
    const values = lanesOf(i);
    return Array.from({ length: outType.lanes }, (__, lane) =>
      operation.compute(...values.map((source) => source[lane] ?? nan)),
    );
  });
  const found = wordsOf(widthOf(outType), out.read()).map((word) =>
    Array.from({ length: outType.lanes }, (_, lane) =>
      Number(BigInt.asUintN(outType.stride, word >> BigInt(lane * outType.stride))),
    ),
  );
  expect(found).toEqual(expected);
}

// --- the operations -------------------------------------------------------------------------------------------------

const narrowSources = ['e5m2x4', 'e4m3x4', 'e3m2x4', 'e2m3x4', 'e2m1x4', 'e2m1p4x4', 'ue8m0x4'];

/** The product of two ue8m0 values can be far beyond the range of f32. */
const narrowPairs = [
  ...narrowSources.map((a, i) => [a, narrowSources[(i + 3) % narrowSources.length] ?? a] as const),
  ['ue8m0x4', 'ue8m0x4'] as const,
];

const narrow = (['e5m2', 'e4m3'] as const).flatMap((format) =>
  [false, true].flatMap((satfinite): readonly Operation[] => {
    const result = `${format}x4`;
    const words = satfinite ? '.satfinite' : '';
    const target = 'sm_100a';
    const to = (value: Value): number => encode(format, value, satfinite);
    return [
      ...narrowSources.flatMap((a): readonly Operation[] => [
        {
          mnemonic: `add.rn${words}.${result}.${a}`,
          target,
          result,
          sources: [a, result],
          compute: (x = nan, z = nan) => to(sum(x, z)),
        },
        {
          mnemonic: `sub${words}.${result}.${a}`,
          target,
          result,
          sources: [a, result],
          compute: (x = nan, z = nan) => to(sum(x, negated(z))),
        },
      ]),
      ...narrowPairs.flatMap(([a, b]): readonly Operation[] => {
        return [
          {
            mnemonic: `mul${words}.${result}.${a}.${b}`,
            target,
            result,
            sources: [a, b],
            compute: (x = nan, y = nan) => to(product(x, y)),
          },
          {
            mnemonic: `fma.rn${words}.${result}.${a}.${b}`,
            target,
            result,
            sources: [a, b, result],
            compute: (x = nan, y = nan, z = nan) => to(sum(product(x, y), z)),
          },
        ];
      }),
    ];
  }),
);

/** `.ftz`: subnormal values become zeros with the same sign. */
function flush(name: 'f32' | 'f16', bits: number): number {
  const { width, significand } = formats[name];
  const pattern = bits % 2 ** (width - 1);
  return pattern < 2 ** significand ? bits - pattern : bits;
}

const flushed = (value: Value): Value => decode('f32', flush('f32', encode('f32', value)));

const mixed = (['f16', 'bf16'] as const).flatMap((half): readonly Operation[] => {
  const target = 'sm_107f';
  const pair = `${half}x2`;
  const wide = (['rn', 'rz', 'rm', 'rp'] as const).flatMap((rounding): readonly Operation[] => [
    {
      mnemonic: `add.${rounding}.f32x2.${pair}.f32x2`,
      target,
      result: 'f32x2',
      sources: [pair, 'f32x2'],
      compute: (x = nan, z = nan) => withSign(sum(x, z), x, z, rounding),
    },
    {
      mnemonic: `sub.${rounding}.f32x2.${pair}.f32x2`,
      target,
      result: 'f32x2',
      sources: [pair, 'f32x2'],
      compute: (x = nan, z = nan) => withSign(sum(x, negated(z)), x, negated(z), rounding),
    },
    {
      mnemonic: `fma.${rounding}.f32x2.${pair}.f32x2.f32x2`,
      target,
      result: 'f32x2',
      sources: [pair, 'f32x2', 'f32x2'],
      compute: (x = nan, y = nan, z = nan) => withSign(sum(product(x, y), z), product(x, y), z, rounding),
    },
  ]);
  const ftz = half === 'f16';
  const source = (value: Value): Value => (ftz ? flushed(value) : value);
  const result = (value: Value): number => {
    const bits = encode(half, value, false, 'rz');
    return ftz ? flush('f16', bits) : bits;
  };
  const narrowing: readonly Operation[] = (
    [
      ['add', (x: Value, z: Value) => sum(x, z)],
      ['sub', (x: Value, z: Value) => sum(x, negated(z))],
      ['mul', (x: Value, z: Value) => product(x, z)],
    ] as const
  ).map(([opcode, of]) => ({
    mnemonic: `${opcode}.rz${ftz ? '.ftz' : ''}.${pair}.f32x2.f32x2`,
    target,
    result: pair,
    sources: ['f32x2', 'f32x2'],
    compute: (x = nan, z = nan) => result(of(source(x), source(z))),
  }));
  const other = half === 'f16' ? 'bf16x2' : 'f16x2';
  const crossed: Operation = {
    mnemonic: `mul.${pair}.${pair}.${other}`,
    target,
    result: pair,
    sources: [pair, other],
    compute: (x = nan, z = nan) => encode(half, product(x, z)),
  };
  return [...wide, ...narrowing, crossed];
});

/** The bits of a sum of f32 values. With `.rm`, the sum of a number and its negation is -0. */
function withSign(total: Value, a: Value, b: Value, rounding: Rounding): number {
  const isZero = total.kind === 'finite' && total.units === 0n;
  const cancels = isZero && a.isNegative !== b.isNegative;
  return encode('f32', cancels ? { ...total, isNegative: rounding === 'rm' } : total, false, rounding);
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  test.each([...narrow, ...mixed])('$mnemonic', async (operation) => {
    await run(operation, way);
  });
});

// --- verdicts -------------------------------------------------------------------------------------------------------

const registers = '.reg .b16 h; .reg .b32 r, s, t; .reg .b64 d, e; .reg .f32 f;';

function codes(line: string, target: string, version = '9.4'): readonly string[] {
  const text = `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() { ${registers}\n${line}\nret; }\n`;
  return check(text).diagnostics.map(({ code }) => code);
}

test.each([
  ['add.rn.e5m2x4.e4m3x4.satfinite r, s, t;', 'sm_103a', []],
  ['mul.e4m3x4.e2m1p4x4.e4m3x4.satfinite r, s, t;', 'sm_100a', []],
  ['add.e4m3x4.e2m1x4 r, h, t;', 'sm_100a', []],
  ['add.e4m3x4.e2m1x4 r, s, t;', 'sm_100a', ['PTX3004']],
  ['add.e4m3x4.e4m3x4 f, s, t;', 'sm_100a', ['PTX3004']],
  ['add.rz.e4m3x4.e4m3x4 r, s, t;', 'sm_100a', ['PTX2031']],
  ['add.e4m3x4.e4m3x4 r, s, t;', 'sm_100f', ['PTX4002']],
  ['add.e4m3x4.e4m3x4 r, s, t;', 'sm_120a', ['PTX4002']],
  ['mul.ftz.rz.f16x2.f32x2.f32x2 r, d, e;', 'sm_107f', []],
  ['mul.rz.f16x2.f32x2.f32x2 r, d, e;', 'sm_107f', ['PTX2032']],
  ['fma.f32x2.f16x2.f32x2.f32x2 d, r, e, e;', 'sm_107f', ['PTX2030']],
  ['add.f32x2.bf16x2.f32x2 d, r, e;', 'sm_107a', []],
  ['add.f32x2.bf16x2.f32x2 d, r, e;', 'sm_100a', ['PTX4002']],
] as const)('%s on %s', (line, target, expected) => {
  expect(codes(line, target)).toEqual(expected);
});

test('before 9.4, the instructions are refused', () => {
  expect(codes('add.e4m3x4.e4m3x4 r, s, t;', 'sm_100a', '9.3')).toEqual(['PTX4001']);
});
