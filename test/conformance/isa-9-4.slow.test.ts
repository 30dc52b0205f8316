/**
 * Additions of PTX ISA 9.2 and 9.4 to cvt. The tests follow the text of the ISA (9.4, section 9.7.10.24: the syntax
 * block, the semantics and the notes). `legality-later` contains the verdicts of compilers.
 */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { Device } from '../../src/device.ts';
import { parseModule } from '../../src/syntax/parser.ts';
import { printModule } from '../../src/syntax/printer.ts';
import { evaluate } from '../../src/evaluate.ts';
import { type TargetName, targets } from '../../src/isa/targets.ts';
import { floatFormat, type FloatName } from '../../src/numerics/formats.ts';

interface Line {
  readonly inst: string;
  readonly names: string;
}

const narrow = ['.e4m3x2', '.e5m2x2', '.e2m3x2', '.e3m2x2', '.e2m1x2'];
const register = (type: string): string => (type === '.e2m1x2' ? '.reg .b8 n;' : '.reg .b16 n;');
const optional = (...words: readonly string[]): readonly string[] =>
  words.reduce<readonly string[]>((made, word) => made.flatMap((before) => [before, before + word]), ['']);

const names = '.reg .b8 s; .reg .b16 h, pair; .reg .b32 packed, r; .reg .f32 a, b, e, f;';

/** Conversions from a narrow format to bf16x2, with two scale factors or without. */
const widening: readonly Line[] = narrow.flatMap((type) =>
  optional('.relu', '.satfinite').flatMap((words) => [
    { inst: `cvt.rn${words}.bf16x2${type} packed, n;`, names: names + register(type) },
    { inst: `cvt.rn${words}.scaled::n2::ue8m0.bf16x2${type} packed, n, pair;`, names: names + register(type) },
  ]),
);

const oneFactor = narrow.flatMap((type) =>
  optional('.relu', '.pzo').flatMap((words) =>
    ['.rn', '.rz'].flatMap((rounding) => {
      const start = `cvt${rounding}.satfinite${words}.scaled::n1::ue8m0${type}`;
      return [`${start}.f32 n, a, b, s;`, `${start}.f16x2 n, packed, s;`, `${start}.bf16x2 n, packed, s;`].map(
        (inst): Line => ({ inst, names: names + register(type) }),
      );
    }),
  ),
);

const towardZero = narrow.flatMap((type) =>
  ['.f32 n, a, b;', '.f16x2 n, packed;', '.bf16x2 n, packed;'].map(
    (rest): Line => ({ inst: `cvt.rz.satfinite${type}${rest}`, names: names + register(type) }),
  ),
);

const positiveZeros: readonly Line[] = [
  'cvt.rn.pzo.f16.f32 h, a;',
  'cvt.rz.relu.pzo.f16x2.f32 r, a, b;',
  'cvt.rn.satfinite.pzo.bf16.f32 h, a;',
  'cvt.rz.pzo.bf16x2.f32 r, a, b;',
  'cvt.rn.pzo.tf32.f32 r, a;',
  'cvt.rn.bf16.f32.pzo h, a;',
  'cvt.rn.satfinite.pzo.e4m3x2.f32 h, a, b;',
].map((inst) => ({ inst, names }));

const ue5m3: readonly Line[] = [
  ...['.rn', '.rz', '.rp'].flatMap((rounding) =>
    optional('.satfinite').flatMap((words) => [
      `cvt${rounding}${words}.ue5m3x2.f32 h, a, b;`,
      `cvt${rounding}${words}.ue5m3x2.f16x2 h, packed;`,
      `cvt${rounding}${words}.ue5m3x2.bf16x2 h, packed;`,
    ]),
  ),
  'cvt.rz.satfinite.scaled::n1::ue8m0.ue5m3x2.f32 h, a, b, s;',
  'cvt.rn.scaled::n1::ue8m0.ue5m3x2.bf16x2 h, packed, s;',
  'cvt.rn.f16x2.ue5m3x2 packed, h;',
  'cvt.rn.bf16x2.ue5m3x2 packed, h;',
  'cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.ue5m3x2 packed, h, pair;',
].map((inst) => ({ inst, names }));

const memory = '.reg .b32 r, t; .reg .b64 d; .reg .f32 x, y;';

/** Atomics that keep subnormal numbers, read-only loads, and prefetches. */
const accesses: readonly Line[] = [
  'atom.global.add.noftz.f32 x, [d], y;',
  'atom.noftz.add.shared.f32 x, [d], y;',
  'red.add.noftz.f32 [d], y;',
  'atom.global.v2.f32.add.noftz {x, y}, [d], {x, y};',
  'red.global.v4.f32.add.noftz [d], {x, y, x, y};',
  ...['', '.global'].map((space) => `ld${space}.u32.proxy::readonly r, [d];`),
  'ld.proxy::readonly.f32 x, [d];',
  ...['', '.global'].map((space) => `prefetch${space}.L1::32B.valid_addr [d];`),
].map((inst) => ({ inst, names: memory }));

/** Accesses to memory-mapped I/O that order other accesses. */
const ordered: readonly Line[] = [
  'ld.global.acquire.mmio.sys.u32 r, [d];',
  'ld.mmio.acquire.sys.f32 x, [d];',
  'st.global.release.mmio.sys.u32 [d], r;',
].map((inst) => ({ inst, names: memory }));

const masks: readonly Line[] = [
  ...['.u8x4', '.u16x2'].flatMap((type) =>
    ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'].map(
      (comparison) => `set.${comparison}${type} r, t, t;`,
    ),
  ),
  ...['.s8x4', '.s16x2'].flatMap((type) =>
    ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].map((comparison) => `set.${comparison}${type} r, t, t;`),
  ),
].map((inst) => ({ inst, names: memory }));

const from = (sm: number): readonly TargetName[] => targets.filter((target) => target.sm >= sm).map(({ name }) => name);

const familiesSince92 = targets.filter(({ sm, suffix }) => sm >= 100 && suffix !== '').map(({ name }) => name);

function legal({ inst, names: declared }: Line, target: string, version: string): boolean {
  const source = `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() {\n${declared}\n${inst}\nret; }`;
  return check(source).diagnostics.every((diagnostic) => diagnostic.severity !== 'error');
}

const accepting = (line: Line): readonly TargetName[] =>
  targets.map(({ name }) => name).filter((name) => legal(line, name, '9.4'));

describe('legality', () => {
  const rubin = ['sm_107a', 'sm_107f'];
  test.each([
    ['widening to bf16x2', widening, familiesSince92],
    ['one scale factor', oneFactor, rubin],
    ['.rz', towardZero, rubin],
    ['.pzo', positiveZeros, rubin],
    ['ue5m3', ue5m3, rubin],
    ['masks of packed integers', masks, rubin],
    ['accesses', accesses, from(90)],
    ['ordered memory-mapped I/O', ordered, from(75)],
  ] as const)('%s is accepted on exactly these targets', (_, lines, expected) => {
    const wrong = lines.filter((line) => accepting(line).join() !== [...expected].join());
    expect(wrong.map(({ inst }) => inst)).toEqual([]);
  });

  test('widening to bf16x2 came with 9.2, and the rest with 9.4', () => {
    expect(widening.filter((line) => !legal(line, 'sm_120f', '9.2') || legal(line, 'sm_120f', '9.1'))).toEqual([]);
    const later = [...oneFactor, ...towardZero, ...positiveZeros, ...ue5m3, ...masks, ...accesses];
    expect(later.filter((line) => legal(line, 'sm_103f', '9.3'))).toEqual([]);
  });

  test('ordered memory-mapped I/O came with 9.3', () => {
    expect(ordered.filter((line) => !legal(line, 'sm_75', '9.3') || legal(line, 'sm_75', '9.2'))).toEqual([]);
  });

  test.each([
    ['the single factor is a byte', 'cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 h, a, b, pair;'],
    ['a factor needs its qualifier', 'cvt.rn.satfinite.e4m3x2.f32 h, a, b, s;'],
    ['two factors are only for wider results', 'cvt.rn.satfinite.scaled::n2::ue8m0.e4m3x2.f32 h, a, b, pair;'],
    ['with one factor, ue5m3 is not rounded up', 'cvt.rp.scaled::n1::ue8m0.ue5m3x2.f32 h, a, b, s;'],
    ['ue5m3 has no sign to clamp', 'cvt.rn.relu.ue5m3x2.f32 h, a, b;'],
    ['ue5m3 has no negative zero', 'cvt.rn.pzo.ue5m3x2.f32 h, a, b;'],
    ['ue8m0 has no zero', 'cvt.rz.pzo.ue8m0x2.f32 h, a, b;'],
    ['.pzo is only for narrower results', 'cvt.rn.pzo.f16x2.e4m3x2 packed, h;'],
    ['random bits have no .pzo', 'cvt.rs.pzo.f16x2.f32 r, a, b, packed;'],
    ['random bits have no .pzo in narrow results', 'cvt.rs.satfinite.pzo.e4m3x4.f32 r, {a, b, e, f}, packed;'],
    ['tf32 with ties away from zero has no .pzo', 'cvt.rna.pzo.tf32.f32 r, a;'],
  ])('%s', (_, inst) => {
    expect(legal({ inst, names }, 'sm_107a', '9.4')).toBe(false);
  });
});

describe('instructions that the table lacks', () => {
  const registers =
    '.reg .b16 h; .reg .b32 r; .reg .f32 x; .reg .b64 d; .reg .pred p, q; .shared .align 16 .b8 s[64]; .shared .b64 bar;';
  const codes = (inst: string, version = '9.4'): readonly string[] =>
    check(
      `.version ${version}\n.target sm_103a\n.address_size 64\n.entry k() {\n${registers}\n${inst}\nret; }`,
    ).diagnostics.map(({ code }) => code);

  test.each([
    'fabric.submit;',
    'mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 _, [bar], r;',
    'tcgen05.mma.cta_group::1.kind::ti16 [r], d, d, r, p;',
    'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled [s], [d], r, [bar];',
  ])('a note, and an error before 9.3: %s', (inst) => {
    expect(codes(inst)).toEqual(['PTX2002']);
    expect(codes(inst, '9.2')).not.toEqual(['PTX2002']);
  });

  test.each([
    ['ld.global.sat.u32 r, [d];', 'PTX2011'],
    ['ld.global.global.b32 r, [d];', 'PTX2012'],
    ['ld.global.proxy::readonly.proxy::readonly.b32 r, [d];', 'PTX2012'],
    ['set.lt.u8x4.u8x4 r, r, r;', 'PTX2020'],
    ['add.rn.f32x2.f16x2 d, d, r;', 'PTX2020'],
    ['fma.rn.e4m3x4.f32x2 d, d, r, r;', 'PTX2020'],
    ['prefetch.global.L1::32B [d];', 'PTX2032'],
    ['ld.shared.proxy::readonly.b32 r, [bar];', 'PTX2011'],
    ['ld.global.proxy::readonlyy.b32 r, [d];', 'PTX2010'],
    ['atom.global.add.u8 h, [d], h;', 'PTX2020'],
    ['mul.u8x4 r, r, r;', 'PTX2020'],
    ['add.f16x2.f16x2 r, r, r;', 'PTX2020'],
    ['fma.rn.f16x2.f32.u64 r, r, r, r;', 'PTX2020'],
    ['prefetch.global.L2 [d], r, r;', 'PTX3002'],
    ['cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [d];', 'PTX3002'],
  ])('words of today stay errors: %s', (inst, code) => {
    expect(codes(inst)).toContain(code);
  });
});

const bitsOf = (value: number): number => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0);
};

const onRubin = { target: 'sm_107a' } as const;
const run = (mnemonic: string, ...inputs: readonly number[]): number => Number(evaluate(mnemonic, inputs, onRubin)[0]);

/** All values of the 8-bit format ue5m3, indexed by code, except NaN. */
const values = Array.from({ length: 0xff }, (_, code) =>
  code < 8 ? code * 2 ** -17 : (1 + (code & 7) / 8) * 2 ** ((code >> 3) - 15),
);

/** The code of the nearest value. If two values are equally near, the even code is returned. */
function nearest(value: number): number {
  const most = values.at(-1) ?? 0;
  if (value > most + 2 ** 12) return 0xff;
  const distances = values.map((one) => Math.abs(one - value));
  const least = Math.min(...distances);
  const found = values.flatMap((_, code) => (distances[code] === least ? [code] : []));
  return found.find((code) => code % 2 === 0) ?? found[0] ?? 0;
}

describe('ue5m3', () => {
  test('has a range from 2^-17 to 114688, and one NaN', () => {
    expect([values[1], values.at(-1)]).toEqual([2 ** -17, 114688]);
    expect(run('cvt.rn.bf16x2.ue5m3x2', 0x00ff)).toBe(0x00007fff);
    expect(run('cvt.rn.f16x2.ue5m3x2', 0xfe01)).toBe(0x7c000080);
  });

  test('every code survives the way to bf16 and back', () => {
    for (let code = 0; code <= 0xff; code++)
      expect(run('cvt.rn.ue5m3x2.bf16x2', run('cvt.rn.bf16x2.ue5m3x2', code))).toBe(code);
  });

  test('numbers are rounded to the nearest code, whatever their sign is', () => {
    for (let i = 0; i < 2000; i++) {
      const value = Math.fround(2 ** (-19 + (37 * i) / 2000) * (1 + i / 2000));
      expect([value, run('cvt.rn.ue5m3x2.f32', bitsOf(-value), bitsOf(value))]).toEqual([
        value,
        nearest(value) * 0x101,
      ]);
    }
  });

  test.each([
    ['.rn: halfway beyond the largest value', 'cvt.rn.ue5m3x2.f32', 118784, 0xfe],
    ['.rn: more than halfway', 'cvt.rn.ue5m3x2.f32', 118792, 0xff],
    ['.rz: any number', 'cvt.rz.ue5m3x2.f32', 3e38, 0xfe],
    ['.rz: infinity', 'cvt.rz.ue5m3x2.f32', Infinity, 0xff],
    ['.rp: beyond the largest value', 'cvt.rp.ue5m3x2.f32', 114696, 0xff],
    ['.rp: the least number', 'cvt.rp.ue5m3x2.f32', 2 ** -149, 1],
    ['.satfinite: infinity', 'cvt.rp.satfinite.ue5m3x2.f32', Infinity, 0xfe],
    ['.satfinite: NaN', 'cvt.rn.satfinite.ue5m3x2.f32', NaN, 0xff],
  ])('%s', (_, mnemonic, value, code) => {
    expect(run(mnemonic, bitsOf(value), 0)).toBe(code * 0x100);
  });
});

// The results are those of a Rubin GPU, taken from tests that NVIDIA has published for its own kernels.
describe('one scale factor, as measured', () => {
  test.each([
    ['a factor of NaN', 1, 0xff, 0x7f7f],
    ['infinity', Infinity, 127, 0x7e7e],
    ['negative infinity', -Infinity, 127, 0xfefe],
    ['NaN', NaN, 127, 0x7f7f],
    ['the least factor', 2 ** -118, 0, 0x7e7e],
    ['the greatest factor', 2 ** 127, 254, 0x3838],
    ['a subnormal input', -(2 ** -127), 0, 0x8080],
  ])('%s', (_, value, factor, result) => {
    const mnemonic = 'cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32';
    expect(run(mnemonic, bitsOf(value), bitsOf(value), factor)).toBe(result);
  });
});

describe('.pzo', () => {
  const pairs: readonly (readonly [mnemonic: string, inputs: readonly number[]])[] = [
    ['cvt.rn.pzo.f16x2.f32', [bitsOf(-0), bitsOf(-1e-20)]],
    ['cvt.rz.pzo.bf16x2.f32', [bitsOf(-0), 0x80000001]],
    ['cvt.rn.pzo.tf32.f32', [bitsOf(-0)]],
    ['cvt.rn.satfinite.pzo.e4m3x2.f32', [bitsOf(-0), bitsOf(-1e-9)]],
    ['cvt.rz.satfinite.pzo.e2m1x2.bf16x2', [0x8000be00]],
  ];
  test.each(pairs)('%s makes every zero positive', (mnemonic, inputs) => {
    expect(run(mnemonic, ...inputs)).toBe(0);
    expect(run(mnemonic.replace('.pzo', ''), ...inputs)).not.toBe(0);
  });

  test('other results stay as they are', () => {
    expect(run('cvt.rn.satfinite.pzo.e4m3x2.f32', bitsOf(-1), bitsOf(-448))).toBe(0xb8fe);
  });
});

describe('one scale factor', () => {
  test('divides both values', () => {
    expect(run('cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32', bitsOf(8), bitsOf(4), 0x82)).toBe(0x3830);
    expect(run('cvt.rn.satfinite.scaled::n1::ue8m0.e2m1x2.f16x2', 0x4400bc00, 0x7e)).toBe(0x7c);
  });

  test.each([
    ['f32', 'cvt.rn.satfinite.scaled::n1::ue8m0.e5m2x2.f32', [0x007fffff, 0x807fffff, 0]],
    ['f16', 'cvt.rn.satfinite.scaled::n1::ue8m0.e5m2x2.f16x2', [0x03ff83ff, 0x70]],
    ['bf16', 'cvt.rn.satfinite.scaled::n1::ue8m0.e5m2x2.bf16x2', [0x007f807f, 0]],
  ] as const)('subnormal %s inputs become zeros first', (_, mnemonic, inputs) => {
    expect(run(mnemonic, ...inputs)).toBe(0x0080);
  });

  test('0xff makes every result a NaN', () => {
    expect(run('cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32', bitsOf(1), bitsOf(-0), 0xff)).toBe(0x7f7f);
  });
});

describe('conversions to bf16x2', () => {
  test.each(['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const)('from %s keep every value', (name: FloatName) => {
    const { width } = floatFormat(name);
    const stride = name === 'e2m1' ? 4 : 8;
    for (let code = 0; code < 2 ** width; code++) {
      const viaHalf = run(`cvt.rn.f16x2.${name}x2`, code + code * 2 ** stride) & 0xffff;
      const single = Number(evaluate('cvt.f32.f16', [viaHalf])[0]);
      const expected = Number(evaluate('cvt.rn.bf16.f32', [single])[0]);
      expect(run(`cvt.rn.bf16x2.${name}x2`, code + code * 2 ** stride)).toBe(expected * 0x10001);
    }
  });

  test('with factors, each lane is multiplied by its own', () => {
    expect(run('cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2', 0x3838, 0x807e)).toBe(0x40003f00);
    expect(run('cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2', 0x7b3c, 0xfe00)).toBe(0x7f7f0040);
    expect(run('cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2', 0x7b3c, 0xfeff)).toBe(0x7f807fff);
  });
});

describe('masks of packed integers', () => {
  test.each([
    ['set.lt.u8x4', 0x01_80_ff_05, 0x02_7f_ff_04, 0xff_00_00_00],
    ['set.lt.s8x4', 0x01_80_ff_05, 0x02_7f_ff_04, 0xff_ff_00_00],
    ['set.hs.u16x2', 0x8000_0001, 0x7fff_0002, 0xffff_0000],
    ['set.ne.s16x2', 0x8000_0001, 0x8000_0002, 0x0000_ffff],
  ])('%s', (mnemonic, a, b, expected) => {
    expect(run(mnemonic, a, b)).toBe(expected);
  });
});

test('atomic sums with .noftz keep subnormal numbers in global memory, and those without it do not', async () => {
  const text = `.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b64 d; .reg .f32 x; .reg .b32 r, t;
ld.param.u64 d, [p]; mov.f32 x, 0f00000003;
red.global.add.f32 [d], x; red.global.add.noftz.f32 [d+4], x;
red.global.v2.f32.add.noftz [d+8], {x, x}; atom.global.add.noftz.f32 x, [d+4], x; ret; }`;
  for (const engine of ['interp', 'jit'] as const) {
    const device = await Device.create();
    const buffer = device.alloc(new Uint32Array([4, 4, 4, 4]));
    expect(
      await device
        .load(text)
        .kernel('k')
        .launch({ args: [buffer], engine }),
    ).toMatchObject({ ok: true });
    expect([...new Uint32Array(buffer.read().buffer)]).toEqual([0, 10, 7, 7]);
  }
});

describe('directives', () => {
  const module = (text: { readonly header?: string; readonly body?: string; readonly end?: string }, version = '9.4') =>
    `.version ${version}
.target sm_90
.address_size 64
.func f() ${text.header?.replace(/\.minperctamemory \d+/, '') ?? ''} { ret; }
.visible .entry k() ${text.header ?? ''} {
.reg .b32 %r<4>; .reg .b64 %rd<2>;
.loc 1 2 3
${text.body ?? ''}
ret; }
.file 1 "a.py"
.file 2 "a.tileir"
${text.end ?? ''}`;
  const codes = (text: string): readonly string[] => check(text).diagnostics.map(({ code }) => code);

  const block = (text: string): string => `.code_block { .ir_name: "tile ir" .sourceFileName: 2 ${text} }`;
  const sources = `.nv_intermediate_source_section {
${block('.source_begin\n"open { /* 0f .source_en\n.source_end')}
${block('.source: <<< entry @k() { } >>>')} }`;

  test.each([
    ['.language', '9.3', { header: '.language "ptx", "cuda c++", 0x7' }],
    ['.minperctamemory', '9.4', { header: '.minperctamemory 2048' }],
    ['its registers', '9.4', { body: 'mov.u32 %r1, %perctamemorysize; mov.u64 %rd1, %perctamemoryoffset;' }],
    ['.loc_intermediate', '9.4', { body: '.loc_intermediate 2 23 6\nmov.u32 %r1, 1;' }],
    ['.nv_intermediate_source_section', '9.4', { end: sources }],
    ['the pragma mma_throughput', '9.3', { body: '.pragma "mma_throughput";' }],
  ])('%s came with %s', (_, since, text) => {
    expect(codes(module(text, since))).toEqual([]);
    expect(new Set(codes(module(text, '9.2')))).toEqual(new Set(['PTX4001']));
  });

  test('the printed text of all of them is read in the same way', () => {
    const text = module({
      header: '.language "ptx", 7 .minperctamemory 2048',
      body: '.loc_intermediate 2 23 6\nmov.u32 %r1, 1;',
      end: sources,
    });
    const printed = printModule(parseModule(text).items);
    expect(printModule(parseModule(printed).items)).toBe(printed);
    expect(printed).toContain('.language "ptx", 7');
    expect(printed).toContain('.loc_intermediate 2 23 6');
    expect(printed).toContain('"open { /* 0f .source_en');
  });

  test.each([
    [
      '.nv_intermediate_source_section { .code_block { .ir_name: "x" .sourceFileName: 2 .source_begin } }',
      '.source_end',
    ],
    ['.nv_intermediate_source_section { .ir_name: "x" }', '.code_block'],
    ['.nv_intermediate_source_section { .code_block { .ir_name "x" } }', "':'"],
  ])('%s lacks %s', (end, expected) => {
    const [first] = check(module({ end })).diagnostics;
    expect(first).toMatchObject({ code: 'PTX1001', message: expect.stringContaining(expected) as string });
  });

  test('a function has no memory for each block', () => {
    const text = '.version 9.4\n.target sm_90\n.address_size 64\n.func f() .minperctamemory 8 { ret; }\n';
    expect(check(text).diagnostics).toMatchObject([
      { code: 'PTX1001', help: '.minperctamemory is allowed only on .entry functions' },
    ]);
  });
});
