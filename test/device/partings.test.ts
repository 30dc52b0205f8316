/**
 * Tests instructions at which four threads that run together diverge, so that each of them continues alone. Results,
 * instruction counts and printed lines must be the same as when threads always run alone.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOf, ways } from './run.ts';

const threads = 64;

const functions = `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.global .align 1 .b8 format[4] = {37, 117, 10, 0};
.func (.reg .b32 y) triple(.reg .b32 x) { mul.lo.u32 y, x, 3; ret; }
.func (.reg .b32 y) sum(.reg .b32 x) { .reg .b32 i; .reg .pred p; mov.u32 i, 0; mov.u32 y, 0;
  more: add.u32 y, y, i; add.u32 i, i, 1; setp.lt.u32 p, i, x; @p bra more; ret; }
.func (.reg .b32 y) nested(.reg .b32 x) { .reg .b32 a; call (a), sum, (x); call (y), triple, (a); ret; }
.func (.reg .b32 y) kept(.reg .b32 x) { .local .align 8 .b32 v[4]; .reg .b64 at; .reg .b32 a, b; and.b32 a, x, 3;
  st.local.b64 [v], 0; mul.wide.u32 at, a, 4; .reg .b64 start; mov.u64 start, v; add.u64 at, at, start;
  st.local.u32 [at], x; ld.local.u32 a, [v]; ld.local.u32 b, [v+4]; mad.lo.u32 y, a, 100, b; ret; }
.func (.reg .b32 y) index() { .reg .b32 a, b; mov.u32 a, %tid.x; mov.u32 b, %ctaid.x; mad.lo.u32 y, b, 1000, a; ret; }
.func (.reg .b32 y) chosen(.reg .b32 x) { .reg .b32 a; and.b32 a, x, 1; list: .branchtargets one, two; brx.idx a, list;
  one: add.u32 y, x, 10; ret; two: add.u32 y, x, 20; ret; }
.func (.param .align 8 .b8 r[16]) halves(.param .align 8 .b8 both[16]) { .reg .b64 a, b; .reg .b32 c;
  ld.param.b64 a, [both]; ld.param.b64 b, [both+8]; sub.u64 a, a, b; cvt.u32.u64 c, a; st.param.b32 [r], c;
  st.param.b64 [r+8], b; ret; }
.func say(.reg .b32 x) { .local .align 8 .b8 list[8]; .reg .b64 a, b; .param .b32 result; st.local.u32 [list], x;
  cvta.local.u64 a, list; mov.u64 b, format; call (result), vprintf, (b, a); ret; }
.func (.reg .b32 y) meet(.reg .b32 x) { bar.sync 0; add.u32 y, x, 1; ret; }`;

const print = `{ .param .b32 result; st.local.u32 [list], %r1; cvta.local.u64 %rd5, list; mov.u64 %rd6, format;
call (result), vprintf, (%rd6, %rd5); }`;

/** Code that changes `%r3`. Before the code, `%r1` and `%r3` contain the thread index. */
const bodies: Readonly<Record<string, string>> = {
  'a call that no thread makes': 'setp.gt.u32 %p1, %r1, 99; @!%p1 bra next; call (%r3), triple, (%r3); next:',
  'a call that some threads make': 'setp.gt.u32 %p1, %r1, 29; @!%p1 bra next; call (%r3), triple, (%r3); next:',
  'a call that all threads make': 'call (%r3), triple, (%r3); add.u32 %r3, %r3, 1;',
  'a call with a guard': 'setp.gt.u32 %p1, %r1, 29; @%p1 call (%r3), triple, (%r3); add.u32 %r3, %r3, 1;',
  'a call with a negated guard': 'setp.gt.u32 %p1, %r1, 29; @!%p1 call (%r3), triple, (%r3); add.u32 %r3, %r3, 1;',
  'a call with a guard that is true for all': 'setp.ge.u32 %p1, %r1, 0; @%p1 call (%r3), triple, (%r3);',
  'a call with a negated guard that is true for all': 'setp.ge.u32 %p1, %r1, 0; @!%p1 call (%r3), triple, (%r3);',
  'a call with a guard that depends on the block':
    'mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 1; @%p1 call (%r3), triple, (%r3); add.u32 %r3, %r3, 1;',
  'a call between barriers':
    'bar.sync 0; setp.gt.u32 %p1, %r1, 29; @!%p1 bra next; call (%r3), triple, (%r3); next: bar.sync 0; add.u32 %r3, %r3, 1;',
  'calls in a loop with a barrier': `mov.u32 %r4, 0; again: call (%r3), triple, (%r3); bar.sync 0; add.u32 %r3, %r3, %r4;
add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 5; @%p1 bra again;`,
  'calls of a function with a barrier': 'call (%r3), meet, (%r3); add.u32 %r3, %r3, 1; call (%r3), meet, (%r3);',
  'calls of a function with a loop': 'call (%r3), sum, (%r3); call (%r4), sum, (%r3); add.u32 %r3, %r3, %r4;',
  'calls of a function that calls others':
    'call (%r4), nested, (%r3); call (%r3), nested, (%r1); add.u32 %r3, %r3, %r4;',
  'calls of a function with local memory': 'call (%r4), kept, (%r3); call (%r3), kept, (%r3); add.u32 %r3, %r3, %r4;',
  'calls of a function that reads the thread index':
    'call (%r3), index, (); call (%r4), index, (); add.u32 %r3, %r3, %r4;',
  'calls of a function with a list of branches': 'call (%r4), chosen, (%r3); mad.lo.u32 %r3, %r4, 3, %r3;',
  'structures as arguments and results': `{ .param .align 8 .b8 both[16]; .param .align 8 .b8 r[16]; .reg .b64 w;
    cvt.u64.u32 w, %r1; st.param.b64 [both+8], w; mad.lo.u32 %r4, %r1, 7, 5; cvt.u64.u32 w, %r4; st.param.b64 [both], w;
    call (r), halves, (both); ld.param.b32 %r3, [r]; ld.param.b64 w, [r+8]; cvt.u32.u64 %r4, w; add.u32 %r3, %r3, %r4; }`,
  'calls of a function that prints': 'call say, (%r3); add.u32 %r3, %r3, 1; call say, (%r3);',
  'calls before a shuffle':
    'call (%r3), triple, (%r3); shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1; call (%r4), triple, (%r4); add.u32 %r3, %r3, %r4;',
  'a branch through a list': `and.b32 %r4, %r1, 1; table: .branchtargets one, two; brx.idx %r4, table;
one: add.u32 %r3, %r3, 10; bra next; two: add.u32 %r3, %r3, 20; next:`,
  'a branch through a list with a guard': `and.b32 %r4, %r1, 1; setp.lt.u32 %p1, %r1, 32;
table: .branchtargets one, two; @%p1 brx.idx %r4, table; add.u32 %r3, %r3, 30; bra next;
one: add.u32 %r3, %r3, 10; bra next; two: add.u32 %r3, %r3, 20; next:`,
  'a short branch': 'and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; @%p1 bra next; mad.lo.u32 %r3, %r3, 7, 5; next:',
  'a short branch with an else side': `and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 1; @%p1 bra other;
mad.lo.u32 %r3, %r3, 7, 5; mul.wide.u32 %rd5, %r3, 11; bra.uni next;
other: shl.b32 %r3, %r3, 2; mul.wide.u32 %rd5, %r3, 13; next: shr.u64 %rd5, %rd5, 1; cvt.u32.u64 %r4, %rd5;
add.u32 %r3, %r3, %r4;`,
  'guards on values of all widths': `and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; cvt.u64.u32 %rd5, %r1; cvt.rn.f64.u32 %fd1, %r1;
cvt.u16.u32 %h1, %r1; setp.lt.u32 %p2, %r1, 9; mov.f64 %fd2, %fd1;
@%p1 mad.lo.u64 %rd5, %rd5, 3, 1; @!%p1 fma.rn.f64 %fd2, %fd1, %fd1, %fd1; @%p1 add.u16 %h1, %h1, 3;
@!%p1 setp.gt.u32 %p2, %r1, 20; @%p1 mov.u32 %r3, 17; cvt.u32.u64 %r5, %rd5; cvt.rzi.u32.f64 %r6, %fd2; cvt.u32.u16 %r7, %h1;
selp.u32 %r4, 1000, 0, %p2; add.u32 %r3, %r3, %r4; mad.lo.u32 %r3, %r5, 3, %r3; mad.lo.u32 %r3, %r6, 5, %r3; add.u32 %r3, %r3, %r7;`,
  'short branches in a loop': `mov.u32 %r4, 0; again: mad.lo.u32 %r5, %r3, 1664525, 1013904223; and.b32 %r6, %r5, 4;
setp.eq.u32 %p1, %r6, 0; @%p1 bra next; add.u32 %r3, %r3, %r5; next: add.u32 %r4, %r4, 1; add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r4, 20; @%p2 bra again;`,
  'short branches over accesses': `.shared .b32 words[64]; and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 1; shl.b32 %r5, %r1, 2;
mov.u32 %r6, words; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], 77; @%p1 bra next; mad.lo.u32 %r7, %r1, 3, 4;
st.shared.u32 [%r5], %r7; next: mov.u32 %r6, 5; @!%p1 bra last; ld.shared.u32 %r6, [%r5]; last: ld.shared.u32 %r7, [%r5];
mad.lo.u32 %r3, %r6, 1000, %r7;`,
  'short branches over accesses of all widths': `.shared .align 16 .b8 bytes[1024]; .reg .b16 half; .reg .b8 byte; .reg .f64 wide;
.reg .b32 a, b, c, d; mov.u32 a, 1; mov.u32 b, 2; mov.u32 c, 3; mov.u32 d, 4; mov.b16 half, 9; mov.u32 %r6, bytes;
mad.lo.u32 %r5, %r1, 16, %r6; st.shared.v4.u32 [%r5], {%r1, %r1, %r1, %r1}; and.b32 %r4, %r1, 5; setp.ne.u32 %p1, %r4, 4;
@%p1 bra next; ld.shared.v4.u32 {a, b, c, d}, [%r5]; ld.shared.s8 half, [%r5+1]; st.shared.u8 [%r5+3], 200;
st.shared.v2.u32 [%r5+8], {c, b}; next: ld.shared.s8 byte, [%r5+3]; cvt.s32.s8 %r4, byte; cvt.u32.u16 %r7, half;
@%p1 ld.shared.f64 wide, [%r5+8]; @!%p1 mov.f64 wide, 0d4008000000000000; @!%p1 st.shared.f64 [%r5], wide;
ld.shared.u32 %r6, [%r5+4]; add.u32 %r3, a, %r4; mad.lo.u32 %r3, b, 3, %r3; mad.lo.u32 %r3, c, 5, %r3;
mad.lo.u32 %r3, d, 7, %r3; mad.lo.u32 %r3, %r6, 11, %r3; mad.lo.u32 %r3, %r7, 13, %r3; mov.b64 %rd5, wide;
cvt.u32.u64 %r4, %rd5; add.u32 %r3, %r3, %r4;`,
  'a short branch over accesses to the same place': `.shared .b32 word; st.shared.u32 [word], 4; bar.sync 0;
setp.ne.u32 %p1, %r1, 6; @%p1 bra next; ld.shared.u32 %r4, [word]; add.u32 %r4, %r4, 1; st.shared.u32 [word], %r4;
next: bar.sync 0; ld.shared.u32 %r3, [word];`,
  'short branches over accesses to local memory': `setp.gt.u32 %p1, %r1, 29; @%p1 bra next; st.local.u32 [list], %r1; next:
@%p1 st.local.u32 [list], 8; @!%p1 bra last; ld.local.u32 %r3, [list]; last: add.u32 %r3, %r3, 1;`,
  'printing by no thread': `setp.gt.u32 %p1, %r1, 99; @!%p1 bra next; ${print} next:`,
  'printing by some threads': `setp.gt.u32 %p1, %r1, 29; @!%p1 bra next; ${print} next: add.u32 %r3, %r3, 1;`,
  'printing by all threads, twice': `${print} add.u32 %r3, %r3, 1; ${print}`,
  'allocating memory': `mov.u64 %rd5, 8; { .param .b64 at; .param .b64 size; st.param.b64 [size], %rd5;
call (at), malloc, (size); ld.param.b64 %rd6, [at]; } st.u32 [%rd6], %r3; ld.u32 %r4, [%rd6]; add.u32 %r3, %r3, %r4;`,
};

interface Outcome {
  readonly printed: string;
  readonly instructions: number;
  readonly words: readonly number[];
}

async function run(body: string, way: string): Promise<Outcome> {
  const device = await Device.create({ simd: true });
  const out = device.alloc(8 * threads);
  const source = moduleOf({
    module: functions,
    body: `.local .align 8 .b8 list[8]; mov.u32 %r1, %tid.x; mov.u32 %r3, %r1; ${body}
mov.u32 %r8, %ctaid.x; mad.lo.u32 %r9, %r8, ${threads}, %r1; mul.wide.u32 %rd2, %r9, 4; ld.param.u64 %rd1, [out];
add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r3;`,
  });
  const kernel = device.load(source).kernel('k');
  const result = await kernel.launch({ ...ways[way], grid: 2, block: threads, args: [out] });
  if (!result.ok) throw new Error(result.fault.message);
  const { printed, stats } = result;
  return { printed, instructions: stats.instructions, words: [...out.read('u32')] };
}

test.each(Object.entries(bodies))('%s', async (_, body) => {
  const alone = await run(body, 'jit');
  expect(await run(body, 'jit with simd')).toEqual(alone);
  expect((await run(body, 'interp')).words).toEqual(alone.words);
});

test.each([
  ['a load', 'ld.global.u32 %r3, [%rd1];'],
  ['a store', 'st.global.u32 [%rd1], %r3;'],
  ['a store to local memory', 'st.local.u32 [%rd1+4096], %r3;'],
])('%s of one of four threads that has no valid address is a fault of this thread', async (_, access) => {
  const faultOf = async (thread: number, way: string): Promise<readonly unknown[]> => {
    const device = await Device.create({ simd: true });
    const source = moduleOf({
      body: `.local .align 8 .b8 list[8]; mov.u32 %r1, %tid.x; mov.u32 %r3, 7; setp.ne.u32 %p1, %r1, ${thread};
mov.u64 %rd1, 4; @%p1 bra next; ${access} next: st.local.u32 [list], %r3;`,
    });
    const result = await device
      .load(source)
      .kernel('k')
      .launch({ ...ways[way], block: threads, args: [device.alloc(8)] });
    return result.ok ? ['ok'] : [result.fault.code, result.fault.thread, result.fault.message];
  };
  const outside = await faultOf(threads, 'jit with simd');
  expect(outside).toEqual(['ok']);
  const inside = await faultOf(26, 'jit with simd');
  expect(inside).toEqual(await faultOf(26, 'jit'));
  expect(inside[1]).toEqual([26, 0, 0]);
});
