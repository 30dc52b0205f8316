/** Tests deadlocks of threads that wait in loops, and loops that look like deadlocks but end. */
import { describe, expect, test } from 'vitest';
import { outcome, ways } from './run.ts';

const module = '.shared .align 8 .b64 bar; .shared .b32 flag;';

/** Thread 0 initializes the flag and the mbarrier object in shared memory. */
const prepare = `mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.b32 [flag], 0;
@%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;`;
const test0 = 'mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;';
const read = 'ld.acquire.cta.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;';
const inTurns = `mov.u32 %r3, 0; M: and.b32 %r4, %r1, 1;
L: ld.acquire.cta.shared.u32 %r2, [flag]; and.b32 %r5, %r2, 1; setp.ne.u32 %p2, %r4, %r5; @%p2 bra L;
add.u32 %r2, %r2, 1; st.release.cta.shared.u32 [flag], %r2; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 200; @%p2 bra M;`;

const stuck: readonly (readonly [string, string, number, RegExp])[] = [
  ['nobody arrives at an mbarrier', `L: ${test0}`, 1, /^.*: 1 in a loop that no thread will end \(line 8: thread 0\)$/],
  ['nobody sets a flag', `L: ${read}`, 33, /33 in a loop/],
  [
    'some wait at a barrier for the others',
    `setp.lt.u32 %p3, %r1, 16; @%p3 bra E;\nL: ${test0}\nE: bar.sync 0;`,
    64,
    /: 16 of 64 at barrier 0 \(line 10: threads 0, 1, 2, 3 and 12 more\), 48 in a loop .*\(line 9: threads 16, 17/,
  ],
  [
    'some wait in a group for the others',
    `setp.lt.u32 %p3, %r1, 16; @%p3 bra E;\nL: ${test0}\nE: bar.warp.sync -1;`,
    32,
    /16 in a loop that no thread will end \(line 9/,
  ],
  [
    'those that could help have ended',
    `setp.eq.u32 %p3, %r1, 40; @%p3 exit;\nL: ${read} st.shared.u32 [flag], 1;`,
    64,
    /63 in a loop/,
  ],
];

const ending: readonly (readonly [string, string, number])[] = [
  [
    'a thread of another warp arrives',
    `setp.eq.u32 %p3, %r1, 63; @%p3 mbarrier.arrive.shared.b64 _, [bar]; L: ${test0}`,
    64,
  ],
  ['two threads take turns', inTurns, 2],
  [
    'a loop ends after some time',
    'mov.u32 %r3, %clock; L: mov.u32 %r4, %clock; sub.u32 %r4, %r4, %r3; setp.gt.u32 %p3, %r4, 9999; @%p3 bra E; ld.acquire.cta.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; E:',
    33,
  ],
  [
    'a loop ends after some rounds',
    `mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.gt.u32 %p3, %r3, 9999; @%p3 bra E; ${read} E:`,
    33,
  ],
  [
    'a thread works for a long time before it arrives',
    `setp.ne.u32 %p3, %r1, 5; @%p3 bra L; mov.u32 %r3, 0; W: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 300000; @%p3 bra W; mbarrier.arrive.shared.b64 _, [bar]; L: ${test0}`,
    40,
  ],
  [
    'groups without a mask stop waiting for those in a loop',
    `setp.lt.u32 %p3, %r1, 16; @!%p3 bra L; activemask.b32 %r3; @%p1 st.release.cta.shared.b32 [flag], 1; bra E; L: ${read} E:`,
    32,
  ],
];

describe.each([...Object.entries(ways), ['two workers', { workers: 2 }] as const])('with %s', (_, way) => {
  const run = (body: string, block: number) =>
    outcome({ module, target: 'sm_90', body: `${prepare}\n${body}` }, 4, { ...way, grid: 3, block, timeout: 30 });

  test.each(stuck)('a deadlock if %s', async (__, body, block, message) => {
    const { result } = await run(body, block);
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6010', message: expect.stringMatching(message) } });
  });

  test.each(ending)('no deadlock if %s', async (__, body, block) => {
    expect((await run(body, block)).result).toMatchObject({ ok: true });
  });

  test('the message names the first thread that waits in a loop', async () => {
    const { result } = await run(`setp.lt.u32 %p3, %r1, 7; @%p3 exit;\nL: ${test0}`, 40);
    expect(result).toMatchObject({ ok: false, fault: { line: 9, thread: [7, 0, 0] } });
  });
});

describe('in lockstep, on the reference engine', () => {
  const polls = 'ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;';
  const run = (body: string, block: number) =>
    outcome({ module, body: `${prepare}\n${body}` }, 4, { engine: 'interp', block, timeout: 30 });

  test('a deadlock if nobody sets a flag', async () => {
    const { result } = await run(`L: ${polls}`, 40);
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6010', line: 8 } });
  });

  test('no deadlock if a thread of another warp sets it after a long time', async () => {
    const works = `setp.ne.u32 %p3, %r1, 35; @%p3 bra L; mov.u32 %r3, 0;
      W: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 200000; @%p3 bra W; st.volatile.shared.u32 [flag], 1;`;
    expect((await run(`${works} L: ${polls}`, 40)).result).toMatchObject({ ok: true });
  });

  test('no deadlock if threads of two warps take turns', async () => {
    const betweenWarps = `mov.u32 %r3, 0; shr.u32 %r4, %r1, 5; and.b32 %r5, %r1, 31; setp.ne.u32 %p3, %r5, 0; @%p3 exit;
      M: L: ld.volatile.shared.u32 %r2, [flag]; and.b32 %r5, %r2, 1; setp.ne.u32 %p2, %r4, %r5; @%p2 bra L;
      add.u32 %r2, %r2, 1; st.volatile.shared.u32 [flag], %r2; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 200; @%p2 bra M;`;
    expect((await run(betweenWarps, 64)).result).toMatchObject({ ok: true });
  });
});

describe.each(Object.entries(ways))('in a cluster, with %s', (_, way) => {
  const wait = `mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; mbarrier.init.shared.b64 [bar], 1;
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r2, bar; mapa.shared::cluster.u32 %r3, %r2, 0;`;
  const end = 'barrier.cluster.arrive; barrier.cluster.wait;';
  const run = (body: string) =>
    outcome({ module, target: 'sm_90', body: `${wait}\n${body}\n${end}` }, 4, {
      ...way,
      grid: 4,
      cluster: 2,
      timeout: 30,
    });

  test('the other block may arrive', async () => {
    const arrive = '@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; @!%p1 bra E;';
    expect((await run(`${arrive} L: ${test0} E:`)).result).toMatchObject({ ok: true });
  });

  test('a deadlock if the other block only waits as well', async () => {
    const { result } = await run(`L: ${test0}`);
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6010' } });
  });
});
