/**
 * Every line of example code in the conversion chapters of PTX ISA 9.1, with a verdict. `accepted` lines are legal as
 * printed. `rejected` lines break a rule. `erratum` lines are misprints; the reason states what was meant. The names
 * that a line uses are declared with the types that the ISA's example states or implies. If the text of the ISA gives
 * no types, the names are declared with suitable types.
 */
export type Sample = {
  readonly line: string;
  readonly section: string;
  /** Declarations in the body of the kernel that the line depends on. */
  readonly names: string;
  /** Declarations at module scope. */
  readonly module?: string;
  readonly parameters?: string;
  readonly target: string;
} & (
  | { readonly verdict: 'accepted' }
  | { readonly verdict: 'rejected'; readonly code: string; readonly reason: string }
  | { readonly verdict: 'erratum'; readonly code: string; readonly reason: string }
);

const cvt = '9.7.9.21';
const noRounding = 'rounding is mandatory by the rules of the same page';

const pack = (line: string): Sample => ({
  line,
  section: '9.7.9.22',
  names: '.reg .b32 %r<20>;',
  target: 'sm_75',
  verdict: 'accepted',
});

const good = (line: string, names: string, target = 'sm_90'): Sample => ({
  line,
  section: cvt,
  names,
  target,
  verdict: 'accepted',
});

const digest = (line: string, names: string, target = 'sm_90'): Sample => ({
  ...good(line, names, target),
  section: '6.5',
});

const address = (line: string, names: string, module = '', parameters = '', target = 'sm_90'): Sample => ({
  line,
  section: '9.7.9.20',
  names,
  module,
  parameters,
  target,
  verdict: 'accepted',
});

const pair = '.reg .b32 d, b1; .reg .f32 a, b, f, f1; .reg .b32 rbits;';
const bytes = '.reg .b16 d; .reg .f32 a, b;';
const narrow = 'sm_100a';

export const samples: readonly Sample[] = [
  // cvt.pack
  pack('cvt.pack.sat.s16.s32      %r1, %r2, %r3;'),
  pack('cvt.pack.sat.u8.s32.b32   %r4, %r5, %r6, 0;'),
  pack('cvt.pack.sat.u8.s32.b32   %r7, %r8, %r9, %r4;'),
  pack('cvt.pack.sat.u4.s32.b32   %r10, %r12, %r13, %r14;'),
  pack('cvt.pack.sat.s2.s32.b32   %r15, %r16, %r17, %r18;'),

  // cvt
  {
    ...good('cvt.f32.s32 f,i;', '.reg .f32 f; .reg .s32 i;'),
    verdict: 'rejected',
    code: 'PTX2030',
    reason: noRounding,
  },
  {
    ...good('cvt.s32.f64 j,r;', '.reg .s32 j; .reg .f64 r;'),
    verdict: 'rejected',
    code: 'PTX2030',
    reason: noRounding,
  },
  good('cvt.rni.f32.f32 x,y;', '.reg .f32 x, y;'),
  good('cvt.f32.f32 x,y;', '.reg .f32 x, y;'),
  good('cvt.rn.relu.f16.f32      b, f;', '.reg .f16 b; .reg .f32 f;'),
  good('cvt.rz.f16x2.f32         b1, f, f1;', pair),
  good('cvt.rn.relu.satfinite.f16x2.f32    b1, f, f1;', pair),
  good('cvt.rn.bf16.f32          b, f;', '.reg .b16 b; .reg .f32 f;'),
  {
    ...good('cvt.rz.relu.satfinite.bf16.f3 2    b, f;', '.reg .b16 b; .reg .f32 f;'),
    verdict: 'erratum',
    code: 'PTX1001',
    reason: 'a blank inside .f32',
  },
  good('cvt.rz.satfinite.bf16x2.f32        b1, f, f1;', pair),
  good('cvt.rn.relu.bf16x2.f32   b1, f, f1;', pair),
  good('cvt.rna.satfinite.tf32.f32         b1, f;', pair),
  good('cvt.rn.relu.tf32.f32     d, a;', pair),
  good('cvt.f64.bf16.rp          f, b;', '.reg .f64 f; .reg .b16 b;'),
  good('cvt.bf16.f16.rz          b, f;', '.reg .b16 b; .reg .f16 f;'),
  good('cvt.bf16.u64.rz          b, u;', '.reg .b16 b; .reg .u64 u;'),
  good('cvt.s8.bf16.rpi          s, b;', '.reg .s8 s; .reg .b16 b;'),
  good('cvt.bf16.bf16.rpi        b1, b2;', '.reg .b16 b1, b2;'),
  good('cvt.rn.satfinite.e4m3x2.f32 d, a, b;', bytes),
  good('cvt.rn.relu.satfinite.e5m2x2.f16x2 d, a;', '.reg .b16 d; .reg .b32 a;'),
  good('cvt.rn.f16x2.e4m3x2 d, a;', '.reg .b32 d; .reg .b16 a;'),
  good('cvt.rn.satfinite.tf32.f32 d, a;', pair, 'sm_100'),
  good('cvt.rn.relu.f16x2.e2m1x2 d, a;', '.reg .b32 d; .reg .b8 a;', narrow),
  good('cvt.rn.satfinite.e2m3x2.f32 d, a, b;', bytes, narrow),
  good('cvt.rn.relu.f16x2.e3m2x2 d, a;', '.reg .b32 d; .reg .b16 a;', narrow),
  good('cvt.rs.f16x2.f32    d, a, b, rbits;', pair, narrow),
  good(
    'cvt.rs.satfinite.e2m1x4.f32  d, {a, b, e, f}, rbits;',
    '.reg .b16 d; .reg .f32 a, b, e, f; .reg .b32 rbits;',
    narrow,
  ),
  {
    ...good('cvt.rn.satfinite.relu.e2m1x2type.f16x2  d, a;', '.reg .b8 d; .reg .b32 a;', narrow),
    verdict: 'erratum',
    code: 'PTX2010',
    reason: 'the name of a set instead of .e2m1x2',
  },
  {
    ...good('cvt.rn.satfinite.e2m3x2type.bf16x2  d, a;', '.reg .b16 d; .reg .b32 a;', narrow),
    verdict: 'erratum',
    code: 'PTX2010',
    reason: 'the name of a set instead of .e2m3x2',
  },
  {
    ...good(
      'cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, scale-factor;',
      `${bytes} .reg .b16 scale;`,
      narrow,
    ),
    verdict: 'erratum',
    code: 'PTX1001',
    reason: 'scale-factor is a placeholder: a name cannot contain a hyphen',
  },
  good('cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, scale;', `${bytes} .reg .b16 scale;`, narrow),

  // examples of types and conversions from other sections, such as 5.4.2 and 6.5
  digest('.reg    .v4 .f32 accel;', ''),
  digest('.reg .b32 %r<100>;', ''),
  {
    line: '.global .v2 .u16 uv;',
    section: '5.4.2',
    names: '',
    target: 'sm_90',
    verdict: 'accepted',
  },
  { line: '.global .v4 .b8  mask;', section: '5.4.2', names: '', target: 'sm_90', verdict: 'accepted' },
  {
    ...digest('cvt.f32.s32      f, i;', '.reg .f32 f; .reg .s32 i;'),
    verdict: 'rejected',
    code: 'PTX2030',
    reason: noRounding,
  },
  {
    ...digest('cvt.s32.f64      j, r;', '.reg .s32 j; .reg .f64 r;'),
    verdict: 'rejected',
    code: 'PTX2030',
    reason: noRounding,
  },
  digest('cvt.rni.f32.f32  x, y;', '.reg .f32 x, y;'),
  digest('cvt.rn.f16.f32        h, f;', '.reg .f16 h; .reg .f32 f;'),
  digest('cvt.rn.relu.f16.f32   h, f;', '.reg .f16 h; .reg .f32 f;'),
  digest('cvt.f32.f16           f, h;', '.reg .f16 h; .reg .f32 f;'),
  digest('cvt.rn.bf16.f32       b, f;', '.reg .b16 b; .reg .f32 f;'),
  digest('cvt.f32.bf16          f, b;', '.reg .b16 b; .reg .f32 f;'),
  digest('cvt.rz.f16x2.f32                d, a, b;', pair),
  digest('cvt.rn.relu.satfinite.f16x2.f32 d, a, b;', pair),
  digest('cvt.rn.satfinite.e4m3x2.f32     d, a, b;', bytes, 'sm_89'),
  digest('cvt.rn.f16x2.e4m3x2             d, a;', '.reg .b32 d; .reg .b16 a;', 'sm_89'),
  digest('cvt.rna.satfinite.tf32.f32       d, a;', pair, 'sm_80'),
  digest('cvt.rs.f16x2.f32   d, a, b, rbits;', pair, narrow),
  pack('cvt.pack.sat.u8.s32.b32   %r1, %r2, %r3, 0;'),
  pack('cvt.pack.sat.u8.s32.b32   %r4, %r5, %r6, %r1;'),

  // cvta
  address('cvta.const.u32   ptr,cvar;', '.reg .u32 ptr;', '.const .b32 cvar;'),
  address('cvta.local.u32   ptr,lptr;', '.reg .u32 ptr, lptr;'),
  address('cvta.shared::cta.u32  p,As+4;', '.reg .u32 p;', '.shared .b32 As[4];'),
  address('cvta.shared::cluster.u32 ptr, As;', '.reg .u32 ptr;', '.shared .b32 As[4];'),
  address('cvta.to.global.u32  p,gptr;', '.reg .u32 p, gptr;'),
  address('cvta.param.u64   ptr,pvar;', '.reg .u64 ptr;', '', '.param .u64 pvar'),
  address('cvta.to.param::entry.u64  epptr, ptr;', '.reg .u64 epptr, ptr;'),
];
