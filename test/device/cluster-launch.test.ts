/**
 * Tests kernels whose blocks take over the work of blocks that have not started (clusterlaunchcontrol), as the
 * schedulers in Blackwell kernels do.
 */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions } from '../../src/device.ts';

const ways: Readonly<Record<string, LaunchOptions>> = {
  interp: { engine: 'interp' },
  jit: {},
  'two workers': { workers: 2 },
  unchecked: { unchecked: true },
};

/**
 * Each block counts its own work in `done`, at the index of the block. It then takes over the work of other blocks, one
 * after another, until no work is left. It counts these blocks in `taken`, at its own index.
 */
const oneBlock = `.version 8.7
.target sm_100
.address_size 64
.visible .entry k(.param .u64 done, .param .u64 taken) {
  .shared .align 16 .b8 answer[16];
  .shared .align 8 .b64 object;
  .reg .b32 %x, %y, %z, %w, %nx, %own, %work, %phase, %thread;
  .reg .b64 %done, %taken, %at;
  .reg .b128 %answer;
  .reg .pred %p, %first;
  ld.param.u64 %done, [done];
  ld.param.u64 %taken, [taken];
  mov.u32 %thread, %tid.x;
  setp.eq.u32 %first, %thread, 0;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %nx, %nctaid.x;
  mad.lo.u32 %own, %y, %nx, %x;
  mov.u32 %work, %own;
  mov.u32 %phase, 0;
  @%first mbarrier.init.shared::cta.b64 [object], 1;
  bar.sync 0;
LOOP:
  mad.wide.u32 %at, %work, 4, %done;
  red.global.add.u32 [%at], 1;
  bar.sync 0;
  @%first mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [object], 16;
  @%first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [object];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [object], %phase;
  @!%p bra WAIT;
  xor.b32 %phase, %phase, 1;
  ld.shared.b128 %answer, [answer];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %answer;
  @!%p bra END;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, %w}, %answer;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %w, %answer;
  setp.ne.u32 %p, %w, %y;
  @%p trap;
  mad.lo.u32 %work, %y, %nx, %x;
  mad.wide.u32 %at, %own, 4, %taken;
  @%first red.global.add.u32 [%at], 1;
  bra LOOP;
END:
  ret;
}`;

/** In each cluster of two blocks, the first block requests more work, and both blocks receive the response. */
const twoBlocks = oneBlock
  .replace('.target sm_100', '.target sm_100a')
  .replace('.param .u64 taken) {', '.param .u64 taken) .reqnctapercluster 2, 1, 1 {\n  .reg .b32 %rank, %both;')
  .replace('LOOP:', 'mov.u32 %rank, %cluster_ctarank; barrier.cluster.arrive; barrier.cluster.wait;\nLOOP:')
  .replace(
    '@%first clusterlaunchcontrol',
    'setp.eq.u32 %p, %rank, 0; and.pred %p, %p, %first;\n  @%p clusterlaunchcontrol',
  )
  .replace('complete_tx::bytes.b128 [answer]', 'complete_tx::bytes.multicast::cluster::all.b128 [answer]')
  .replace('mad.lo.u32 %work, %y, %nx, %x;', 'add.u32 %x, %x, %rank; mad.lo.u32 %work, %y, %nx, %x;')
  .replace('bra LOOP;', 'barrier.cluster.arrive; barrier.cluster.wait; bra LOOP;');

async function run(source: string, options: LaunchOptions): Promise<readonly [done: number[], taken: number[]]> {
  const device = await Device.create({ gpu: 'B200' });
  const [done, taken] = [device.alloc(4 * 60), device.alloc(4 * 60)];
  const launch = { grid: [6, 10], block: 40, args: [done, taken], ...options } as const;
  const result = await device.load(source).kernel('k').launch(launch);
  expect(result).toMatchObject({ ok: true });
  return [[...done.read('u32')], [...taken.read('u32')]];
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

describe.each(Object.entries(ways))('%s', (_, options) => {
  test.each([
    ['blocks', oneBlock],
    ['clusters of two blocks, both of which get the answer', twoBlocks],
  ])('%s: all work is done once', async (__, source) => {
    const [done] = await run(source, options);
    expect(done).toEqual(new Array<number>(60).fill(40));
  });

  test('blocks that never start are those whose work was taken over', async () => {
    const [, taken] = await run(oneBlock, options);
    expect(sumOf(taken)).toBeGreaterThan(0);
    expect(sumOf(taken)).toBeLessThan(60);
  });
});

test('a block that runs alone takes over all the others', async () => {
  const [, taken] = await run(oneBlock, { engine: 'interp' });
  expect(taken[0]).toBe(59);
});

test('a cluster takes over whole clusters', async () => {
  const [, taken] = await run(twoBlocks, {});
  expect(taken[0]).toBeGreaterThan(0);
  expect(taken[1]).toBe(taken[0]);
});
