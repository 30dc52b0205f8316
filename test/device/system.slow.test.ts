/**
 * Tests what the system provides to kernels: a workspace for grid synchronization, and the reserved bytes of shared
 * memory.
 */
import { describe, expect, test } from 'vitest';
import type { LaunchOptions } from '../../src/device.ts';
import { outcome, output, type Source, ways } from './run.ts';

const everywhere: Readonly<Record<string, LaunchOptions>> = { ...ways, 'two workers': { workers: 2, simd: true } };

/**
 * Each thread stores its index, and all blocks synchronize in the same way as `grid.sync()` of cooperative groups. If
 * the grid has `n` threads, thread `i` then reads the index that thread `n - 1 - i` has stored, and stores this index
 * plus one.
 */
const reversed: Source = {
  body: `
    mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mov.u32 %r6, %nctaid.x;
    mad.lo.u32 %r7, %r3, %r4, %r5;
    ld.param.u64 %rd2, [out]; cvta.to.global.u64 %rd2, %rd2; mad.wide.u32 %rd3, %r7, 4, %rd2; st.global.u32 [%rd3], %r7;
    setp.ne.s64 %p1, %rd1, 0; @%p1 bra SYNC; trap;
    SYNC:
    barrier.sync 0; setp.ne.u32 %p2, %r5, 0; @%p2 bra MET;
    setp.eq.u32 %p3, %r3, 0; sub.u32 %r8, 0x80000001, %r6; selp.b32 %r8, %r8, 1, %p3;
    atom.add.release.gpu.u32 %r9, [%rd1+4], %r8;
    LOOK:
    ld.acquire.gpu.u32 %r10, [%rd1+4]; xor.b32 %r11, %r10, %r9; setp.gt.s32 %p4, %r11, -1; @%p4 bra LOOK;
    MET:
    barrier.sync 0;
    mul.lo.u32 %r12, %r4, %r6; sub.u32 %r13, %r12, %r7; mad.wide.u32 %rd4, %r13, 4, %rd2; ld.global.u32 %r14, [%rd4+-4];
    barrier.sync 0;
    mul.wide.u32 %rd5, %r12, 4; add.s64 %rd5, %rd5, %rd3; add.u32 %r14, %r14, 1; st.global.u32 [%rd5], %r14;`,
};

describe.each(Object.entries(everywhere))('on %s', (_name, way) => {
  test.each([
    [1, 32],
    [40, 64],
    [300, 4],
  ])('%i blocks of %i threads meet', async (grid, block) => {
    const threads = grid * block;
    const words = await output(reversed, 8 * threads, { ...way, grid, block, cooperative: true });
    expect(words.slice(threads)).toEqual(Array.from({ length: threads }, (_, i) => threads - i));
  });

  test('the workspace is fresh in each launch and contains its own size', async () => {
    const body = `mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1}; ld.v2.u32 {%r3, %r4}, [%rd1];
      st.u32 [%rd1+4], 99; ld.param.u64 %rd2, [out]; st.global.v2.u32 [%rd2], {%r3, %r4};`;
    for (let i = 0; i < 2; i++) expect(await output({ body }, 8, { ...way, cooperative: true })).toEqual([8, 0]);
  });

  test('the fault of a kernel that traps without a workspace gives the reason', async () => {
    const { result } = await outcome(reversed, 64, { ...way, block: 4 });
    expect(result.ok ? null : result.fault.message).toContain('which only cooperative launches have');
  });

  test('a launch that is not cooperative has no workspace', async () => {
    const body = `mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; ld.param.u64 %rd2, [out];
      st.global.v2.u32 [%rd2], {%r1, %r2};`;
    expect(await output({ body }, 8, way)).toEqual([0, 0]);
  });

  test('reserved shared memory precedes all variables and needs no initialization', async () => {
    const source = {
      module: '.shared .align 4 .u32 x[4];\n.extern .shared .align 4 .b8 rest[];',
      body: `
        mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end;
        mov.u32 %r3, %reserved_smem_offset_cap; mov.u32 %r4, %reserved_smem_offset_1;
        mov.u32 %r5, x; mov.u32 %r6, rest; mov.u32 %r7, %total_smem_size; mov.u32 %r8, %aggr_smem_size;
        red.shared.add.u32 [%r4], 5; ld.shared.u32 %r9, [%r4]; st.shared.u32 [x+12], 3;
        ld.param.u64 %rd2, [out]; st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r5};
        st.global.v4.u32 [%rd2+16], {%r6, %r7, %r8, %r9};`,
    };
    const words = await output(source, 32, { ...way, sharedBytes: 24 });
    expect(words).toEqual([0, 1024, 1024, 1024, 1040, 40, 1064, 5]);
  });

  test('a kernel that does not ask for reserved shared memory gets none', async () => {
    const source = {
      module: '.shared .align 4 .u32 x[4];',
      body: `mov.u32 %r1, x; mov.u32 %r2, %total_smem_size; mov.u32 %r3, %aggr_smem_size; st.shared.u32 [x], 1;
        ld.param.u64 %rd2, [out]; st.global.u32 [%rd2], %r1; st.global.v2.u32 [%rd2+8], {%r2, %r3};`,
    };
    expect(await output(source, 16, way)).toEqual([0, 0, 16, 1040]);
  });
});
