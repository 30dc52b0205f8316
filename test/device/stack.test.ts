/** alloca, stacksave and stackrestore on both engines. */
import { describe, expect, test } from 'vitest';
import { outcome, output } from './run.ts';

const engines = ['interp', 'jit'] as const;

/** Stores %rd2 to %rd5 as words. */
const show = [2, 3, 4, 5].map((n) => `cvt.u32.u64 %r1, %rd${n}; st.global.u32 [%rd1+${4 * n - 8}], %r1;`).join('\n');
const out = 'ld.param.u64 %rd1, [out];';

describe.each(engines)('the stack on %s', (engine) => {
  test('allocations are separate and aligned, and keep what is stored in them', async () => {
    const body = `${out}
alloca.u64 %rd6, 4; alloca.u64 %rd7, 12, 64; alloca.u64 %rd8, 1;
st.local.u32 [%rd6], 11; st.local.u32 [%rd7+8], 22; st.local.u8 [%rd8], 33;
ld.local.u32 %r2, [%rd6]; ld.local.u32 %r3, [%rd7+8]; ld.local.u8 %r4, [%rd8];
st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;
and.b64 %rd9, %rd7, 63; cvt.u32.u64 %r1, %rd9; st.global.u32 [%rd1+12], %r1;
sub.u64 %rd9, %rd8, %rd7; cvt.u32.u64 %r1, %rd9; st.global.u32 [%rd1+16], %r1;`;
    expect(await output({ body }, 20, { engine })).toEqual([11, 22, 33, 0, 16]);
  });

  test('stackrestore frees memory, so that a loop can allocate forever', async () => {
    const body = `${out} mov.u32 %r5, 0; alloca.u64 %rd2, 8; stacksave.u64 %rd3;
L: alloca.u64 %rd4, 4096; st.local.u32 [%rd4+4092], %r5; stackrestore.u64 %rd3;
add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 10; @%p1 bra L;
alloca.u64 %rd5, 8; sub.u64 %rd3, %rd4, %rd2; sub.u64 %rd4, %rd5, %rd2; mov.u64 %rd2, 0; mov.u64 %rd5, 0;
${show}`;
    expect(await output({ body }, 16, { engine })).toEqual([0, 8, 8, 0]);
  });

  test('each thread has its own stack', async () => {
    const body = `${out} mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; alloca.u64 %rd3, %rd2; alloca.u64 %rd4, 8;
st.local.u64 [%rd4], %rd2; bar.sync 0; alloca.u64 %rd5, 8; st.local.u64 [%rd5], 50; ld.local.u64 %rd6, [%rd4];
mad.wide.u32 %rd8, %r1, 4, %rd1; cvt.u32.u64 %r2, %rd6; st.global.u32 [%rd8], %r2;`;
    const wanted = Array.from({ length: 40 }, (_, i) => i);
    expect(await output({ body }, 160, { engine, block: 40 })).toEqual(wanted);
  });

  test('each activation of a function has its own allocations', async () => {
    const module = `.func (.reg .b64 r) f(.reg .b64 n) { .reg .b64 p; alloca.u64 p, 16; st.local.u64 [p], n;
st.local.u64 [p+8], 5; ld.local.u64 r, [p]; ret; }`;
    const body = `${out} alloca.u64 %rd4, 8; st.local.u64 [%rd4], 3; mov.u64 %rd5, 100; call (%rd6), f, (%rd5);
ld.local.u64 %rd7, [%rd4]; call (%rd5), f, (%rd7); add.u64 %rd6, %rd6, %rd5;
cvt.u32.u64 %r2, %rd6; st.global.u32 [%rd1], %r2;`;
    expect(await output({ module, body }, 4, { engine })).toEqual([103]);
  });

  test('32-bit addresses', async () => {
    const body = `${out} mov.u32 %r1, 40; alloca.u32 %r2, %r1; stacksave.u32 %r3; st.local.u32 [%r2+36], 9; ld.local.u32 %r4, [%r2+36];
st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4;`;
    expect(await output({ body }, 8, { engine })).toEqual([40, 9]);
  });
});

test('memory outside the stack cannot be accessed', async () => {
  const body = 'alloca.u64 %rd2, 8192; st.local.u32 [%rd2+8188], 1; alloca.u64 %rd3, 8;\nst.local.u32 [%rd3], 1;';
  const [interp, jit] = await Promise.all(engines.map((engine) => outcome({ body }, 4, { engine })));
  expect(interp?.result).toMatchObject({ ok: false, fault: { code: 'PTX6001', line: 7 } });
  expect(jit?.result).toEqual({ ...interp?.result, stats: expect.anything() });
});
