/** Blocks that wait for each other in loops that contain barriers or collectives, as the grid barriers of Triton do. */
import { describe, expect, test } from 'vitest';
import { output, ways } from './run.ts';

const grid = 5;

/** How the threads of a block learn what thread 0 has read, given the value in `%r3` of thread 0. */
const spreads: Readonly<Record<string, string>> = {
  'bar.sync': '@%p1 st.shared.u32 [seen], %r3; bar.sync 0; ld.shared.u32 %r3, [seen]; bar.sync 0;',
  'bar.warp.sync':
    '@%p1 st.shared.u32 [seen], %r3; bar.warp.sync -1; bar.sync 0; ld.shared.u32 %r3, [seen]; bar.warp.sync -1; bar.sync 0;',
  'shfl.sync': 'shfl.sync.idx.b32 %r3, %r3, 0, 31, -1;',
  'bar.red': 'setp.ge.u32 %p3, %r3, 5; bar.red.or.pred %p3, 0, %p3; selp.u32 %r3, 5, 0, %p3;',
};

/** How thread 0 reads how many blocks have arrived. */
const reads: Readonly<Record<string, string>> = {
  atom: '@%p1 atom.global.gpu.acquire.add.u32 %r3, [%rd1], 0;',
  'ld.acquire': '@%p1 ld.acquire.gpu.global.u32 %r3, [%rd1];',
  'ld.volatile': '@%p1 ld.volatile.global.u32 %r3, [%rd1];',
};

const cases = Object.keys(spreads).flatMap((spread) => Object.keys(reads).map((read) => ({ read, spread })));

const module = '.shared .u32 seen;';

/** Every block counts itself and waits until all have. Then each thread counts itself in the next word. */
function body({ read, spread }: (typeof cases)[number]): string {
  return `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, 0; and.b32 %r2, %r1, ${spread === 'shfl.sync' ? 31 : 63};
setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p4, %r1, 0; @%p4 red.global.gpu.release.add.u32 [%rd1], 1;
L: ${reads[read]} ${spreads[spread]} setp.lt.u32 %p2, %r3, ${grid}; @%p2 bra L;
red.global.add.u32 [%rd1+4], 1;`;
}

describe.each([...Object.entries(ways), ['two workers', { workers: 2 }] as const])('with %s', (_, way) => {
  test.each(cases)('a loop of $read and $spread lets other blocks run', async (one) => {
    const words = await output({ module, body: body(one) }, 8, { ...way, grid, block: 64, timeout: 30 });
    expect(words).toEqual([grid, grid * 64]);
  });
});
