/**
 * Additions of PTX ISA 9.1. The tests follow the text of the ISA: the syntax blocks, the PTX ISA notes and the target
 * ISA notes of each instruction, and the release notes. `legality-later` contains the verdicts of compilers.
 */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { parseVersion, targets } from '../../src/isa/targets.ts';

interface Line {
  readonly inst: string;
  readonly names: string;
}

const relu = ['', '.relu'];

/** The new conversions to narrow formats: from bf16x2 to fp8, and from f16x2 and bf16x2 to fp6 and fp4. */
const family: readonly Line[] = relu.flatMap((word) => [
  ...['.e4m3x2', '.e5m2x2', '.e2m3x2', '.e3m2x2'].map((type) => ({
    inst: `cvt.rn.satfinite${word}${type}.bf16x2 d, a;`,
    names: '.reg .b16 d; .reg .b32 a;',
  })),
  ...['.e2m3x2', '.e3m2x2'].map((type) => ({
    inst: `cvt.rn.satfinite${word}${type}.f16x2 d, a;`,
    names: '.reg .b16 d; .reg .b32 a;',
  })),
  { inst: `cvt.rn.satfinite${word}.e2m1x2.bf16x2 d, a;`, names: '.reg .b8 d; .reg .b32 a;' },
]);

const chip: readonly Line[] = relu.flatMap((word) => [
  { inst: `cvt.rn.satfinite${word}.s2f6x2.f32 d, a, b;`, names: '.reg .b16 d; .reg .f32 a, b;' },
  {
    inst: `cvt.rn.satfinite${word}.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, s;`,
    names: '.reg .b16 d, s; .reg .f32 a, b;',
  },
  { inst: `cvt.rn.satfinite${word}.s2f6x2.bf16x2 d, a;`, names: '.reg .b16 d; .reg .b32 a;' },
  { inst: `cvt.rn.satfinite${word}.scaled::n2::ue8m0.s2f6x2.bf16x2 d, a, s;`, names: '.reg .b16 d, s; .reg .b32 a;' },
  ...['', '.satfinite'].flatMap((clamp) => [
    { inst: `cvt.rn${clamp}${word}.bf16x2.s2f6x2 d, a;`, names: '.reg .b32 d; .reg .b16 a;' },
    { inst: `cvt.rn${clamp}${word}.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, s;`, names: '.reg .b32 d; .reg .b16 a, s;' },
  ]),
]);

const hasFamily = targets
  .filter((target) => target.sm >= 100 && target.suffix !== '' && target.since <= parseVersion('9.1'))
  .map((target) => target.name);
const hasChip = ['sm_100a', 'sm_103a', 'sm_110a', 'sm_120a', 'sm_121a'];

function legal({ inst, names }: Line, target: string, version: string): boolean {
  const source = `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() {\n${names}\n${inst}\nret; }`;
  return check(source).diagnostics.every((diagnostic) => diagnostic.severity !== 'error');
}

describe('the conversions that 9.1 adds', () => {
  test('are thirty', () => {
    expect(family.length + chip.length).toBe(30);
  });

  for (const [lines, has] of [
    [family, hasFamily],
    [chip, hasChip],
  ] as const) {
    for (const line of lines) {
      test(line.inst, () => {
        const accepting = targets.map((target) => target.name).filter((name) => legal(line, name, '9.1'));
        expect(accepting).toEqual(has);
        expect(legal(line, 'sm_100a', '9.0')).toBe(false);
      });
    }
  }
});

const scaled = (sparse: string, k: number, more: string): string =>
  `mma${sparse}.sync.aligned.m16n8k${k}.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0 {x, x, x, x}, {r, r, r, r}, ${more}, s, {0, 0}, s, {0, 0};`;
const bulk = 'async.bulk.global.shared::cta.bulk_group';
const isSuffixed120 = (name: string): boolean => /^sm_12\d[af]$/.test(name);
const known = targets.filter(({ since }) => since <= parseVersion('9.1'));
const from = (sm: number): readonly string[] => known.filter((target) => target.sm >= sm).map(({ name }) => name);

/** Variants that PTX ISA 9.1 adds to other instructions, with the targets that support them. */
const others: readonly (readonly [inst: string, targets: readonly string[]])[] = [
  ['ld.volatile.local.u32 s, [place];', from(10)],
  ['st.volatile.local.v2.u32 [place], {s, s};', from(10)],
  [`multimem.cp.${bulk} [p], [p], 16;`, from(90)],
  [`multimem.cp.${bulk}.cp_mask [p], [p], 16, h;`, from(100)],
  [`multimem.cp.reduce.${bulk}.add.noftz.f16 [p], [p], 16;`, from(90)],
  [scaled('', 64, '{r, r}, {x, x, x, x}'), from(120).filter(isSuffixed120)],
  [scaled('.sp::ordered_metadata', 128, '{r, r, r, r}, {x, x, x, x}, r, 0'), ['sm_120a', 'sm_121a']],
];

test.each(others)('9.1 adds %s', (inst, has) => {
  const line = { inst, names: '.reg .b16 h; .reg .b32 r, s; .reg .b64 p; .reg .f32 x; .local .align 8 .b8 place[8];' };
  const accepting = targets.map((target) => target.name).filter((name) => legal(line, name, '9.1'));
  expect(accepting).toEqual(has);
  expect(targets.some(({ name }) => legal(line, name, '9.0'))).toBe(false);
});

describe('conversions that 9.1 does not have', () => {
  const wide = '.reg .b8 q; .reg .b16 d, s, h; .reg .b32 r, a; .reg .f32 x, y;';
  const refused: readonly (readonly [why: string, inst: string])[] = [
    ['.satfinite is mandatory for s2f6x2 results', 'cvt.rn.s2f6x2.f32 d, x, y;'],
    ['conversions to s2f6x2 round only to nearest', 'cvt.rz.satfinite.s2f6x2.f32 d, x, y;'],
    ['qualifier without scale factor', 'cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, x, y;'],
    ['scale factor without qualifier', 'cvt.rn.satfinite.s2f6x2.f32 d, x, y, s;'],
    ['the scale factor is a .b16', 'cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, x, y, r;'],
    ['the scale factor is a register', 'cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, x, y, 0x7f7f;'],
    ['there is no conversion between s2f6x2 and f16x2', 'cvt.rn.satfinite.s2f6x2.f16x2 d, a;'],
    ['the result pair is a .b16', 'cvt.rn.satfinite.s2f6x2.f32 r, x, y;'],
    ['.satfinite is mandatory for e4m3x2 results', 'cvt.rn.e4m3x2.bf16x2 d, a;'],
    ['packed bf16 is a .b32', 'cvt.rn.satfinite.e4m3x2.bf16x2 d, h;'],
    ['an fp4 pair is a .b8', 'cvt.rn.satfinite.e2m1x2.bf16x2 d, a;'],
    ['there is no conversion from fp8 to bf16x2', 'cvt.rn.bf16x2.e4m3x2 r, d;'],
    ['scales only with s2f6x2', 'cvt.rn.satfinite.scaled::n2::ue8m0.e4m3x2.f32 d, x, y, s;'],
  ];
  test.each(refused)('%s', (_, inst) => {
    expect(legal({ inst, names: wide }, 'sm_100a', '9.1')).toBe(false);
  });
});
