/** Tests data races: what orders accesses, what does not, and which races are reported. */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, type Race } from '../../src/device.ts';
import { moduleOf, outcome, type Source } from './run.ts';

const start = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;
mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s; add.u64 %rd4, %rd3, %rd2;
xor.b32 %r3, %r1, 1; mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd3, %rd5;
xor.b32 %r4, %r1, 32; mul.wide.u32 %rd6, %r4, 4; add.u64 %rd6, %rd3, %rd6; add.u32 %r5, %r1, 7;`;

const module = '.shared .align 16 .b32 s[128]; .global .b32 g; .global .b32 flag; .global .align 16 .b32 big[16];';

function source(body: string): Source {
  return { module, body: `${start}\n${body}` };
}

/** Two blocks of 64 threads. */
async function racesOf(body: string, options: LaunchOptions = {}): Promise<readonly Race[]> {
  const { result } = await outcome(source(body), 1024, { grid: 2, block: 64, races: 'report', ...options });
  if (!result.ok) throw new Error(result.fault.message);
  return result.races;
}

const store = 'st.shared.u32 [%rd4], %r5;';
const neighbor = 'ld.shared.u32 %r6, [%rd5];';
const otherWarp = 'ld.shared.u32 %r6, [%rd6];';

/**
 * The first thread of the grid writes `g` and then the flag; the first thread of the other block waits for the flag and
 * reads `g`.
 */
function message(publish: string, find: string): string {
  return `@!%p1 bra done; @!%p2 bra reader;
st.global.u32 [g], 5; ${publish}
bra done;
reader: ${find} setp.eq.u32 %p3, %r7, 0; @%p3 bra reader; ld.global.u32 %r8, [g];
done:`;
}

/** Like `message`, but both threads are in the first block: thread 0 writes, and thread 32 waits and reads. */
function messageInBlock(publish: string, find: string): string {
  return message(publish, find).replace(
    '@!%p1 bra done; @!%p2 bra reader;',
    '@!%p2 bra done; setp.eq.u32 %p4, %r1, 32; @%p4 bra reader; @!%p1 bra done;',
  );
}

describe('accesses are ordered by', () => {
  test.each([
    ['a barrier', `${store} bar.sync 0; ${otherWarp}`],
    ['a barrier for some of the threads', `${store} bar.sync 3, 64; ${otherWarp}`],
    ['a barrier with a reduction', `${store} bar.red.popc.u32 %r9, 0, %p1; ${otherWarp}`],
    [
      'arriving at a barrier and waiting there',
      `setp.lt.u32 %p4, %r1, 32; @%p4 bra first; bar.sync 1, 64; ${otherWarp} bra done; first: ${store} bar.arrive 1, 64; done:`,
    ],
    [
      'exiting before a barrier that others pass',
      `${store} setp.lt.u32 %p4, %r1, 32; @%p4 exit; bar.sync 0; ${otherWarp}`,
    ],
    ['bar.warp.sync, within a warp', `${store} bar.warp.sync -1; ${neighbor}`],
    ['barrier.cluster', `${store} barrier.cluster.arrive; barrier.cluster.wait; ${otherWarp}`],
    [
      'a release and an acquire',
      message('st.release.gpu.global.u32 [flag], 1;', 'ld.acquire.gpu.global.u32 %r7, [flag];'),
    ],
    [
      'fences around volatile accesses',
      message('membar.gl; st.volatile.global.u32 [flag], 1;', 'ld.volatile.global.u32 %r7, [flag]; membar.gl;'),
    ],
    [
      'fences around atomic operations',
      message('fence.acq_rel.gpu; red.global.add.u32 [flag], 1;', 'atom.global.or.b32 %r7, [flag], 0; fence.sc.gpu;'),
    ],
    [
      'releases that others have added to',
      message(
        'red.release.gpu.global.add.u32 [flag], 1; red.global.add.u32 [flag], 2;',
        'ld.acquire.gpu.global.u32 %r7, [flag];',
      ),
    ],
    [
      'fences on either side of barriers',
      `setp.eq.u32 %p4, %r1, 1; @!%p1 bra meet; @!%p2 bra reader;
st.global.u32 [g], 5; membar.gl; st.volatile.global.u32 [flag], 1; bra meet;
reader: ld.volatile.global.u32 %r7, [flag]; setp.eq.u32 %p3, %r7, 0; @%p3 bra reader;
meet: bar.sync 0; membar.gl; @%p2 bra done; @%p4 ld.global.u32 %r8, [g]; done:`,
    ],
    [
      'a phase of an mbarrier object',
      `add.u64 %rd9, %rd3, 256; @%p1 mbarrier.init.shared.b64 [%rd9], 64; bar.sync 0; ${store}
mbarrier.arrive.shared.b64 _, [%rd9]; again: mbarrier.try_wait.parity.shared.b64 %p4, [%rd9], 0; @!%p4 bra again; ${otherWarp}`,
    ],
    [
      'fence.mbarrier_init and a relaxed arrival at the barrier of the cluster',
      `add.u64 %rd9, %rd3, 256; @%p1 mbarrier.init.shared.b64 [%rd9], 64; fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.relaxed; barrier.cluster.wait; mbarrier.arrive.shared.b64 _, [%rd9];`,
    ],
    [
      'a release for the block, within the block',
      messageInBlock('st.release.cta.global.u32 [flag], 1;', 'ld.acquire.cta.global.u32 %r7, [flag];'),
    ],
    ['the order of the program', `${store} ld.shared.u32 %r6, [%rd4]; st.shared.u32 [%rd4], 1;`],
  ])('%s', async (_, body) => {
    expect(await racesOf(body)).toEqual([]);
  });
});

describe('accesses are not ordered by', () => {
  test.each([
    ['nothing', `${store} ${neighbor}`, 'variable s'],
    ['running in one warp', `${store} shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; ${neighbor}`, 'variable s'],
    ['bar.warp.sync, between warps', `${store} bar.warp.sync -1; ${otherWarp}`, 'variable s'],
    ['a barrier before the write', `bar.sync 0; ${store} ${otherWarp}`, 'variable s'],
    [
      'a barrier that only some reach again',
      `${store} bar.sync 0; ${otherWarp} st.shared.u32 [%rd4], 1;`,
      'variable s',
    ],
    [
      'a barrier of another number',
      `setp.lt.u32 %p4, %r1, 32; @%p4 bra first; bar.sync 1, 32; ${otherWarp} bra done; first: ${store} bar.sync 2, 32; done:`,
      'variable s',
    ],
    [
      'barrier.cluster.arrive.relaxed',
      `${store} barrier.cluster.arrive.relaxed; barrier.cluster.wait; ${otherWarp}`,
      'variable s',
    ],
    [
      'a flag without fences',
      message('st.volatile.global.u32 [flag], 1;', 'ld.volatile.global.u32 %r7, [flag];'),
      'variable g',
    ],
    [
      'a flag with a fence on one side',
      message('membar.gl; st.volatile.global.u32 [flag], 1;', 'ld.volatile.global.u32 %r7, [flag];'),
      'variable g',
    ],
    [
      'a release for the block, between blocks',
      message('st.release.cta.global.u32 [flag], 1;', 'ld.acquire.gpu.global.u32 %r7, [flag];'),
      'variable g',
    ],
    [
      'an acquire for the block, between blocks',
      message('st.release.gpu.global.u32 [flag], 1;', 'ld.acquire.cta.global.u32 %r7, [flag];'),
      'variable g',
    ],
    [
      'a release that another store has replaced',
      message(
        'st.release.gpu.global.u32 [flag], 1; st.relaxed.gpu.global.u32 [flag], 2;',
        'ld.acquire.gpu.global.u32 %r7, [flag];',
      ),
      'variable g',
    ],
    [
      'a fence for the block, between blocks',
      message('membar.cta; red.global.add.u32 [flag], 1;', 'ld.acquire.gpu.global.u32 %r7, [flag];'),
      'variable g',
    ],
    ['running one block after the other', 'st.global.u32 [g], %r2;', 'variable g'],
    [
      '__syncthreads, between blocks',
      'bar.sync 0; @%p1 st.global.u32 [g], %r2; bar.sync 0; ld.global.u32 %r6, [g];',
      'variable g',
    ],
  ])('%s', async (_, body, name) => {
    const races = await racesOf(body);
    expect(races.map((race) => race.name)).toContain(name);
  });
});

describe('strong accesses', () => {
  test.each([
    ['atomic operations', 'atom.global.add.u32 %r6, [g], 1;', 0],
    ['volatile accesses', 'ld.volatile.global.u32 %r6, [g]; st.volatile.global.u32 [g], %r2;', 0],
    ['relaxed accesses for the GPU', 'st.relaxed.gpu.global.u32 [g], %r2;', 0],
    ['atomic operations of two blocks for one block', 'atom.cta.global.add.u32 %r6, [g], 1;', 1],
    ['atomic operations of one block for the block', '@%p2 atom.cta.global.add.u32 %r6, [g], 1;', 0],
    ['an atomic operation and a weak load', '@%p1 atom.global.add.u32 %r6, [g], 1; ld.global.u32 %r6, [g];', 1],
    ['an atomic operation and a weak store', '@%p1 atom.global.add.u32 %r6, [g], 1; @!%p1 st.global.u32 [g], 3;', 2],
    [
      'reductions of shared memory that is read later',
      'red.shared.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r6, [s];',
      0,
    ],
    ['reductions of shared memory that is read at once', 'red.shared.add.u32 [s], 1; ld.shared.u32 %r6, [s];', 1],
  ])('%s', async (_, body, count) => {
    expect(await racesOf(body)).toHaveLength(count);
  });
});

describe('a plain access after a strong read', () => {
  const add = 'atom.relaxed.gpu.global.add.u32 %r6, [g], 1;';
  const load = 'ld.relaxed.gpu.global.u32 %r7, [flag];';
  const clear = 'st.global.u32 [flag], 0;';
  /**
   * The first thread of the grid writes the flag; the first thread of the other block waits until the flag has been
   * written.
   */
  const waiting = (write: string, then: string): string => `@!%p1 bra done; @!%p2 bra reader; ${write} bra done;
reader: ${load} setp.ne.u32 %p3, %r7, 1; @%p3 bra reader; ${then} done:`;
  /** Like `waiting`, but a second thread of the first block also waits for the flag, and then writes the flag again. */
  const between = (write: string): string => `setp.eq.u32 %p4, %r1, 1; @!%p2 bra third; @%p1 bra first; @!%p4 bra done;
second: ${load} setp.ne.u32 %p3, %r7, 1; @%p3 bra second; ${write} bra done;
first: st.relaxed.gpu.global.u32 [flag], 1; bra done;
third: @!%p1 bra done;
spin: ${load} setp.ne.u32 %p3, %r7, 2; @%p3 bra spin; ${clear} done:`;

  test.each([
    ['comes after the write that was read', waiting('st.relaxed.gpu.global.u32 [flag], 1;', clear), 0],
    [
      'comes after earlier atomic operations',
      `@!%p1 bra done; ${add} setp.ne.u32 %p3, %r6, 1; @%p3 bra done; st.global.u32 [g], 0; done:`,
      0,
    ],
    [
      'comes after many of them, of several blocks',
      `setp.gt.u32 %p4, %r1, 2; @%p4 bra done; ${add} setp.ne.u32 %p3, %r6, 5; @%p3 bra done; st.global.u32 [g], 0; done:`,
      0,
    ],
    [
      'comes after them in shared memory',
      'setp.gt.u32 %p4, %r1, 1; @%p4 bra done; atom.cta.shared.add.u32 %r6, [s], 1; setp.ne.u32 %p3, %r6, 1; @%p3 bra done; st.shared.u32 [s], 0; done:',
      0,
    ],
    [
      'comes after them in another thread behind a barrier',
      `@%p1 ${add} @%p1 st.shared.u32 [s], %r6; bar.sync 0; ld.shared.u32 %r6, [s]; setp.eq.u32 %p3, %r6, 1; setp.eq.and.u32 %p3, %r1, 40, %p3; @%p3 st.global.u32 [g], 0;`,
      0,
    ],
    ['may race with those that were not read yet', `@!%p1 bra done; ${add} st.global.u32 [g], 0; done:`, 2],
    [
      'may race with other writes of the same thread',
      waiting('st.relaxed.gpu.global.u32 [g], 5; st.relaxed.gpu.global.u32 [flag], 1;', 'ld.global.u32 %r8, [g];'),
      1,
    ],
    [
      'may race with weak writes',
      waiting(`${clear} st.relaxed.gpu.global.u32 [flag], 1;`, 'st.global.u32 [flag], 3;'),
      2,
    ],
    ['may race with a write for another scope', waiting('st.relaxed.cta.global.u32 [flag], 1;', clear), 2],
    [
      'comes after a write to which another thread has added, but not after its loads',
      between('atom.global.add.u32 %r8, [flag], 1;'),
      1,
    ],
    ['may race with a write that was replaced', between('st.relaxed.gpu.global.u32 [flag], 2;'), 2],
  ])('%s', async (_, body, count) => {
    expect(await racesOf(body)).toHaveLength(count);
  });
});

describe('the bytes of an access', () => {
  test.each([
    ['different bytes of a word', 'cvt.u64.u32 %rd7, %r1; add.u64 %rd7, %rd3, %rd7; st.shared.u8 [%rd7], %r1;', 0],
    ['the same byte', 'st.shared.u8 [s+3], %r1;', 1],
    ['a byte of a word', '@%p1 st.shared.u32 [s], 5; @!%p1 ld.shared.u8 %r6, [s+3];', 1],
    ['a word after its bytes', '@%p1 st.shared.u8 [s+3], 5; @!%p1 ld.shared.u32 %r6, [s];', 1],
    ['the end of a vector', '@%p1 st.shared.v4.u32 [s], {%r1, %r1, %r1, %r5}; @!%p1 ld.shared.u32 %r6, [s+12];', 1],
    ['the word after a vector', '@%p1 st.shared.v4.u32 [s], {%r1, %r1, %r1, %r5}; @!%p1 ld.shared.u32 %r6, [s+16];', 0],
  ])('%s', async (_, body, count) => {
    expect(await racesOf(body)).toHaveLength(count);
  });
});

/** Each thread copies 4 bytes of global memory to its own word of shared memory. */
const copy = 'mov.u64 %rd7, g; cp.async.ca.shared.global [%rd4], [%rd7], 4;';
const own = 'ld.shared.u32 %r6, [%rd4];';

/**
 * Thread 0 copies 64 bytes to shared memory. An mbarrier object, which is stored after the words of the threads, counts
 * the copied bytes.
 */
function bulkCopy(before: string, after: string): string {
  return `mov.u64 %rd7, big; mov.u64 %rd8, s; add.u64 %rd9, %rd8, 256;
@%p1 mbarrier.init.shared.b64 [%rd9], 1; bar.sync 0; ${before}
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%rd9], 64;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd8], [%rd7], 64, [%rd9];
${after}`;
}

/**
 * Thread 0 starts to store a word in shared memory. An mbarrier object, which is stored after the words of the threads,
 * counts the bytes of the stored word.
 */
function remoteStore(before: string, after: string): string {
  return `add.u64 %rd9, %rd3, 256; @%p1 mbarrier.init.shared.b64 [%rd9], 1; bar.sync 0; ${before}
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%rd9], 4;
@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], %r5, [%rd9];
${after}`;
}

const arrival = 'again: mbarrier.try_wait.parity.shared.b64 %p4, [%rd9], 0; @!%p4 bra again;';
const bulkStore =
  'mov.u64 %rd7, big; mov.u64 %rd8, s; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%rd8], 64; cp.async.bulk.commit_group;';

describe('copies that complete later', () => {
  test.each([
    ['cp.async and wait_all', `${copy} cp.async.wait_all; ${own}`, 0],
    ['cp.async and its group', `${copy} cp.async.commit_group; cp.async.wait_group 0; ${own}`, 0],
    [
      'cp.async and all but the last group',
      `${copy} cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; ${own}`,
      0,
    ],
    ['cp.async and a barrier after waiting', `${copy} cp.async.wait_all; bar.sync 0; ${otherWarp}`, 0],
    ['cp.async after a store of the thread', `${store} ${copy} cp.async.wait_all; ${own}`, 0],
    ['cp.async without waiting', `${copy} ${own}`, 1],
    ['cp.async without a group', `${copy} cp.async.wait_group 0; ${own}`, 1],
    ['cp.async in the last group', `${copy} cp.async.commit_group; cp.async.wait_group 1; ${own}`, 1],
    ['cp.async with a barrier in place of waiting', `${copy} bar.sync 0; ${otherWarp}`, 1],
    ['cp.async without a barrier after waiting', `${copy} cp.async.wait_all; ${otherWarp}`, 1],
    [
      'cp.async and an mbarrier object',
      `add.u64 %rd9, %rd3, 256; @%p1 mbarrier.init.shared.b64 [%rd9], 64; bar.sync 0; ${copy} cp.async.mbarrier.arrive.noinc.shared.b64 [%rd9]; ${arrival} ${otherWarp}`,
      0,
    ],
    [
      'cp.async and an arrival of the thread alone',
      `add.u64 %rd9, %rd3, 256; @%p1 mbarrier.init.shared.b64 [%rd9], 64; bar.sync 0; ${copy} mbarrier.arrive.shared.b64 _, [%rd9]; ${arrival} ${otherWarp}`,
      1,
    ],
    ['a bulk copy that all wait for', bulkCopy('', `${arrival} ld.shared.u32 %r6, [s];`), 0],
    ['a bulk copy that nobody waits for', bulkCopy('', 'ld.shared.u32 %r6, [s];'), 1],
    [
      'a bulk copy that one thread waits for',
      bulkCopy('', `@!%p1 bra others; ${arrival} others: ld.shared.u32 %r6, [s];`),
      1,
    ],
    ['a bulk copy to memory that others still read', bulkCopy('ld.shared.u32 %r6, [s];', arrival), 1],
    [
      'bulk copies, and waiting for the object of the other one',
      `mov.u64 %rd7, big; mov.u64 %rd8, s; add.u64 %rd9, %rd8, 256; add.u64 %rd10, %rd8, 264; add.u64 %rd11, %rd8, 32;
@%p1 mbarrier.init.shared.b64 [%rd9], 1; @%p1 mbarrier.init.shared.b64 [%rd10], 1; bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%rd9], 32; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%rd10], 32;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd11], [%rd7], 32, [%rd10];
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd8], [%rd7], 32, [%rd9];
${arrival} ld.shared.u32 %r6, [s]; ld.shared.u32 %r6, [s+32];`,
      1,
    ],
    ['st.async that all wait for', remoteStore('', `${arrival} ld.shared.u32 %r6, [s];`), 0],
    ['st.async that nobody waits for', remoteStore('', '@%p1 ld.shared.u32 %r6, [s];'), 1],
    ['st.async with a barrier in place of waiting', remoteStore('', 'bar.sync 0; ld.shared.u32 %r6, [s];'), 1],
    ['st.async after a store of the thread', remoteStore('@%p1 st.shared.u32 [s], 1;', arrival), 0],
    ['st.async before a store of the thread', remoteStore('', `@%p1 st.shared.u32 [s], 1; ${arrival}`), 1],
    ['st.async to memory that others still read', remoteStore('ld.shared.u32 %r6, [s];', arrival), 1],
    [
      'a bulk store that has read its source',
      `${store} fence.proxy.async; bar.sync 0; ${bulkStore} cp.async.bulk.wait_group.read 0; @%p1 st.shared.u32 [s], 1;`,
      0,
    ],
    [
      'a bulk store that still reads its source',
      `${store} fence.proxy.async; bar.sync 0; ${bulkStore} @%p1 st.shared.u32 [s], 1;`,
      1,
    ],
    [
      'a bulk store that has written',
      `@!%p2 bra done; ${store} fence.proxy.async; bar.sync 0; ${bulkStore} cp.async.bulk.wait_group 0; @%p1 ld.global.u32 %r6, [big]; done:`,
      0,
    ],
    [
      'a bulk store that has only read',
      `@!%p2 bra done; ${store} fence.proxy.async; bar.sync 0; ${bulkStore} cp.async.bulk.wait_group.read 0; @%p1 ld.global.u32 %r6, [big]; done:`,
      1,
    ],
  ])('%s', async (_, body, count) => {
    expect((await racesOf(body)).filter(({ name }) => name !== 'variable big' || body.includes('[big]'))).toHaveLength(
      count,
    );
  });

  test.each([
    ['after the store', `${store} fence.proxy.async; bar.sync 0; ${bulkStore}`, 0],
    ['after the barrier', `${store} bar.sync 0; fence.proxy.async; ${bulkStore}`, 0],
    ['for shared memory', `${store} fence.proxy.async.shared::cta; bar.sync 0; ${bulkStore}`, 0],
    ['before the store', `fence.proxy.async; ${store} bar.sync 0; ${bulkStore}`, 1],
    ['nowhere', `${store} bar.sync 0; ${bulkStore}`, 1],
    ['nowhere, in the thread that stored', `@!%p1 bra done; ${store} ${bulkStore} done:`, 1],
    [
      'nowhere, after another copy',
      bulkCopy('', `${arrival} @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%rd8], 64;`),
      0,
    ],
  ])('need a proxy fence: %s', async (_, body, count) => {
    const races = await racesOf(`@!%p2 bra end; ${body}\nend:`);
    expect(races.map(({ missing }) => missing)).toEqual(Array.from({ length: count }, () => 'fence.proxy.async'));
  });

  test.each([
    ['and a proxy fence', 'fence.proxy.async;', []],
    ['and no proxy fence', '', ['fence.proxy.async']],
  ])('wgmma of stored tiles %s', async (_, fence, missing) => {
    const body = `mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, tiles; add.u32 %r3, %r3, %r2;
st.shared.v2.u32 [%r3], {%r1, 1}; st.shared.v2.u32 [%r3+1024], {%r1, 1}; st.shared.v2.u32 [%r3+2048], {%r1, 1};
${fence} bar.sync 0; mov.u32 %r4, tiles; shr.u32 %r4, %r4, 4; cvt.u64.u32 %rd1, %r4;
wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd1, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;`;
    const tiles = { module: '.shared .align 128 .b8 tiles[4096];', target: 'sm_90a', body };
    const { result } = await outcome(tiles, 4, { block: 128, races: 'report' });
    expect([result.ok, [...new Set(result.races.map((race) => race.missing))]]).toEqual([true, missing]);
  });

  const product = (tile: number): string =>
    `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd${tile}, %rd${tile}, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;`;
  const wait = (groups: number): string => `wgmma.wait_group.sync.aligned ${groups};`;
  const overwrite = (tile: number): string => `st.shared.u32 [%r3+${4096 * (tile - 1)}], 5;`;
  test.each([
    ['after waiting', `${product(1)} ${wait(0)} ${overwrite(1)}`, 0],
    ['before waiting', `${product(1)} ${overwrite(1)} ${wait(0)}`, 1],
    ['without waiting', `${product(1)} ${overwrite(1)}`, 1],
    ['after waiting for an earlier group', `${product(1)} ${product(2)} ${wait(1)} ${overwrite(1)}`, 0],
    ['after waiting for only an earlier group', `${product(1)} ${product(2)} ${wait(1)} ${overwrite(2)}`, 1],
    [
      'by one thread after all have waited',
      `${product(1)} ${wait(0)} bar.sync 0; setp.eq.u32 %p1, %r1, 10; @%p1 ${overwrite(1)}`,
      0,
    ],
    [
      'by one thread before it waits',
      `${product(1)} bar.sync 0; setp.eq.u32 %p1, %r1, 10; @%p1 ${overwrite(1)} ${wait(0)}`,
      1,
    ],
  ] as const)('a tile that wgmma reads is overwritten %s', async (_, steps, count) => {
    const body = `mov.u32 %r1, %tid.x; mov.u32 %r3, tiles; shl.b32 %r2, %r1, 3; add.u32 %r3, %r3, %r2;
mov.u32 %r4, tiles; shr.u32 %r4, %r4, 4; cvt.u64.u32 %rd1, %r4; add.u64 %rd2, %rd1, 256;
wgmma.fence.sync.aligned; ${steps}`;
    const tiles = { module: '.shared .align 128 .b8 tiles[8192];', target: 'sm_90a', body };
    const { result } = await outcome(tiles, 4, { block: 128, races: 'report' });
    expect([result.ok, result.races.length]).toEqual([true, count]);
  });

  describe('tcgen05', () => {
    const flags = 'mbarrier.init.shared::cta.b64 [bar], 1;';
    const multiply = '@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd1, %rd1, %r6, %p2;';
    const commit = '@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];';
    const waiting = 'again: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra again;';
    const read = 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r7];';
    const change = 'st.shared.u32 [%r3], 5;';
    const fence = 'fence.proxy.async;';
    test.each([
      ['a result that is read after the commit', `${fence} bar.sync 0; ${multiply} ${commit} ${waiting} ${read}`, []],
      ['a result that is read before the commit', `${fence} bar.sync 0; ${multiply} ${read} ${commit}`, ['tensor']],
      [
        'a result that is read after a barrier only',
        `${fence} bar.sync 0; ${multiply} bar.sync 0; ${read}`,
        ['tensor'],
      ],
      [
        'a tile that is overwritten after the commit',
        `${fence} bar.sync 0; ${multiply} ${commit} ${waiting} ${change}`,
        [],
      ],
      [
        'a tile that is overwritten after a barrier only',
        `${fence} bar.sync 0; ${multiply} bar.sync 0; ${change}`,
        ['shared'],
      ],
      ['a tile that is stored without a proxy fence', `bar.sync 0; ${multiply} ${commit}`, ['shared']],
      [
        'lanes that another thread of the warp has stored',
        'tcgen05.st.sync.aligned.32x32b.x2.b32 [%r7], {%r1, %r2}; tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r9}, [%r7];',
        [],
      ],
      ['two products of one thread', `${fence} bar.sync 0; ${multiply} ${multiply} ${commit} ${waiting} ${read}`, []],
    ] as const)('%s', async (_, steps, spaces) => {
      const body = `mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p4, %r1, 32; setp.eq.u32 %p2, %r1, 999;
@%p4 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32; @%p1 ${flags}
mov.u32 %r3, tiles; shl.b32 %r2, %r1, 2; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1;
mov.u32 %r4, tiles; shr.u32 %r4, %r4, 4; cvt.u64.u32 %rd1, %r4; or.b64 %rd1, %rd1, ${1n << 46n};
bar.sync 0; ld.shared.b32 %r5, [base]; shr.u32 %r7, %r1, 5; shl.b32 %r7, %r7, 21; add.u32 %r7, %r7, %r5;
mov.b32 %r6, ${(1 << 4) | (1 << 17) | (4 << 24)};
${steps}`;
      const tiles = '.shared .align 128 .b8 tiles[1024]; .shared .b32 base; .shared .align 8 .b64 bar;';
      const { result } = await outcome({ module: tiles, target: 'sm_100a', body }, 4, { block: 128, races: 'report' });
      expect([result.ok, [...new Set(result.races.map(({ space }) => space))]]).toEqual([true, spaces]);
    });
  });

  test('are named as such', async () => {
    const [race] = await racesOf(`${copy} ${own}`);
    expect(race?.message).toContain('an asynchronous store at line 10 and a load at line 10');
  });
});

test('two stores of one value race only if all races are to be reported', async () => {
  const body = 'st.shared.u32 [s], 7;';
  expect(await racesOf(body)).toEqual([]);
  expect(await racesOf(body, { races: 'strict' })).toHaveLength(1);
});

test('a load races with a store of the value that was there before', async () => {
  expect(await racesOf('@%p1 st.shared.u32 [s], 0; @!%p1 ld.shared.u32 %r6, [s];')).toHaveLength(1);
});

test('a race names both accesses, the variable and how often it was found', async () => {
  expect(await racesOf(`${store}\n${neighbor}`)).toEqual([
    {
      code: 'PTX6038',
      message:
        'variable s in shared memory at 0x4 is accessed without synchronization: a load at line 11 and a store at line 10',
      missing: 'synchronization',
      space: 'shared',
      address: '0x4',
      name: 'variable s',
      first: { access: 'load', isAsynchronous: false, line: 11, source: null, block: [0, 0, 0], thread: [0, 0, 0] },
      second: { access: 'store', isAsynchronous: false, line: 10, source: null, block: [0, 0, 0], thread: [1, 0, 0] },
      count: 128,
    },
  ]);
});

test('a race between threads at one store names the line once', async () => {
  const [race] = await racesOf('st.shared.u32 [s], %r1;');
  expect(race?.message).toMatch(/: a store at line \d+, by two threads$/);
});

test('races that were found before a fault are reported', async () => {
  const { result } = await outcome(source(`${store} ${neighbor} mov.u64 %rd7, 0; ld.global.u32 %r6, [%rd7];`), 1024, {
    block: 64,
    races: 'report',
  });
  expect(result.ok).toBe(false);
  expect(result.races).toHaveLength(0);
  const later = await outcome(source(`${store} ${neighbor} bar.sync 0; trap;`), 1024, { block: 64, races: 'report' });
  expect(later.result).toMatchObject({ ok: false, fault: { code: 'PTX6031' } });
  expect(later.result.races).toHaveLength(1);
});

test('a bad mbarrier object is a fault, with the option, too', async () => {
  const body = bulkCopy('add.u64 %rd9, %rd9, 4;', '').replaceAll('@%p1 mbarrier.arrive', '@!%p1 mbarrier.arrive');
  const { result } = await outcome(source(body), 1024, { races: 'report' });
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6002' } });
});

test('without the option, and on the fast engine, no races are reported', async () => {
  const { result } = await outcome(source(`${store} ${neighbor}`), 1024, { block: 64 });
  expect(result.races).toEqual([]);
});

test('the fast engine cannot find races', async () => {
  const device = await Device.create();
  const launch = device
    .load(moduleOf(source(store)))
    .kernel('k')
    .launch({ args: [device.alloc(4)], engine: 'jit', races: 'report' });
  await expect(launch).rejects.toMatchObject({ code: 'bad-option' });
});

test('at most 100 pairs of lines are reported', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `st.shared.u32 [s+${4 * i}], %r5;`).join('\n');
  expect(await racesOf(lines)).toHaveLength(100);
});

test('a warp publishes a tensor map together, after what its threads have written and before what they do next', async () => {
  const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, map; add.u32 %r2, %r2, %r3;
st.shared.b32 [%r2], 0; cvt.u64.u32 %rd3, %r3; setp.eq.u32 %p1, %r1, 0; bar.warp.sync -1;
@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd3], %rd1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd3], 128;
fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; @%p1 st.global.b32 [%rd1+64], 0;`;
  const published = { module: '.shared .align 128 .b8 map[128];', target: 'sm_90a', body };
  const { result } = await outcome(published, 128, { block: 32, races: 'report' });
  expect(result).toMatchObject({ ok: true, races: [] });
});

test.each([
  ['finds another value only reads', 99, 0],
  ['finds its value is a store', 0, 1],
])('a compare-and-swap that %s', async (_, expected, count) => {
  const body = `setp.eq.u32 %p4, %r1, 1; @%p4 atom.shared.cas.b32 %r6, [s], ${expected}, 7; @%p1 ld.shared.u32 %r7, [s];`;
  expect(await racesOf(body, { grid: 1 })).toHaveLength(count);
});
