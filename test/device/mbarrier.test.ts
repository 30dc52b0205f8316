/** Tests mbarrier objects: when their phases complete, and how threads wait for phases. */
import { describe, expect, test } from 'vitest';
import { output, ways } from './run.ts';

const module =
  '.shared .align 8 .b64 bar; .shared .align 16 .b32 data[4]; .global .align 16 .b32 source[4] = {5, 6, 7, 8};';

const begin = (count: number): string => `ld.param.u64 %rd9, [out]; mbarrier.init.shared.b64 [bar], ${count};`;

/** Stores in word `at` of the output whether the phase that the state in `%rd1` refers to is complete. */
const tested = (at: number): string =>
  `mbarrier.test_wait.shared.b64 %p1, [bar], %rd1; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd9+${4 * at}], %r9;`;

/** Stores in word `at` of the output whether the phase with the given parity is complete. */
const testedParity = (at: number, parity: number | string): string =>
  `mbarrier.try_wait.parity.shared.b64 %p1, [bar], ${parity}; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd9+${4 * at}], %r9;`;

/** Stores a predicate in word `at` of the output. */
const stored = (at: number, predicate: string): string =>
  `selp.u32 %r9, 1, 0, ${predicate}; st.global.u32 [%rd9+${4 * at}], %r9;`;

const arrive = 'mbarrier.arrive.shared.b64 %rd1, [bar];';
const again = 'mbarrier.arrive.shared.b64 %rd2, [bar];';

interface Case {
  readonly does: string;
  readonly count: number;
  readonly body: string;
  readonly words: readonly number[];
}

const cases: readonly Case[] = [
  {
    does: 'completes a phase with the last arrival, and the next one with as many',
    count: 2,
    body: `${arrive} ${tested(0)} ${again} ${tested(1)} ${arrive} ${tested(2)} ${again} ${tested(3)}`,
    words: [0, 1, 0, 1],
  },
  {
    does: 'numbers phases by parity, from 0',
    count: 1,
    body: `${testedParity(0, 0)} ${testedParity(1, 1)} ${arrive} ${testedParity(2, 0)} ${testedParity(3, 1)}`,
    words: [0, 1, 1, 0],
  },
  {
    does: 'reads only the lowest bit of a parity in a register',
    count: 1,
    body: `mov.u32 %r1, -1; mov.u32 %r2, 2; ${testedParity(0, '%r1')} ${testedParity(1, '%r2')} ${arrive} ${testedParity(2, '%r1')} ${testedParity(3, '%r2')}`,
    words: [1, 0, 0, 1],
  },
  {
    does: 'gives each arrival the number of arrivals pending before it',
    count: 5,
    body: `mbarrier.arrive.shared.b64 %rd1, [bar], 3; mbarrier.pending_count.b64 %r1, %rd1; st.global.u32 [%rd9], %r1;
mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 1; mbarrier.pending_count.b64 %r1, %rd1; st.global.u32 [%rd9+4], %r1;
${again} ${tested(2)}`,
    words: [5, 2, 1],
  },
  {
    does: 'expects fewer arrivals after one was dropped',
    count: 2,
    body: `mbarrier.arrive_drop.shared.b64 %rd1, [bar]; ${tested(0)} ${again} ${tested(1)} ${arrive} ${tested(2)}`,
    words: [0, 1, 1],
  },
  {
    does: 'also waits for the bytes that are expected',
    count: 1,
    body: `mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 96; ${tested(0)}
mbarrier.complete_tx.shared.b64 [bar], 32; ${tested(1)} mbarrier.complete_tx.shared.b64 [bar], 64; ${tested(2)}`,
    words: [0, 0, 1],
  },
  {
    does: 'lets bytes arrive before they are expected',
    count: 1,
    body: `mbarrier.complete_tx.shared.b64 [bar], 1048575; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048575;
${tested(3)} ${arrive} ${tested(0)} ${testedParity(1, 0)} ${testedParity(2, 1)}`,
    words: [1, 1, 0],
  },
  {
    does: 'counts an arrival for finished copies only with .noinc',
    count: 1,
    body: `cp.async.cg.shared.global [data], [source], 16; cp.async.mbarrier.arrive.shared.b64 [bar]; ${testedParity(0, 0)}
cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; ${testedParity(1, 0)}
ld.shared.u32 %r1, [data+8]; st.global.u32 [%rd9+8], %r1;`,
    words: [0, 1, 7],
  },
  {
    does: 'can be named by a generic address, and used again after mbarrier.inval',
    count: 3,
    body: `mov.u64 %rd3, bar; cvta.shared.u64 %rd3, %rd3; mbarrier.inval.b64 [%rd3]; mbarrier.init.b64 [%rd3], 1;
mbarrier.arrive.b64 %rd1, [%rd3]; mbarrier.test_wait.b64 %p1, [%rd3], %rd1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd9], %r1;`,
    words: [1],
  },
  {
    does: 'passes through more phases than its number has values',
    count: 1,
    body: `mov.u32 %r1, 0; mov.u32 %r2, 0;
L: ${arrive} mbarrier.test_wait.shared.b64 %p1, [bar], %rd1; @%p1 add.u32 %r2, %r2, 1;
add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 21; @%p2 bra L; st.global.u32 [%rd9], %r2; ${testedParity(1, 0)}`,
    words: [21, 1],
  },
];

describe.each(Object.entries(ways))('an mbarrier object with %s', (_, options) => {
  test.each(cases)('$does', async ({ count, body, words }) => {
    const found = await output({ module, body: `${begin(count)}\n${body}` }, 16, options);
    expect(found.slice(0, words.length)).toEqual(words);
  });

  test.each(['v0', 'v1'])('with layout %s has this layout, also after a phase', async (layout) => {
    const checked = (at: number, word: string): string =>
      `mbarrier.check_layout.layout::${word}.shared::cta.b64 %p2, [bar]; ${stored(at, '%p2')}`;
    const body = `ld.param.u64 %rd9, [out]; mbarrier.init.layout::${layout}.shared.b64 [bar], 2; ${checked(0, 'v0')}
${arrive} mbarrier.arrive_drop.shared.b64 %rd2, [bar]; ${tested(1)} ${arrive} ${tested(2)} ${checked(3, 'v1')}`;
    const found = await output({ module, body, version: '9.3' }, 16, options);
    expect(found).toEqual([layout === 'v0' ? 1 : 0, 1, 1, layout === 'v1' ? 1 : 0]);
  });

  test.each(['.layout::v0', '.layout::v1'])('with %s reports no error', async (layout) => {
    const wait = (results: string): string =>
      `mbarrier.try_wait.parity.phase_type::primary.shared.b64 ${results}, [bar], 0;`;
    const body = `ld.param.u64 %rd9, [out]; mbarrier.init${layout}.shared.b64 [bar], 1; ${arrive}
setp.eq.u32 %p3, 0, 0; cvt.u8.u32 %b1, 7; ${wait('%p2|%p3, %b1')} ${stored(0, '%p2')} ${stored(1, '%p3')}
cvt.u32.u8 %r1, %b1; st.global.u32 [%rd9+8], %r1; ${wait('%p2|_')} ${stored(3, '%p2')}
mbarrier.test_wait.parity.phase_type::conditional.shared.b64 %p2, [bar], 0; ${stored(4, '%p2')}`;
    expect(await output({ module, body, version: '9.3' }, 20, options)).toEqual([1, 0, 0, 1, 1]);
  });

  /** Each thread adds its index to a sum before it arrives. Once they have all arrived, each of them reads the sum. */
  test.each(['test_wait', 'try_wait'])('makes 96 threads wait in a loop of %s', async (wait) => {
    const body = `mov.u32 %r1, %tid.x; setp.eq.u32 %p2, %r1, 0;
@%p2 mbarrier.init.shared.b64 [bar], 96; @%p2 st.shared.u32 [data], 0; bar.sync 0;
mov.u32 %r2, %r1; S: setp.lt.u32 %p3, %r2, 90; @%p3 add.u32 %r2, %r2, 1; @%p3 bra S;
red.shared.add.u32 [data], %r1; mbarrier.arrive.shared.b64 %rd1, [bar];
W: mbarrier.${wait}.shared.b64 %p1, [bar], %rd1; @!%p1 bra W;
ld.shared.u32 %r3, [data]; ld.param.u64 %rd9, [out]; mad.wide.u32 %rd9, %r1, 4, %rd9; st.global.u32 [%rd9], %r3;`;
    const found = await output({ module, body }, 384, { ...options, block: 96 });
    expect(new Set(found)).toEqual(new Set([(95 * 96) / 2]));
  });
});
