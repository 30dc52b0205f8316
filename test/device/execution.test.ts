/** Tests control flow, barriers, special registers and individual instructions by running kernels. */
import { describe, expect, test } from 'vitest';
import { outcome, output, ways } from './run.ts';

/** Puts the index of the thread in %r10, and the address of the output word with this index in %rd1. */
const own = `ld.param.u64 %rd1, [out]; mov.u32 %r10, %tid.x; mul.wide.u32 %rd2, %r10, 4; add.u64 %rd1, %rd1, %rd2;`;

describe('control flow', () => {
  test('threads of a block can take different paths and loop different numbers of times', async () => {
    const body = `${own}
mov.u32 %r1, 0; mov.u32 %r2, %r10;
loop: setp.eq.u32 %p1, %r2, 0; @%p1 bra done;
add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1; bra loop;
done: st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 20, { block: 5 })).toEqual([0, 1, 3, 6, 10]);
  });

  test('guards may be negated, and a skipped instruction writes nothing', async () => {
    const body = `${own}
setp.lt.u32 %p1|%p2, %r10, 2; mov.u32 %r1, 100; @%p1 mov.u32 %r1, 1; @!%p2 add.u32 %r1, %r1, 10; @!%p1 add.u32 %r1, %r1, 5;
st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 12, { block: 3 })).toEqual([11, 11, 105]);
  });

  test('labels and registers of an inner scope hide outer ones', async () => {
    const body = `${own}
mov.u32 %r1, 1;
{ .reg .u32 %r<3>; mov.u32 %r1, 50; bra end; mov.u32 %r1, 60; end: st.global.u32 [%rd1+4], %r1; }
bra end; mov.u32 %r1, 2;
end: st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 8)).toEqual([1, 50]);
  });

  test.each(Object.entries(ways))('the clock counts the instructions between two readings: %s', async (_, way) => {
    const body = `${own}
mov.u64 %rd3, %clock64; mov.u64 %rd4, %clock64; add.u32 %r10, %r10, 1; add.u32 %r10, %r10, 1; mov.u32 %r1, %clock;
sub.u64 %rd4, %rd4, %rd3; cvt.u32.u64 %r2, %rd3; sub.u32 %r1, %r1, %r2; cvt.u32.u64 %r2, %rd4;
st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2;`;
    expect(await output({ body }, 8, way)).toEqual([4, 1]);
  });

  test('only instructions whose guard holds are counted, including exit but not ret', async () => {
    const count = async (body: string): Promise<number> => {
      const { result } = await outcome({ body }, 4, { block: 3 });
      return result.stats.instructions;
    };
    expect(await count('')).toBe(0);
    expect(await count('mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\nadd.u32 %r1, %r1, 1;')).toBe(8);
    expect(await count('exit;')).toBe(3);
    expect(await count('bar.sync 0;')).toBe(3);
  });
});

describe('barriers', () => {
  test('a value written before a barrier is read after it', async () => {
    const body = `${own}
.shared .align 4 .b8 s[256]; mov.u32 %r3, s; shl.b32 %r4, %r10, 2; add.u32 %r5, %r3, %r4; st.shared.u32 [%r5], %r10;
bar.sync 0; xor.b32 %r4, %r4, 252; add.u32 %r5, %r3, %r4; ld.shared.u32 %r1, [%r5]; st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 256, { block: 64 })).toEqual(Array.from({ length: 64 }, (_, i) => 63 - i));
  });

  test('a barrier does not wait for threads that have exited', async () => {
    const body = `${own}
setp.ge.u32 %p1, %r10, 3; @%p1 exit; bar.sync 0; st.global.u32 [%rd1], 1;`;
    expect(await output({ body }, 16, { block: 4 })).toEqual([1, 1, 1, 0]);
  });

  test('barriers are distinguished by number, and with a count, part of a block can pass', async () => {
    const body = `${own}
shr.u32 %r2, %r10, 5; add.u32 %r3, %r2, 4; bar.sync %r3, 32; st.global.u32 [%rd1], %r3; bar.sync 0; bar.sync 0;`;
    const words = await output({ body }, 512, { block: 128 });
    expect([0, 1, 2, 3].map((warp) => words[32 * warp])).toEqual([4, 5, 6, 7]);
  });

  test('a thread that spins on a flag yields to the thread that sets it', async () => {
    const body = `${own}
.shared .u32 flag; setp.eq.u32 %p1, %r10, 1;
@%p1 bra set; st.shared.u32 [flag], 0;
wait: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait; st.global.u32 [%rd1], %r1; bra end;
set: st.volatile.shared.u32 [flag], 9; st.global.u32 [%rd1], 1;
end:`;
    const spun = await outcome({ body }, 8, { block: 2, timeout: 5 });
    // Thread 0 waits in a loop until thread 1 has set the flag, so thread 1 must run while thread 0 is in the loop.
    expect(spun).toMatchObject({ result: { ok: true }, words: [9, 1] });
  });

  test.each(['jit', 'jit with simd'])('127 threads that spin yield after a few rounds: %s', async (way) => {
    const body = `${own}
.shared .u32 flag; setp.eq.u32 %p1, %r10, 127; @%p1 bra set;
wait: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait; bra end;
set: st.volatile.shared.u32 [flag], 9;
end:`;
    const { result } = await outcome({ body }, 4 * 128, { block: 128, ...ways[way] });
    expect(result.stats.instructions).toBeLessThan(10_000);
  });
});

describe('special registers', () => {
  test('indices and extents in three dimensions, x fastest', async () => {
    const body = `ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;
mov.v4.u32 {%r7, %r8, %r9, _}, %ntid; mov.u32 %r11, %nctaid.x; mov.u32 %r12, %nctaid.y; mov.u32 %r13, %nctaid.z; mov.u32 %r14, %laneid;
mul.lo.u32 %r15, %r6, 2; add.u32 %r15, %r15, %r5; mad.lo.u32 %r15, %r15, 3, %r4;
mad.lo.u32 %r16, %r3, %r8, %r2; mad.lo.u32 %r16, %r16, %r7, %r1; setp.ne.u32 %p1, %r14, %r16; @%p1 mov.u32 %r14, 999;
mad.lo.u32 %r17, %r15, 24, %r16; mul.wide.u32 %rd2, %r17, 4; add.u64 %rd1, %rd1, %rd2;
mul.lo.u32 %r18, %r11, %r12; mad.lo.u32 %r18, %r18, 100, %r14; st.global.u32 [%rd1], %r18;`;
    const words = await output({ body }, 4 * 24 * 6, { grid: [3, 2], block: [4, 3, 2] });
    expect(words).toEqual(Array.from({ length: 24 * 6 }, (_, i) => 600 + (i % 24)));
  });

  test('16-bit reads of %tid, lane masks, WARP_SZ', async () => {
    const body = `${own}
mov.u16 %h1, %tid.x; cvt.u32.u16 %r1, %h1; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_ge; add.u32 %r4, %r1, WARP_SZ;
add.u32 %r2, %r2, %r3; setp.eq.u32 %p1, %r2, -1; selp.u32 %r4, %r4, 0, %p1; st.global.u32 [%rd1], %r4;`;
    expect(await output({ body }, 256, { block: 64 })).toEqual(Array.from({ length: 64 }, (_, i) => i + 32));
  });
});

describe('registers', () => {
  test('a result that is also a source is read before it is written', async () => {
    const body = `ld.param.u64 %rd1, [out];
mov.b64 %rd2, 0x1111111122222222; mov.b64 {%r1, %r2}, %rd2; mov.v2.u32 {%r1, %r2}, {%r2, %r1}; mov.b64 %rd3, {%r1, %r2}; st.global.u64 [%rd1], %rd3;
mov.b32 %r3, 0x40003c00; add.f16x2 %r3, %r3, %r3; st.global.u32 [%rd1+8], %r3;
setp.eq.u32 %p1, 1, 1; setp.eq.and.u32 %p1|%p2, 1, 1, %p1; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p2; st.global.v2.u32 [%rd1+16], {%r4, %r5};`;
    expect(await output({ body }, 24)).toEqual([0x11111111, 0x22222222, 0x44004000, 0, 1, 0]);
  });

  test('loads extend to wider registers by their type, and stores keep the low bits', async () => {
    const body = `ld.param.u64 %rd1, [out];
st.global.u32 [%rd1], 0x8180ff7f; ld.global.s8 %r1, [%rd1+1]; ld.global.u8 %r2, [%rd1+1]; ld.global.s16 %rd2, [%rd1+2];
st.global.u32 [%rd1+4], %r1; st.global.u32 [%rd1+8], %r2; st.global.u64 [%rd1+16], %rd2; st.global.u8 [%rd1+12], %r1;`;
    expect(await output({ body }, 24)).toEqual([0x8180ff7f, 0xffffffff, 0xff, 0xff, 0xffff8180, 0xffffffff]);
  });

  test('members of a vector register', async () => {
    const body = `ld.param.u64 %rd1, [out]; .reg .v4 .b32 %v; .reg .v2 .u32 %w;
mov.v4.b32 %v, {1, 2, 3, 4}; add.u32 %w.x, %v.y, %v.w; mov.u32 %w.y, %v.z; st.global.v2.u32 [%rd1], %w; st.global.v4.b32 [%rd1+16], %v;
ld.global.v2.u32 %w, [%rd1+24]; mov.b64 %rd2, %w; st.global.u64 [%rd1+8], %rd2;`;
    expect(await output({ body }, 32)).toEqual([6, 3, 3, 4, 1, 2, 3, 4]);
  });

  test('%r03 is %r3', async () => {
    const body = 'ld.param.u64 %rd1, [out]; mov.u32 %r03, 7; st.global.u32 [%rd1], %r3;';
    expect(await output({ body }, 4)).toEqual([7]);
  });
});

describe('arithmetic', () => {
  test.each([
    ['mul.hi.s32 %r1, -2, 0x40000000;', 0xffffffff],
    ['mad.wide.u16 %r1, 0xffff, 0xffff, 5;', 0xfffe0006],
    ['mad.hi.sat.s32 %r1, 0x7fffffff, 0x7fffffff, 0x7fffffff;', 0x7fffffff],
    ['add.sat.s32 %r1, 0x7fffffff, 1;', 0x7fffffff],
    ['shr.s32 %r1, -8, 40;', 0xffffffff],
    ['shl.b32 %r1, 1, 32;', 0],
    ['div.s32 %r1, -7, 2;', 0xfffffffd],
    ['min.relu.s32 %r1, -5, 3;', 0],
    ['add.s16x2 %r1, %r2, %r3;', 0x80000000],
    ['max.u16x2 %r1, %r2, %r3;', 0x7fff_ffff],
    ['add.rn.f32x2 %rd2, %rd3, %rd3; mov.b64 {%r4, %r1}, %rd2;', 0x40000000],
    ['fma.rn.relu.f16 %h1, %h2, %h3, %h3; cvt.u32.u16 %r1, %h1;', 0],
    ['add.f32.bf16 %f1, %h3, %f2; mov.b32 %r1, %f1;', 0xbf800000],
    ['min.xorsign.abs.f32 %f1, 0fC0000000, 0f40400000; mov.b32 %r1, %f1;', 0xc0000000],
    ['max.f32 %f1, 0f7FC00000, 0f3F800000, 0fC0000000; mov.b32 %r1, %f1;', 0x3f800000],
    ['max.abs.f32 %f1, 0f3F800000, 0f3F800000, 0fC0000000; mov.b32 %r1, %f1;', 0x40000000],
    ['setp.ltu.f32 %p1, 0f7FC00000, 0f3F800000; selp.u32 %r1, 5, 6, %p1;', 5],
    ['rcp.approx.ftz.f64 %fd1, 0d4008000000000000; mov.b64 {%r1, %r2}, %fd1;', 0],
    ['div.approx.f32 %f1, 0f40C00000, 0f40000000; mov.b32 %r1, %f1;', 0x40400000],
  ])('%s', async (instruction, wanted) => {
    const body = `ld.param.u64 %rd1, [out]; mov.b32 %r2, 0x7fffffff; mov.b32 %r3, 0x00010001; mov.b64 %rd3, 0x3f8000003f800000;
mov.b16 %h2, 0x3c00; mov.b16 %h3, 0xbf80;
${instruction}
st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 4)).toEqual([wanted]);
  });
});
