/**
 * Runs kernels with faults, waiting threads and loops on the fast engine, which must behave exactly like the reference
 * engine.
 */
import { describe, expect, test } from 'vitest';
import { outcome, output, type Source, ways } from './run.ts';

type Options = Parameters<typeof outcome>[2];

async function both(source: Source, options: Options = {}) {
  const [interp, jit] = await Promise.all(
    (['interp', 'jit'] as const).map((engine) => outcome(source, 256, { uninitialized: 'zero', ...options, engine })),
  );
  if (interp === undefined || jit === undefined) throw new Error('two outcomes');
  return { interp, jit };
}

const address = 'ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;';

describe('faults are the same on both engines', () => {
  test.each<readonly [string, string, Options]>([
    ['past the end of a buffer', `${address}\nst.global.u32 [%rd2], %r1;`, { block: 96 }],
    ['half behind the end', 'ld.param.u64 %rd1, [out];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+248];', {}],
    ['before a buffer', 'ld.param.u64 %rd1, [out];\nld.global.u8 %r1, [%rd1+-1];', {}],
    ['the null page', 'mov.u64 %rd1, 16;\nld.global.u32 %r1, [%rd1];', {}],
    ['a misaligned load', 'ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [%rd1+2];', {}],
    ['an address in no space', 'mov.u64 %rd1, 0xffffffffffffff00;\nld.u32 %r1, [%rd1];', {}],
    ['shared memory too far', '.shared .b32 s[4];\nmov.u32 %r1, s;\nld.shared.u32 %r2, [%r1+16];', {}],
    [
      'shared memory at the very end of the 64-bit range',
      'mov.u64 %rd1, -4;\nld.shared.u32 %r2, [%rd1];',
      { sharedBytes: 16 },
    ],
    [
      'shared memory through a generic address',
      '.shared .b32 s[4];\ncvta.shared.u64 %rd1, s;\nld.u32 %r2, [%rd1+16];',
      {},
    ],
    ['local memory too far', '.local .b32 l[4];\nmov.u64 %rd1, l;\nst.local.u32 [%rd1+-4], 1;', { block: 2 }],
    [
      'constants past their end, through a generic address',
      'mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1+16];',
      {},
    ],
    ['a misaligned load of constants', 'mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1+2];', {}],
    ['parameters past their end', 'mov.u64 %rd1, out;\ncvta.param.u64 %rd1, %rd1;\nld.u64 %rd2, [%rd1+8];', {}],
    ['a store to const', 'mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1], 1;', {}],
    ['a foreign window', '.shared .b32 s[4];\ncvta.shared.u64 %rd1, s;\ncvta.to.global.u64 %rd2, %rd1;', {}],
    [
      'a barrier that some threads never reach',
      'mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bar.sync 1, 64;\n',
      { block: 32 },
    ],
    ['a barrier number that does not exist', 'mov.u32 %r1, 16;\nbar.sync %r1;', { block: 32 }],
  ])('%s', async (_, body, options) => {
    const { interp, jit } = await both({ body, module: '.const .b32 c[4] = {1, 2, 3, 4};' }, options);
    expect(interp.result.ok).toBe(false);
    expect(jit.result).toEqual({ ...interp.result, stats: expect.anything() });
  });

  test('a kernel that loops forever is stopped by its budget', async () => {
    const { jit } = await both({ body: 'L: bra L;' }, { budget: 100_000 });
    expect(jit.result).toMatchObject({ ok: false, fault: { code: 'PTX6020', line: 6, thread: [0, 0, 0] } });
  });
});

describe('memory and counts are the same on both engines', () => {
  test.each<readonly [string, string, Options]>([
    [
      'indices of three dimensions',
      `mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x;
      mov.u32 %r5, %ntid.y; mad.lo.u32 %r6, %r3, %r5, %r2; mov.u32 %r1, %tid.x; mad.lo.u32 %r6, %r6, %r4, %r1;
      ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r6, 4, %rd1; mov.u32 %r7, %laneid; mad.lo.u32 %r6, %r6, 99, %r7;
      st.global.u32 [%rd2], %r6;`,
      { block: [3, 5, 4] },
    ],
    [
      'constants and parameters through generic addresses, each thread another one',
      `${address} mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3; mov.u64 %rd4, out; cvta.param.u64 %rd4, %rd4;
      and.b32 %r2, %r1, 1; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd4, %rd5;
      and.b32 %r3, %r1, 2; setp.eq.u32 %p1, %r3, 0; selp.b64 %rd8, %rd6, %rd7, %p1; ld.u32 %r4, [%rd8];
      ld.v2.u32 {%r5, %r6}, [%rd3+8]; add.u32 %r4, %r4, %r6; st.global.u32 [%rd2], %r4;`,
      { block: 64 },
    ],
    [
      'registers begin at zero for every thread',
      `${address} @%p1 mov.u32 %r3, 7; add.u32 %r2, %r2, 1; add.u32 %r3, %r3, %r2;
      setp.eq.u32 %p1, %r1, %r1; st.global.u32 [%rd2], %r3;`,
      { block: 64 },
    ],
    [
      'values stay live across barriers in a loop that exchanges data in shared memory',
      `.shared .b32 s[64]; ${address}
      mov.u32 %r2, %r1; mov.u32 %r5, 0; cvt.u64.u32 %rd3, %r1; mov.u32 %r6, s; mad.lo.u32 %r7, %r1, 4, %r6;
      xor.b32 %r8, %r7, 4; mov.f64 %fd1, 0d3ff8000000000000;
      L: st.shared.u32 [%r7], %r2; bar.sync 0; ld.shared.u32 %r9, [%r8]; bar.sync 0; mad.lo.u32 %r2, %r9, 3, %r1;
      add.f64 %fd1, %fd1, %fd1; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra L;
      cvt.rzi.u32.f64 %r3, %fd1; add.u32 %r2, %r2, %r3; cvt.u32.u64 %r3, %rd3; add.u32 %r2, %r2, %r3;
      st.global.u32 [%rd2], %r2;`,
      { block: 64 },
    ],
    [
      'threads that exit early are not waited for',
      `${address} setp.lt.u32 %p1, %r1, 10; @%p1 exit; bar.sync 0;
      st.global.u32 [%rd2], 5;`,
      { block: 40 },
    ],
    [
      'a branch into the middle of a loop',
      `${address} and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0;
      @%p1 bra B; A: add.u32 %r3, %r3, 10; B: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra A;
      st.global.u32 [%rd2], %r3;`,
      { block: 64 },
    ],
    [
      'each thread has its own local memory',
      `.local .b32 l[3]; ${address} mov.u64 %rd3, l; st.local.u32 [%rd3+8], %r1;
      ld.local.u32 %r2, [%rd3+8]; ld.local.u32 %r3, [%rd3]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd2], %r2;`,
      { block: 64 },
    ],
    [
      'nested loops with two exits',
      `${address} mov.u32 %r2, 0; mov.u32 %r4, 0;
      O: mov.u32 %r3, 0; I: add.u32 %r2, %r2, %r3; setp.gt.u32 %p1, %r2, 40; @%p1 bra D; add.u32 %r3, %r3, 1;
      setp.lt.u32 %p2, %r3, %r1; @%p2 bra I; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra O;
      D: mad.lo.u32 %r2, %r4, 1000, %r2; st.global.u32 [%rd2], %r2;`,
      { block: 64 },
    ],
  ])('%s', async (_, body, options) => {
    const { interp, jit } = await both({ body, module: '.const .b32 c[4] = {1, 2, 3, 4};' }, options);
    expect(interp.result).toMatchObject({ ok: true });
    expect(jit.result).toMatchObject({ ok: true });
    expect(jit.words).toEqual(interp.words);
    expect(jit.result.stats.instructions).toBe(interp.result.stats.instructions);
  });
});

test.each(Object.keys(ways))('a result is the same for all threads, although an operand is not: %s', async (way) => {
  const body = `
    mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3;
    createpolicy.range.global.L2::evict_last.b64 %rd2, [%rd1], 32, 64; st.global.u64 [%rd1], %rd2;`;
  const words = await output({ body }, 64, { ...ways[way], block: 8 });
  expect(words).toEqual(Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 0 : 0x14f00000)));
});
