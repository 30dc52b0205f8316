/** Declarations in modules; the verdicts are those of ptxas 13.0. */
import { describe, expect, test } from 'vitest';
import { check } from '../check.ts';

const codesOf = (items: string, version = '8.8'): readonly string[] =>
  check(
    `.version ${version}\n.target sm_90\n.address_size 64\n.global .align 16 .b8 gb[64];\n.func fn() { ret; }\n${items}\n`,
  ).diagnostics.map(({ code }) => code);

type Cases = readonly (readonly [declaration: string, ...codes: readonly string[]])[];

const cases: Readonly<Record<string, Cases>> = {
  'arrays without elements': [
    ['.global .b8 x[];', 'PTX5008'],
    ['.global .b8 x[0];', 'PTX5008'],
    ['.weak .shared .b8 x[0];', 'PTX5008'],
    ['.common .global .b8 x[0];', 'PTX5008'],
    ['.global .b8 x[0][2];', 'PTX5008'],
    ['.global .b8 x[2][0];', 'PTX5022'],
    ['.extern .shared .b8 x[0];'],
    ['.extern .shared .b8 x[0][0];', 'PTX5022'],
    ['.extern .shared .b8 x[][2];'],
    ['.global .b8 x[0] = {1};'],
    ['.global .b8 x[0][2] = {{1, 2}, {3, 4}};'],
    ['.entry k() { .local .b8 x[0]; ret; }', 'PTX5008'],
    ['.entry k() { { .param .b8 p[0]; } ret; }', 'PTX5008'],
    ['.entry k(.param .b8 x[]) { ret; }', 'PTX5022'],
    ['.entry k(.param .b8 x[0]) { ret; }', 'PTX5022'],
    ['.func (.param .b8 x[0]) f() { ret; }', 'PTX5022'],
    ['.func f(.param .b8 x[0]) { ret; }'],
  ],
  'lengths of array parameters': [
    ['.func f(.param .b8 v[4294967295]) { ret; }'],
    ['.func f(.param .b8 v[4294967296]) { ret; }', 'PTX1010'],
    ['.extern .func f(.param .b8 v[0x100000001]);', 'PTX1010'],
    ['.func (.param .b8 v[4294967297]) f() { ret; }', 'PTX1010'],
    ['.entry k() { L: .callprototype _ (.param .b8 v[4294967296]); ret; }', 'PTX1010'],
    ['.func f(.param .b8 v[9223372036854775808]) { ret; }'],
    ['.entry k() { .param .b8 v[4294967296]; ret; }'],
    ['.global .b8 v[4294967296];'],
  ],
  'attributes of parameters': [
    ['.entry k(.param .attribute(.managed) .u64 p) { ret; }', 'PTX5007'],
    ['.entry k(.attribute(.managed) .param .u64 p, .param .attribute(.managed) .u64 q) { ret; }', 'PTX5007', 'PTX5007'],
    ['.func (.param .attribute(.managed) .u64 r) f() { ret; }', 'PTX5007'],
    ['.func f(.reg .attribute(.managed) .u64 p) { ret; }', 'PTX5007'],
    ['.func f(.param .attribute(.unified(1, 2)) .b64 p) { ret; }'],
    ['.extern .func f(.param .attribute(.managed) .u64 p);'],
  ],
  'vectors and arrays of textures, samplers and surfaces': [
    ['.entry k(.param .v4 .surfref v[4]) { ret; }', 'PTX5007'],
    ['.entry k(.param .v2 .texref v) { ret; }', 'PTX5007'],
    ['.func f(.param .v4 .samplerref v[4]) { ret; }', 'PTX5007'],
    ['.global .v4 .texref v;', 'PTX5007'],
    ['.global .v4 .surfref v[4];', 'PTX5007'],
    ['.entry k(.param .surfref v[4], .param .texref w[2]) { ret; }'],
    ['.entry k(.param .samplerref v[16]) { ret; }'],
    ['.func f(.param .samplerref v[1]) { ret; }'],
    ['.global .samplerref v[4];'],
    ['.entry k(.param .samplerref v) { ret; }', 'PTX5027'],
    ['.global .samplerref v;', 'PTX5027'],
  ],
  'shapes of initial values': [
    ['.global .b8 x[2] = {1, 2, 3};', 'PTX5023'],
    ['.global .b8 x[2] = {1};'],
    ['.global .b8 x[2] = {};'],
    ['.global .b8 x = {1};', 'PTX5009'],
    ['.global .b8 x = {};', 'PTX5009'],
    ['.global .b8 x[2] = 5;', 'PTX5009'],
    ['.global .b8 x[2] = {{1}, {2}};', 'PTX5009'],
    ['.global .f16 x[3] = {1.0, 2.0, 3.0};', 'PTX5009'],
    ['.global .b8 x[2] = {1, {}};', 'PTX5009'],
    ['.global .b8 x[2][2] = {1, 2, 3, 4};', 'PTX5023'],
    ['.global .b8 x[2][2] = {{1, 2}, {3}};'],
    ['.global .b8 x[2][2] = {{1, 2}, 3};', 'PTX5009'],
    ['.global .b8 x[2][2] = {{1, 2, 3}};', 'PTX5023'],
    ['.global .v2 .b32 x = {1, 2};'],
    ['.global .v2 .b32 x = {1};', 'PTX5023'],
    ['.global .v2 .b32 x = {1, 2, 3};', 'PTX5023'],
    ['.global .v2 .b32 x = 1;', 'PTX5009'],
    ['.global .v2 .b32 x[2] = {{1, 2}, {3, 4}};'],
    ['.global .v2 .b32 x[2] = {1, 2, 3, 4};', 'PTX5023'],
    ['.extern .global .b32 x = 1;', 'PTX5009'],
  ],
  'addresses as initial values': [
    ['.global .u64 x = gb;'],
    ['.global .u32 x = gb+4;'],
    ['.global .u64 x[2] = {generic(gb), fn};'],
    ['.global .b64 x = gb;', 'PTX5009'],
    ['.global .s64 x = gb;', 'PTX5009'],
    ['.global .b64 x = fn;', 'PTX5009'],
    ['.global .u16 x = gb;', 'PTX5009'],
    ['.global .u8 x = gb;', 'PTX5009'],
    ['.global .u8 x[2] = {0xff(gb), 0xFF00(gb)};'],
    ['.global .u64 x = 0xff(gb);'],
    ['.global .b8 x = 0xff(gb);', 'PTX5009'],
    ['.global .u16 x = 0xff(gb);', 'PTX5009'],
  ],
  'fields of textures and surfaces': [
    ['.global .texref x;'],
    ['.global .texref x = {};'],
    ['.global .texref x = {width = 4, normalized_coords = 1, filter_mode = linear};'],
    ['.global .texref x = {filter_mode = wrap};'],
    ['.global .texref x[2] = {{width = 1}, {height = 2}};'],
    ['.global .texref x[1] = {{width = 1}, {width = 2}};', 'PTX5023'],
    ['.global .texref x = {widht = 4};', 'PTX5035'],
    ['.global .texref x = {force_unnormalized_coords = 1};', 'PTX5035'],
    ['.global .texref x = {filter_mode = gb};', 'PTX5035'],
    ['.global .texref x = {width = 4, 2};', 'PTX5035'],
    ['.global .texref x = {{width = 4}};', 'PTX5035'],
    ['.global .texref x = 1;', 'PTX5035'],
    ['.global .surfref x = {memory_layout = 1, array_size = 2};'],
    ['.global .surfref x = {filter_mode = linear};', 'PTX5035'],
    ['.global .u32 x[2] = {addr_mode_0 = wrap};'],
  ],
  'variables declared more than once': [
    ['.extern .global .b32 x; .extern .global .b32 x;'],
    ['.extern .global .b32 x; .visible .global .b32 x;'],
    ['.extern .global .b32 x; .common .global .b32 x;'],
    ['.extern .global .b32 x; .global .b32 x;', 'PTX5005'],
    ['.extern .global .b32 x; .extern .global .u32 x;', 'PTX5017'],
    ['.extern .global .b32 x; .visible .global .b64 x;', 'PTX5017'],
    ['.extern .global .b32 x[]; .visible .global .b32 x[4];'],
    ['.extern .global .b32 x[3]; .visible .global .b32 x[4];', 'PTX5017'],
    ['.global .b32 x; .extern .global .b32 x;'],
    ['.visible .global .b32 x; .visible .global .b32 x;', 'PTX5005'],
    ['.weak .global .b32 x; .weak .global .b32 x;', 'PTX5005'],
    ['.global .b32 x; .weak .global .b32 x;', 'PTX5005'],
    ['.entry k(.param .b32 %p1) { .reg .pred %p<4>; ret; }', 'PTX5005'],
    ['.entry k(.param .b32 %p4) { .reg .pred %p<4>; ret; }'],
    ['.entry k() { %p1: .reg .pred %p<4>; ret; }'],
    ['.entry k() { .shared .b32 %p1; .reg .pred %p<4>; ret; }', 'PTX5005'],
    ['.extern .func (.param .b32 r) f(.param .b32 r);'],
  ],
  'launch bounds': [
    ['.entry k() .maxnreg 23 { ret; }', 'PTX5036'],
    ['.entry k() .maxnreg 24 { ret; }'],
    ['.entry k() .maxnreg 255 { ret; }'],
    ['.entry k() .maxnreg 256 { ret; }', 'PTX5036'],
    ['.entry k() .minnctapersm 2 { ret; }', 'PTX5036'],
    ['.entry k() .minnctapersm 2 .reqntid 64 { ret; }'],
    ['.entry k() .minnctapersm 32 .maxntid 64 { ret; }'],
    ['.entry k() .minnctapersm 33 .maxntid 32 { ret; }', 'PTX5036'],
    ['.entry k() .minnctapersm 2 .maxntid 16, 16, 4 { ret; }'],
    ['.entry k() .minnctapersm 3 .maxntid 16, 16, 4 { ret; }', 'PTX5036'],
    ['.entry k() .minnctapersm 1 .maxntid 2049 { ret; }', 'PTX5036'],
    ['.entry k() .maxntid 4096 { ret; }'],
  ],
  kernels: [
    ['.entry k(.reg .b64 x) { ret; }', 'PTX5007'],
    ['.entry k(.param .b8 p[32764]) { ret; }'],
    ['.entry k(.param .b8 p[32765]) { ret; }', 'PTX5025'],
    ['.entry k() .maxntid 0 { ret; }', 'PTX5026'],
    ['.entry k() .reqntid 32, 0 { ret; }', 'PTX5026'],
    ['.entry k() .minnctapersm 0 { ret; }', 'PTX5026'],
    ['.entry k() .maxnreg 0 { ret; }', 'PTX5026'],
    ['.entry k() .reqnctapercluster 0 { ret; }'],
    ['.entry k() .maxntid 32 .reqntid 32 { ret; }', 'PTX5026'],
    ['.entry k() .maxclusterrank 2 .reqnctapercluster 2 { ret; }', 'PTX5026'],
  ],
  'functions without a body': [
    ['.func a();', 'PTX5024'],
    ['.visible .func a();', 'PTX5024'],
    ['.entry k();', 'PTX5024'],
    ['.extern .func a();'],
    ['.func a(); .func a() { ret; }'],
    ['.func a(); .alias a, fn;'],
  ],
  'what only .global allows': [
    ['.global .attribute(.managed) .b32 m;'],
    ['.visible .global .attribute(.managed, .unified(1, 2)) .b32 m;'],
    ['.shared .attribute(.managed) .b32 m;', 'PTX5007'],
    ['.const .attribute(.unified(1, 2)) .b32 m;', 'PTX5007'],
    ['.entry k() { .reg .attribute(.managed) .b32 m; ret; }', 'PTX5007'],
    ['.common .global .b32 x;'],
    ['.common .shared .b32 x;', 'PTX5007'],
  ],
  samplers: [
    ['.global .samplerref s;', 'PTX5027'],
    ['.entry k(.param .samplerref s) { ret; }', 'PTX5027'],
  ],
  'textures and surfaces': [
    ['.global .texref t; .global .surfref s; .entry k(.param .texref p) { ret; }'],
    ['.func f(.param .texref p) { ret; }', 'PTX5007'],
    ['.func (.param .surfref r) f() { ret; }', 'PTX5007'],
    ['.func f(.param .texref p[2]) { ret; }'],
    ['.extern .func f(.param .texref p);'],
    ['.entry k() { .param .texref p; ret; }', 'PTX5007'],
    ['.entry k() { .global .surfref s[2]; ret; }', 'PTX5007'],
  ],
  pragmas: [
    ['.pragma "nounroll";'],
    ['.entry k() .pragma "nounroll"; { .pragma "nounroll"; ret; }'],
    ['.pragma "unroll";', 'PTX5007'],
    ['.pragma " nounroll";', 'PTX5007'],
    ['.pragma "used_bytes_mask 3";', 'PTX5007'],
    ['.entry k() .pragma "unroll"; { .pragma "NOUNROLL", "nounroll 4"; ret; }', 'PTX5037', 'PTX5037', 'PTX5037'],
    ['.entry k() .pragma "enable_smem_spilling"; { .pragma "enable_smem_spilling"; ret; }', 'PTX5007'],
    ['.entry k() { .pragma "used_bytes_mask 0xf", "used_bytes_mask:-017"; ret; }'],
    ['.entry k() { .pragma "used_bytes_mask"; ret; }', 'PTX5007'],
    ['.entry k() { .pragma "used_bytes_mask 0xg"; ret; }', 'PTX5007'],
    ['.entry k() { .pragma "used_bytes_mask 08"; ret; }', 'PTX5007'],
    ['.entry k() { .pragma "used_bytes_mask 1 "; ret; }', 'PTX5007'],
  ],
  constants: [['.const .b8 x[65536];'], ['.const .b8 x[65536]; .const .b8 y;', 'PTX5025']],
};

describe.each(Object.entries(cases))('%s', (_what, declarations) => {
  test.each(declarations.map(([declaration, ...codes]) => [declaration, codes] as const))(
    '%s %j',
    (declaration, codes) => {
      expect(codesOf(declaration)).toEqual(codes);
    },
  );
});

test.each([
  ['frequency 5', []],
  ['frequency 0x10', []],
  ['frequency 0', ['PTX5007']],
  ['frequency -1', ['PTX5007']],
  ['frequency', ['PTX5007']],
])('the pragma %s needs a positive integer', (pragma, codes) => {
  expect(codesOf(`.entry k() { .pragma "${pragma}"; ret; }`, '9.0')).toEqual(codes);
});

test('samplers can be declared if textures are not unified with them', () => {
  const { diagnostics } = check(
    '.version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n.global .samplerref s;\n',
  );
  expect(diagnostics).toEqual([]);
});

test.each([
  ['.global .b128 v[4];'],
  ['.extern .shared .b128 v[];'],
  ['.entry k(.param .b128 v[2]) { .local .b128 w[2]; ret; }'],
  ['.func f(.param .b128 v[]) { ret; }'],
  ['.global .b128 v;', 'PTX4001'],
  ['.entry k() { .reg .b128 r; ret; }', 'PTX4001'],
  ['.func f(.param .b128 v) { ret; }', 'PTX4001'],
])('before 8.3, .b128 has arrays only: %s', (item, ...codes) => {
  expect(codesOf(item, '8.2')).toEqual(codes);
});

test('kernel parameters were limited to 4352 bytes before 8.1', () => {
  expect(codesOf('.entry k(.param .b8 p[4352]) { ret; }', '8.0')).toEqual([]);
  expect(codesOf('.entry k(.param .b8 p[4353]) { ret; }', '8.0')).toEqual(['PTX5025']);
});
