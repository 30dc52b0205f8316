/** cp.async, ldu, mapa and the instructions that have no effect, on both engines. */
import { describe, expect, test } from 'vitest';
import { outcome, output, type Source } from './run.ts';

const engines = ['interp', 'jit'] as const;

const module = `.global .align 16 .b32 g[8] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 16, 17, 18, 19};
.shared .align 16 .b32 s[8];`;

/** Sets all bits in the first 20 bytes of shared memory, runs `copy`, and writes these bytes to the output. */
function copied(copy: string): Source {
  const fill = [0, 1, 2, 3, 4].map((i) => `st.shared.u32 [s+${4 * i}], -1;`).join('\n');
  const show = [0, 1, 2, 3, 4].map((i) => `ld.shared.u32 %r1, [s+${4 * i}]; st.global.u32 [%rd1+${4 * i}], %r1;`);
  return { module, body: `ld.param.u64 %rd1, [out];\n${fill}\n${copy}\ncp.async.wait_all;\n${show.join('\n')}` };
}

const ones = 0xffffffff;

describe.each(engines)('cp.async on %s', (engine) => {
  test.each([
    ['four bytes', 'cp.async.ca.shared.global [s], [g+4], 4;', [0x07060504, ones, ones, ones, ones]],
    ['eight bytes', 'cp.async.ca.shared.global [s+8], [g], 8;', [ones, ones, 0x03020100, 0x07060504, ones]],
    ['sixteen bytes', 'cp.async.cg.shared.global.L2::128B [s], [g+16], 16;', [16, 17, 18, 19, ones]],
    ['src-size as a constant', 'cp.async.ca.shared.global [s], [g], 8, 5;', [0x03020100, 4, ones, ones, ones]],
    [
      'src-size in a register, under a policy',
      'mov.u32 %r2, 11; cp.async.cg.shared.global.L2::cache_hint [s], [g], 16, %r2, 0;',
      [0x03020100, 0x07060504, 0x000a0908, 0, ones],
    ],
    ['nothing', 'mov.u32 %r2, 0; cp.async.ca.shared.global [s], [g], 4, %r2;', [0, ones, ones, ones, ones]],
    [
      'all bytes, if src-size is as large as cp-size',
      'mov.u32 %r2, 4; cp.async.ca.shared.global [s], [g], 4, %r2;',
      [0x03020100, ones, ones, ones, ones],
    ],
    [
      'zeros where ignore-src holds',
      'mov.pred %p1, 1; cp.async.ca.shared.global [s], [g], 8, %p1;',
      [0, 0, ones, ones, ones],
    ],
    [
      'all if it does not hold',
      'mov.pred %p1, 1; cp.async.ca.shared.global [s], [g+16], 8, !%p1;',
      [16, 17, ones, ones, ones],
    ],
  ])('copies %s', async (_, copy, wanted) => {
    expect(await output(copied(copy), 20, { engine })).toEqual(wanted);
  });

  test('bytes that are not read may be out of bounds', async () => {
    const copy = `mov.u64 %rd2, 0; mov.u32 %r2, 0; cp.async.ca.shared.global [s], [%rd2], 16, %r2;
add.u64 %rd2, %rd1, 16; mov.u32 %r2, 4; cp.async.ca.shared.global [s], [%rd2], 16, %r2;`;
    expect(await output(copied(copy), 20, { engine })).toEqual([0, 0, 0, 0, ones]);
  });
});

describe('faults of cp.async are the same on both engines', () => {
  test.each([
    [
      'a source that ends too early',
      'add.u64 %rd2, %rd1, 48;\ncp.async.ca.shared.global [s], [%rd2+16], 16;',
      'PTX6001',
    ],
    ['a byte past the end', 'mov.u32 %r2, 1;\ncp.async.ca.shared.global [s], [%rd1+64], 16, %r2;', 'PTX6001'],
    ['a misaligned source', 'cp.async.ca.shared.global [s], [%rd1+4], 8;', 'PTX6002'],
    ['a misaligned part', 'mov.u32 %r2, 1;\ncp.async.ca.shared.global [s], [%rd1+4], 8, %r2;', 'PTX6002'],
    ['a misaligned target', 'cp.async.ca.shared.global [s+4], [%rd1], 8;', 'PTX6002'],
    ['a target too far', 'cp.async.ca.shared.global [s+32], [%rd1], 4;', 'PTX6001'],
  ])('%s', async (_, copy, code) => {
    const source = { module, body: `ld.param.u64 %rd1, [out];\n${copy}` };
    const [interp, jit] = await Promise.all(engines.map((engine) => outcome(source, 64, { engine })));
    expect(interp?.result).toMatchObject({ ok: false, fault: { code } });
    expect(jit?.result).toEqual({ ...interp?.result, stats: expect.anything() });
  });
});

describe.each(engines)('clusters of one block and hints, on %s', (engine) => {
  test('mapa returns the address itself, getctarank returns 0', async () => {
    const body = `ld.param.u64 %rd1, [out]; st.shared.u32 [s+4], 7;
mapa.shared::cluster.u32 %r2, s, 0; ld.shared::cluster.u32 %r3, [%r2+4]; st.global.u32 [%rd1], %r3;
cvta.shared.u64 %rd2, s; mapa.u64 %rd3, %rd2, 0; ld.u32 %r3, [%rd3+4]; st.global.u32 [%rd1+4], %r3;
mov.u32 %r4, 9; getctarank.u64 %r4, %rd3; st.global.u32 [%rd1+8], %r4;`;
    expect(await output({ module, body }, 12, { engine })).toEqual([7, 7, 0]);
  });

  test('ldu loads scalars and vectors', async () => {
    const body = `ld.param.u64 %rd1, [out]; ldu.global.v2.u32 {%r1, %r2}, [g+16]; ldu.u8 %r3, [g+3];
st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3;`;
    expect(await output({ module, body }, 12, { engine })).toEqual([16, 17, 3]);
  });

  test('hints about caches, grids and registers have no effect', async () => {
    const body = `ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 5; mov.u64 %rd2, 16;
prefetch.L1 [%rd2]; prefetch.global.L2::evict_last [%rd1]; prefetchu.L1 [%rd2]; applypriority.L2::evict_normal [%rd1], 128;
discard.L2 [%rd1], 128; griddepcontrol.launch_dependents; griddepcontrol.wait; pmevent 3; pmevent.mask 7;
setmaxnreg.inc.sync.aligned.u32 64; cp.async.commit_group; cp.async.wait_group 0;
createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd3, 0.5; createpolicy.cvt.L2.b64 %rd4, %rd3;
ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd4; st.global.u32 [%rd1+4], %r1;`;
    expect(await output({ module, body }, 8, { engine })).toEqual([5, 5]);
  });
});
