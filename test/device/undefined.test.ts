/**
 * Tests how the reference engine tracks undefined bits: which uses of them are allowed, and what must not depend on
 * them.
 */
import { describe, expect, test } from 'vitest';
import { faultOf, outcome, type Source } from './run.ts';

const engine = { engine: 'interp' } as const;

/** Leaves an undefined word in %r1, the number 7 in %r2, and the address of the buffer in %rd1. */
const load = `.shared .align 8 .b8 s[64]; .local .align 8 .b8 l[64]; ld.param.u64 %rd1, [out]; mov.u32 %r2, 7; mov.u32 %r9, s;
ld.shared.u32 %r1, [s+8];`;
const store = 'st.global.u32 [%rd1], %r5;';

const callees = `.func (.reg .b32 r) same(.reg .b32 a) { mov.b32 r, a; ret; }
.func (.param .b32 r) kept(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }
.func (.reg .b32 r) other(.reg .b32 a) { mov.b32 r, 3; ret; }`;

describe('what is harmless', () => {
  test.each<[string, string, number]>([
    ['a load whose value is not used', 'mov.u32 %r5, 1;', 1],
    ['a register that is written again', 'mov.u32 %r1, 2; mov.u32 %r5, %r1;', 2],
    ['the operand that selp does not select', 'setp.eq.u32 %p1, %r2, 7; selp.b32 %r5, %r2, %r1, %p1;', 7],
    ['bits that a mask clears', 'and.b32 %r5, %r1, 0;', 0],
    ['bits that a mask sets', 'or.b32 %r5, %r1, -1;', 0xffffffff],
    ['bits that lop3 ignores', 'lop3.b32 %r5, %r1, %r2, %r2, 0xcc;', 7],
    ['bits that are shifted out', 'shl.b32 %r3, %r1, 8; and.b32 %r5, %r3, 0xff;', 0],
    ['bytes that prmt does not select', 'prmt.b32 %r5, %r1, %r2, 0x7654;', 7],
    [
      'a comparison that is decided by other bits',
      'or.b32 %r3, %r1, 16; setp.gt.u32 %p1, %r3, 9; selp.b32 %r5, 1, 2, %p1;',
      1,
    ],
    [
      'a lane that is not read by any other lane',
      'mov.u32 %r3, %laneid; setp.ne.u32 %p1, %r3, 0; @!%p1 mov.u32 %r1, 4; shfl.sync.idx.b32 %r5, %r1, 0, 0x1f, -1;',
      4,
    ],
    ['an argument that is ignored', 'call (%r5), other, (%r1);', 3],
    ['a spill that is overwritten', 'st.local.u32 [l], %r1; st.local.u32 [l], %r2; ld.local.u32 %r5, [l];', 7],
    [
      'a vote that is decided by another lane',
      'mov.u32 %r3, %laneid; setp.eq.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r3, 0; @%p2 setp.eq.u32 %p1, 0, 0; vote.sync.any.pred %p3, %p1, -1; selp.b32 %r5, 1, 2, %p3;',
      1,
    ],
    [
      'the other bytes of a word in which compare-and-swap changes one',
      'st.shared.u8 [s+44], 0; bar.sync 0; ld.shared.u32 %r3, [s+44]; A: add.u32 %r4, %r3, 1; atom.shared.cas.b32 %r6, [s+44], %r3, %r4; setp.ne.u32 %p1, %r6, %r3; mov.u32 %r3, %r6; @%p1 bra A; bar.sync 0; ld.shared.u8 %r5, [s+44];',
      32,
    ],
    [
      'padding of a struct that is copied to global memory',
      'st.local.u8 [l], 9; ld.local.u64 %rd2, [l]; st.global.u64 [%rd1], %rd2; mov.u32 %r5, 9;',
      9,
    ],
  ])('%s', async (_, body, wanted) => {
    const { result, words } = await outcome({ module: callees, body: `${load}\n${body}\n${store}` }, 64, {
      ...engine,
      block: 32,
    });
    expect(result).toMatchObject({ ok: true });
    expect(words[0]).toBe(wanted);
  });
});

describe('what it travels through', () => {
  test.each([
    ['moves', 'mov.b32 %r3, %r1; mov.b64 %rd2, {%r3, %r2}; mov.b64 {%r5, %r4}, %rd2;'],
    ['logic', 'xor.b32 %r3, %r1, %r1; and.b32 %r5, %r1, 4;'],
    ['selections', 'setp.eq.u32 %p1, %r2, 7; selp.b32 %r5, %r1, %r2, %p1;'],
    ['a condition', 'setp.eq.u32 %p1, %r1, 7; selp.b32 %r5, 1, 2, %p1;'],
    ['a comparison of two words', 'ld.shared.u32 %r3, [s+12]; setp.eq.u32 %p1, %r1, %r3; selp.b32 %r5, 1, 2, %p1;'],
    ['sums', 'add.u32 %r5, %r1, %r2;'],
    ['products', 'mad.lo.u32 %r5, %r2, %r1, 1;'],
    ['floats', 'mov.b32 %f1, %r1; add.f32 %f2, %f1, %f1; mov.b32 %r5, %f2;'],
    ['conversions', 'cvt.s64.s32 %rd2, %r1; shr.s64 %rd2, %rd2, 40; cvt.u32.u64 %r5, %rd2;'],
    ['shuffles', 'setp.eq.u32 %p1, %r2, 7; shfl.sync.up.b32 %r5, %r1, 1, 0, -1;'],
    [
      'a lane that is read',
      'mov.u32 %r3, %laneid; setp.ne.u32 %p1, %r3, 3; @%p1 mov.u32 %r1, 4; shfl.sync.idx.b32 %r5, %r1, 3, 0x1f, -1;',
    ],
    ['reductions', 'redux.sync.add.u32 %r5, %r1, -1;'],
    ['local memory', 'st.local.u32 [l], %r1; ld.local.u32 %r5, [l];'],
    ['shared memory', 'st.shared.u32 [s+16], %r1; ld.shared.u32 %r5, [s+16];'],
    [
      'a byte that is stored as part of a word',
      'ld.shared.u8 %r3, [s+40]; st.local.u32 [l], %r3; ld.local.u32 %r5, [l];',
    ],
    ['generic addresses', 'cvta.shared.u64 %rd2, s; ld.u32 %r5, [%rd2+4];'],
    ['arguments and results in registers', 'call (%r5), same, (%r1);'],
    ['arguments and results in memory', 'call (%r5), kept, (%r1);'],
    ['atomics', 'atom.shared.add.u32 %r5, [s+20], 1;'],
    ['what atomics leave', 'atom.shared.add.u32 %r3, [s+20], 1; ld.shared.u32 %r5, [s+20];'],
  ])('%s', async (_, body) => {
    const fault = await faultOf({ module: callees, body: `${load} ${body}\n${store}` }, { ...engine, block: 32 });
    expect(fault).toMatchObject({ code: 'PTX6006', line: 8 });
    expect(fault.message).toMatch(/^a store to global memory depends on (shared|local) memory that was never written/);
  });
});

describe('what must not depend on it', () => {
  test.each<[string, string, string, string?]>([
    ['a branch', 'setp.eq.u32 %p1, %r1, 0;', '@%p1 bra L; L:'],
    ['a branch', '', 'brx.idx %r1, T;', '\nL: T: .branchtargets L;'],
    ['a branch', 'setp.eq.u32 %p1, %r1, 0;', '@%p1 mov.u32 %r5, 1;'],
    ['an address', 'add.u32 %r9, %r9, %r1;', 'ld.shared.u32 %r5, [%r9];'],
    ['an address', 'cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd1;', 'st.global.u32 [%rd2], 1;'],
    ['a store to global memory', '', 'st.global.v2.u32 [%rd1], {%r2, %r1};'],
    ['a store to global memory', '', 'red.global.add.u32 [%rd1], %r1;'],
    ['a barrier', 'and.b32 %r3, %r1, 1;', 'bar.sync %r3;'],
    ['a member mask', '', 'shfl.sync.idx.b32 %r5, %r2, 0, 0x1f, %r1;'],
  ])('%s', async (use, before, line) => {
    const body = line.startsWith('brx')
      ? `${load} ${before}\nT: .branchtargets L;\n${line} L:`
      : `${load} ${before}\n\n${line}`;
    const fault = await faultOf({ body }, engine);
    expect(fault).toMatchObject({ code: 'PTX6006', space: 'shared', address: '0x8', line: 9 });
    expect(fault.message).toContain(
      `${use} depends on shared memory that was never written: 4 bytes at 0x8, loaded on line 7`,
    );
  });

  test('a host call', async () => {
    const module =
      '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v); .global .align 1 .b8 text[] = {37, 100, 0};';
    const print = (value: string): Source => ({
      module,
      body: `${load} cvta.global.u64 %rd2, text; cvta.local.u64 %rd3, l; st.local.u32 [l], ${value};
{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd2; st.param.b64 [v], %rd3; call (r), vprintf, (f, v); }`,
    });
    expect((await outcome(print('%r2'), 4, engine)).result).toMatchObject({ ok: true, printed: '7' });
    const fault = await faultOf(print('%r1'), engine);
    expect(fault).toMatchObject({ code: 'PTX6006', space: 'shared', line: 8 });
    expect(fault.message).toContain('a host call depends on shared memory');
  });
});
