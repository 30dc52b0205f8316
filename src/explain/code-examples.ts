/**
 * For each diagnostic, the shortest text that makes the checker report it; null if there is no short text that does so.
 */
import { check } from '../check/check.ts';
import type { Code } from '../diagnostics/catalog.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

interface Example {
  /**
   * `statements` go into the body of a kernel, `items` follow the header of a module, and `module` is a whole module.
   */
  readonly kind: 'statements' | 'items' | 'module';
  readonly text: string;
}

/** Codes that are reported when kernels run, or for PTX that is embedded in source files of other languages. */
type OtherCode = Extract<Code, `PTX${6 | 7}${string}`>;
export type CheckCode = Exclude<Code, OtherCode>;

const examples: Readonly<Record<CheckCode, Example | null>> = {
  PTX1001: statements('add.s32 %r1, %r2 %r3;'),
  PTX1002: statements('ld. global.u32 %r1, [%rd1];'),
  PTX1003: statements('/* no end'),
  PTX1004: statements('.pragma "no end'),
  PTX1005: statements('mov.u32 %r1, 08;'),
  PTX1006: statements('// für'),
  // This finding is caused by the NUL character, which would be invisible in an example.
  PTX1007: null,
  PTX1010: statements('mov.u64 %rd1, 99999999999999999999;'),
  PTX1011: statements('mov.u32 %r1, 1 / 0;'),
  PTX1012: statements('mov.u32 %r1, 1 + 1.5;'),
  PTX1013: statements('mov.u32 %r1, ~1.5;'),
  PTX1014: statements('mov.u32 %r1, (.s32)1;'),
  PTX1015: items('.global .b64 x = 0x10000000000000000;'),
  PTX1016: items('.global .b8 y; .global .b8 x = 0xff0(y);'),
  PTX1020: null,
  PTX1021: null,
  PTX1022: null,
  PTX1030: module('.target sm_90\n.address_size 64'),
  PTX1031: module('.version 9.0\n.address_size 64'),
  PTX1040: items('.global .shared .b32 x;'),
  PTX1041: items('.b32 x;'),
  PTX1042: items('.func f(.param .b32 .ptr x) { ret; }'),
  PTX2001: statements('ldd.global.u32 %r1, [%rd1];'),
  PTX2002: module('.version 9.3\n.target sm_100\n.address_size 64\n.entry k() { fabric.submit; ret; }'),
  PTX2003: statements('setmaxnreg.sync.aligned.u32 24;'),
  PTX2010: statements('ld.gloabl.u32 %r1, [%rd1];'),
  PTX2011: statements('setp.ltu.s32 %p1, %r1, %r2;'),
  PTX2012: statements('fma.rn.rz.f32 %f1, %f2, %f3, %f4;'),
  PTX2013: null,
  PTX2020: statements('and.u32 %r1, %r2, %r3;'),
  PTX2021: statements('mad.u32 %r1, %r2, %r3, %r4;'),
  PTX2030: statements('cvt.f16.f32 %h1, %f1;'),
  PTX2031: statements('cvt.rn.f32.f16 %f1, %h1;'),
  PTX2032: statements('setp.s32 %p1, %r1, %r2;'),
  PTX2033: statements('ld.global.ca.L1::evict_last.u32 %r1, [%rd1];'),
  PTX2034: statements('cvt.sat.u32.u8 %r1, %r2;'),
  PTX2035: statements('ld.v8.b64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd9];'),
  PTX2036: statements('cp.async.cg.global.shared [%rd1], [%rd2], 16;'),
  PTX2037: module(
    `.version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n${[1, 2].map((n) => `tcgen05.relinquish_alloc_permit.cta_group::${n}.sync.aligned;`).join('\n')}\nret; }`,
  ),
  PTX3001: statements('mov.u32 %r1, %r99;'),
  PTX3002: statements('add.s32 %r1, %r2;'),
  PTX3003: statements('ld.u32 %r1, %rd1;'),
  PTX3004: statements('add.s32 %r1, %f1, %r2;'),
  PTX3005: statements('add.f32 %f1, %f2, 1;'),
  PTX3006: statements('add.u32 %r1, %tid.x, 1;'),
  PTX3007: statements('add.s32 5, %r1, %r2;'),
  PTX3008: statements('add.s32 _, %r1, %r2;'),
  PTX3009: statements('ld.f32 {%f1, %f2}, [%rd1];'),
  PTX3010: statements('@%r1 ret;'),
  PTX3011: statements('bar.sync 17;'),
  PTX3012: statements('bar.sync 0, 33;'),
  PTX3013: statements('cp.async.ca.shared.global [%rd1], [%rd2], 5;'),
  PTX3020: items('.func f(.reg .b32 a) { ret; } .entry k() { call f; ret; }'),
  PTX3021: items('.func f(.reg .b32 a) { ret; } .entry k() { .reg .b64 %rd; call f, (%rd); ret; }'),
  PTX3022: items(
    '.func f(.param .align 8 .b8 a[8]) { ret; } .entry k() { .param .align 4 .b8 p[8]; call f, (p); ret; }',
  ),
  PTX3023: items('.entry a() { ret; } .entry k() { call a; ret; }'),
  PTX3024: statements('call %rd1;'),
  PTX3025: items('.func f(.reg .b32 a) { ret; } .global .b32 g; .entry k() { call f, (g); ret; }'),
  PTX3026: items('.func f() { ret; } .entry k() { T: .branchtargets f; ret; }'),
  PTX3027: statements('ld.global.u32 %r1, [%r2];'),
  PTX3028: statements('mov.u64 %rd1, %rd2+8;'),
  PTX3029: items('.entry k() { .reg .b16 %h; .reg .b32 %r; ld.shared.b32 %r, [%h]; ret; }'),
  PTX3030: module('.version 9.0\n.target sm_90\n.entry k() { .reg .b32 %r<2>; ld.global.b32 %r1, [%r0]; ret; }'),
  PTX3031: statements('add.f64 %fd1, %fd2, 0f3F800000;'),
  PTX3032: module(
    '.version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .u16 a) { ret; }\n.entry k() { .param .b16 b; call f, (b); ret; }',
  ),
  PTX3033: module(
    '.version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n) { .reg .b64 %rd; ld.param.u64 %rd, [n]; ret; }',
  ),
  PTX4001: module('.version 8.0\n.target sm_90\n.address_size 64\n.global .b128 x;'),
  PTX4002: statements('cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;'),
  PTX4003: module(
    '.version 7.0\n.target sm_70\n.address_size 64\n.entry k() { .reg .b16 %b; .reg .f32 %f; cvt.rn.satfinite.e4m3x2.f32 %b, %f, %f; ret; }',
  ),
  PTX4004: statements('shfl.idx.b32 %r1, %r2, %r3, %r4;'),
  PTX4010: module('.version 4.9\n.target sm_50\n.address_size 64'),
  PTX4011: module('.version 99.0\n.target sm_90\n.address_size 64'),
  PTX4012: module('.version 9.0\n.target sm_91\n.address_size 64'),
  PTX4013: module('.version 7.0\n.target sm_90\n.address_size 64'),
  PTX4016: module('.version 9.0\n.target texmode_unified\n.address_size 64'),
  PTX4017: module('.version 9.0\n.target sm_90, texmode_unified, texmode_independent\n.address_size 64'),
  PTX4019: module('.version 9.0\n.target sm_90\n.address_size 16'),
  PTX4020: module('.version 9.0\n.target sm_90, debug\n.address_size 64'),
  PTX4021: module('.version 9.0\n.target sm_90\n.address_size 32\n.entry k() { ret; }'),
  PTX5001: items('.global .e4m3x2 x;'),
  PTX5002: items('.global .int x;'),
  PTX5003: items('.global .pred p;'),
  PTX5004: items('.global .v4 .b64 x;'),
  PTX5005: items('.global .b32 x; .global .b32 x;'),
  PTX5006: items('.global .align 3 .b32 x;'),
  PTX5007: items('.param .b32 x;'),
  PTX5008: items('.global .b32 x[];'),
  PTX5009: items('.global .u8 x = 1.5;'),
  PTX5010: items('.global .b32 x<65537>;'),
  PTX5011: items('.global .b32 g; .entry k() { .reg .b32 %r; ld.shared.b32 %r, [g]; ret; }'),
  PTX5012: items('.entry k(.param .u32 p) { st.param.u32 [p], 1; ret; }'),
  PTX5013: statements('ld.global.u32 %r1, [16];'),
  PTX5014: statements('.param .b32 q; mov.u64 %rd1, q;'),
  PTX5015: statements('ld.global.u32 %r1, [%f1];'),
  PTX5017: items('.func f(); .func f(.reg .b32 a) { ret; }'),
  PTX5018: items('.func (.param .u32 r) f() { .reg .u32 %r; ld.param.u32 %r, [r]; ret; }'),
  PTX5019: items('.extern .func f() { ret; }'),
  PTX5020: items('.func g() { ret; } .func f(.reg .b32 a); .alias f, g;'),
  PTX5021: items('.shared .b32 s; .global .u64 x = s;'),
  PTX5022: items('.global .b8 x[2][0];'),
  PTX5023: items('.global .b32 x[2] = {1, 2, 3};'),
  PTX5024: items('.func f();'),
  PTX5025: items('.const .b8 x[65537];'),
  PTX5026: items('.entry k() .maxntid 32 .reqntid 32 { ret; }'),
  PTX5027: items('.global .samplerref s;'),
  PTX5028: items('.file 1 "a.cu" .file 1 "b.cu"'),
  PTX5029: items('.file 1 "a.cu" .entry k() { .loc 1 2 3, function_name L, inlined_at 1 9 9 ret; }'),
  PTX5030: items('.file 1 "a.cu" .entry k() { .loc 1 9 9 .loc 1 2 3, function_name L, inlined_at 1 9 9 ret; }'),
  PTX5031: items('.entry k() { .loc 1 2 3 ret; }'),
  PTX5032: module('.version 2.3\n.target sm_20\n.address_size 64\n.reg .b32 %r;'),
  PTX5033: items('.section .debug_info { .u32 1 }'),
  PTX5034: items('.section .debug_info { .b8 256 }'),
  PTX5035: items('.global .texref image = { widht = 16 };'),
  PTX5036: items('.entry k() .minnctapersm 2 { ret; }'),
  PTX5037: items('.entry k() { .pragma "unroll"; ret; }'),
  PTX5038: module('.version 9.0\n.target sm_100\n.entry k() .blocksareclusters { ret; }'),
  PTX5039: items('.global .b32 %laneid;'),
};

function statements(text: string): Example {
  return { kind: 'statements', text };
}

function items(text: string): Example {
  return { kind: 'items', text };
}

function module(text: string): Example {
  return { kind: 'module', text };
}

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';
const registers =
  '.reg .pred %p<4>; .reg .b8 %b<4>; .reg .f16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<10>;';

export interface CodeExample {
  /**
   * The example as shown to the user. The header and the register declarations are left out if the finding does not
   * depend on them.
   */
  readonly text: string;
  /** The message that the checker reports for the example. */
  readonly finding: Diagnostic;
}

/**
 * The example for a code, and the finding that it causes. Null for codes that are reported at run time, and for the few
 * codes that cannot be triggered by a short piece of PTX.
 */
export function exampleOf(code: Code): CodeExample | null {
  const example = isCheckCode(code) ? examples[code] : null;
  if (example === null) return null;
  const finding = check(moduleOf(example)).diagnostics.find((found) => found.code === code);
  return finding === undefined ? null : { text: example.text, finding };
}

export function isCheckCode(code: Code): code is CheckCode {
  return Object.hasOwn(examples, code);
}

/** Codes without an example. */
export const withoutExample: readonly string[] = Object.entries(examples).flatMap(([code, example]) =>
  example === null ? [code] : [],
);

function moduleOf({ kind, text }: Example): string {
  if (kind === 'module') return text;
  return kind === 'items' ? header + text : `${header}.entry k() {\n${registers}\n${text}\nret;\n}\n`;
}
