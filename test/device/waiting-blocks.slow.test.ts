/**
 * Tests blocks that wait for each other in loops that contain barriers or collectives, as in Triton's grid barriers.
 */
import { describe, expect, test } from 'vitest';
import { outcome, output, ways } from './run.ts';

const grid = 5;

/** Ways to pass the value that thread 0 has read into `%r3` to the other threads of its block. */
const spreads: Readonly<Record<string, string>> = {
  'bar.sync': '@%p1 st.shared.u32 [seen], %r3; bar.sync 0; ld.shared.u32 %r3, [seen]; bar.sync 0;',
  'bar.warp.sync':
    '@%p1 st.shared.u32 [seen], %r3; bar.warp.sync -1; bar.sync 0; ld.shared.u32 %r3, [seen]; bar.warp.sync -1; bar.sync 0;',
  'shfl.sync': 'shfl.sync.idx.b32 %r3, %r3, 0, 31, -1;',
  'bar.red': 'setp.ge.u32 %p3, %r3, 5; bar.red.or.pred %p3, 0, %p3; selp.u32 %r3, 5, 0, %p3;',
};

/** Ways for thread 0 to read the number of blocks that have arrived. */
const reads: Readonly<Record<string, string>> = {
  atom: '@%p1 atom.global.gpu.acquire.add.u32 %r3, [%rd1], 0;',
  'ld.acquire': '@%p1 ld.acquire.gpu.global.u32 %r3, [%rd1];',
  'ld.volatile': '@%p1 ld.volatile.global.u32 %r3, [%rd1];',
};

const cases = Object.keys(spreads).flatMap((spread) => Object.keys(reads).map((read) => ({ read, spread })));

const module = '.shared .u32 seen;';

/**
 * Every block increments a counter and waits until all blocks have done so. Then every thread increments a second
 * counter.
 */
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

/** The contents of a loop in which the only remaining thread of block 0 waits for block 1. */
const contents: Readonly<Record<string, string>> = {
  nothing: '',
  'a call': 'call nothing;',
  'vote.sync': 'activemask.b32 %r4; vote.sync.any.pred %p5, %p5, %r4;',
  'bar.warp.sync': 'bar.warp.sync 1;',
  'bar.sync': 'bar.sync 0;',
  'another loop': 'mov.u32 %r5, 0; I: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3; @%p3 bra I;',
};

const loads = ['ld.volatile.u32', 'ld.volatile.global.u32', 'ld.acquire.gpu.global.u32'] as const;

const alone = Object.keys(contents).flatMap((content) =>
  [1, 2, 33].flatMap((block) => loads.map((load) => ({ content, load, block }))),
);

describe.each(Object.entries(ways))('with %s', (_, way) => {
  test.each(alone)('a loop of $load and $content lets other blocks run, in a block of $block', async (one) => {
    const { content, load, block } = one;
    const waiting = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 exit;
      mov.u32 %r2, %ctaid.x; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; st.release.gpu.global.u32 [%rd1], 1; exit;
      L: ${load} %r3, [%rd1]; setp.eq.u32 %p5, %r3, 0; ${contents[content]} @%p5 bra L; st.global.u32 [%rd1+4], 1;`;
    const source = { module: '.func nothing() { ret; }', body: waiting };
    expect(await output(source, 8, { ...way, grid: 2, block, timeout: 30 })).toEqual([1, 1]);
  });
});

describe('the device runtime library', () => {
  const functions =
    '.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 p); .extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 p, .param .b32 q);';
  const sync =
    '{ .param .b64 a; .param .b32 b, s; st.param.b64 [a], %rd2; st.param.b32 [b], 0; call.uni (s), cudaCGSynchronize, (a, b); }';
  /**
   * In each round, every block stores its index plus 10 times the number of the round, and then adds the value that the
   * next block has stored.
   */
  const rounds = `ld.param.u64 %rd1, [out];
{ .param .b32 a; .param .b64 h; st.param.b32 [a], 1; call.uni (h), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %rd2, [h]; }
mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd3, %r1, 4, %rd1; add.u32 %r2, %r1, 1; rem.u32 %r2, %r2, ${grid};
mad.wide.u32 %rd4, %r2, 4, %rd1; mov.u32 %r5, 0; mov.u32 %r6, 0;
L: add.u32 %r3, %r1, %r5; st.global.u32 [%rd3], %r3; ${sync} ld.global.u32 %r4, [%rd4]; add.u32 %r6, %r6, %r4; ${sync}
add.u32 %r5, %r5, 10; setp.lt.u32 %p1, %r5, 30; @%p1 bra L; st.global.u32 [%rd3], %r6;`;

  test.each(Object.entries(ways))('synchronizes the blocks of a cooperative grid on %s', async (_, way) => {
    const options = { ...way, grid, block: 40, cooperative: true };
    const words = await output({ module: functions, body: rounds }, 4 * grid, options);
    expect(words).toEqual(Array.from({ length: grid }, (__, block) => 3 * ((block + 1) % grid) + 30));
  });

  test.each(Object.entries(ways))(
    'traps without a cooperative launch, at no line of the module, on %s',
    async (_, way) => {
      const { result } = await outcome({ module: functions, body: rounds }, 4 * grid, { ...way, grid, block: 40 });
      expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6031', line: null, source: null } });
    },
  );
});
