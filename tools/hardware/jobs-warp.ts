/**
 * Jobs about what threads of a warp, a block or a cluster do together: shuffles, votes, matrices in shared memory,
 * mbarrier objects, and other blocks' shared memory.
 *
 * tsx tools/hardware/jobs-warp.ts > JOBS.jsonl
 */
import { clusterJobs } from './warp-clusters.ts';
import { changed, input, job, moduleOf, print, Random, results, u32, words } from './copies-parts.ts';
import { barrierJobs } from './warp-barriers.ts';
import type { Job } from '../../test/hardware/job.ts';

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const random = new Random(77);
const rounds = 32;

// --- exchanges within a warp ------------------------------------------------------------------------------------------

interface Exchange {
  readonly id: string;
  /**
   * An instruction that reads a from %rd1, the low half of a from %r1, b from %r2, c from %r3, or the low bit of a from
   * %p1. It writes %r4 or %p2.
   */
  readonly text: string;
  /** Returns a random value for a; by default, all of its bits are random. */
  readonly a?: () => bigint;
  /** Whether the instruction reads other lanes. Each mask then contains all lanes, or all lanes of one half. */
  readonly readsLanes?: boolean;
}

/**
 * In each round, the threads in the mask %r5 execute the instruction. All threads output %r4 and %p2, which are 0xbad
 * and false in threads that did not execute the instruction.
 */
const exchangeModule = (text: string): string =>
  moduleOf(
    ['u64 a', 'u64 b', 'u64 c', 'u64 masks', 'u64 out', 'u32 rounds'],
    `mov.u32 %r10, %tid.x; mul.wide.u32 %rd10, %r10, 8; mul.wide.u32 %rd11, %r10, 4; mov.u32 %r11, 0;
add.u64 %a, %a, %rd10; add.u64 %b, %b, %rd11; add.u64 %c, %c, %rd11; add.u64 %out, %out, %rd10;
next: ld.global.b64 %rd1, [%a]; cvt.u32.u64 %r1, %rd1; ld.global.b32 %r2, [%b]; ld.global.b32 %r3, [%c];
ld.global.b32 %r5, [%masks]; and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 1; mov.u32 %r4, 0xbad; setp.ne.u32 %p2, 0, 0;
shr.u32 %r7, %r5, %r10; and.b32 %r7, %r7, 1; setp.eq.u32 %p3, %r7, 0; @%p3 bra skip;
${text}
skip: bar.warp.sync -1; selp.u32 %r8, 1, 0, %p2; st.global.b32 [%out], %r4; st.global.b32 [%out+4], %r8;
add.u64 %a, %a, 256; add.u64 %b, %b, 128; add.u64 %c, %c, 128; add.u64 %masks, %masks, 4; add.u64 %out, %out, 256;
add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, %rounds; @%p4 bra next;`,
  );

const few = (): bigint => random.word(2) * 0x1_0000_0001n;
const sparse = (): bigint =>
  random.once(3) ? random.word(64) : random.pick([0n, 1n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn]);

const exchanges: readonly Exchange[] = [
  ...['idx', 'up', 'down', 'bfly'].map((mode) => ({
    id: `shfl/${mode}`,
    text: `shfl.sync.${mode}.b32 %r4|%p2, %r1, %r2, %r3, %r5;`,
    readsLanes: true,
  })),
  ...['add.u32', 'add.s32', 'min.u32', 'min.s32', 'max.u32', 'max.s32', 'and.b32', 'or.b32', 'xor.b32'].map((op) => ({
    id: `redux/${op}`,
    text: `redux.sync.${op} %r4, %r1, %r5;`,
    a: op === 'and.b32' ? () => BigInt.asUintN(64, ~(1n << random.word(7))) : sparse,
  })),
  ...['all', 'any', 'uni'].map((mode) => ({
    id: `vote/${mode}`,
    text: `vote.sync.${mode}.pred %p2, %p1, %r5;`,
    a: () => (random.once(6) ? 0n : 1n),
  })),
  { id: 'vote/ballot', text: 'vote.sync.ballot.b32 %r4, %p1, %r5;' },
  ...['b32', 'b64'].flatMap((type) => [
    { id: `match/any/${type}`, text: `match.any.sync.${type} %r4, ${type === 'b64' ? '%rd1' : '%r1'}, %r5;`, a: few },
    {
      id: `match/all/${type}`,
      text: `match.all.sync.${type} %r4|%p2, ${type === 'b64' ? '%rd1' : '%r1'}, %r5;`,
      a: () => (random.once(20) ? 3n : 5n),
    },
  ]),
  { id: 'elect', text: 'elect.sync %r4|%p2, %r5;' },
  { id: 'activemask', text: 'activemask.b32 %r4;' },
];

/** The last operand of shfl: a clamp value and a segment mask, or any bits. */
const anyClamp = (): number =>
  random.once(4)
    ? Number(random.word(32))
    : (random.pick([0, 16, 24, 28, 30, 31]) << 8) | random.pick([31, 0, 7, 15, 30]);
const anyLane = (): number => (random.once(6) ? Number(random.word(32)) : random.from(0, 33));

/** A last operand with which threads read only lanes in their own half of the warp. */
const halfClamp = (): number => (random.pick([16, 24, 28, 30, 31]) << 8) | random.pick([15, 31]);

/** In most rounds, all threads have the same segments, as in real kernels. */
function lastOperands(clamp: () => number): readonly number[] {
  const shared = clamp();
  const differs = random.once(3);
  return times(32).map(() => (differs ? clamp() : shared));
}

function masksOf(isPartial: boolean, readsLanes: boolean): readonly number[] {
  if (!isPartial) return times(rounds).map(() => 0xffff_ffff);
  if (readsLanes) return times(rounds).map((i) => (i % 2 === 0 ? 0xffff : 0xffff_0000));
  return times(rounds).map((i) => (i < 8 ? 2 ** (4 * i) : Number(random.word(32)) | (2 ** random.from(0, 30))) >>> 0);
}

const exchangeJobs = (): readonly Job[] =>
  exchanges.flatMap(({ id, text, a = () => random.word(64), readsLanes = false }) =>
    [false, true].map((isPartial) =>
      job(`${id}/${isPartial ? 'partial' : 'full'}`, exchangeModule(text), [
        input(words(times(32 * rounds).map(a), 64)),
        input(words(times(32 * rounds).map(isPartial && readsLanes ? () => random.from(0, 15) : anyLane), 32)),
        input(
          words(
            times(rounds).flatMap(() => lastOperands(isPartial && readsLanes ? halfClamp : anyClamp)),
            32,
          ),
        ),
        input(words(masksOf(isPartial, readsLanes), 32)),
        results(256 * rounds),
        u32(rounds),
      ]),
    ),
  );

// --- matrices in shared memory ----------------------------------------------------------------------------------------

const registersOf = (count: number): string =>
  `{${times(count)
    .map((i) => `%r${i + 4}`)
    .join(', ')}}`;
const matrixBytes = 1024;

const fetched = `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 32; mul.wide.u32 %rd2, %r2, 4;
${times(8)
  .map(
    (i) =>
      `add.u64 %rd3, %memory, %rd1; ld.global.b32 %r3, [%rd3+${4 * i}]; mad.lo.u32 %r30, %r2, 32, %r1; st.shared.b32 [%r30+${4 * i}], %r3;`,
  )
  .join('\n')}
add.u64 %rd3, %rows, %rd2; ld.global.b32 %r3, [%rd3]; add.u32 %r3, %r3, %r1; bar.sync 0;`;

const tile = `.shared .align 128 .b8 tile[${matrixBytes}];`;

const loadMatrices = (count: number, trans: string): string =>
  moduleOf(
    ['u64 memory', 'u64 rows', 'u64 out'],
    `${fetched}
${times(4)
  .map((i) => `mov.u32 %r${i + 4}, 0;`)
  .join(' ')}
ldmatrix.sync.aligned.m8n8.x${count}${trans}.shared.b16 ${registersOf(count)}, [%r3];
mul.wide.u32 %rd4, %r2, 16; add.u64 %rd4, %rd4, %out; ${times(4)
      .map((i) => `st.global.b32 [%rd4+${4 * i}], %r${i + 4};`)
      .join(' ')}`,
    tile,
  );

const storeMatrices = (count: number, trans: string): string =>
  moduleOf(
    ['u64 memory', 'u64 rows', 'u64 data'],
    `${fetched}
mul.wide.u32 %rd4, %r2, 16; add.u64 %rd4, %rd4, %data; ${times(4)
      .map((i) => `ld.global.b32 %r${i + 4}, [%rd4+${4 * i}];`)
      .join(' ')}
stmatrix.sync.aligned.m8n8.x${count}${trans}.shared.b16 [%r3], ${registersOf(count)}; bar.sync 0;
${times(8)
  .map(
    (i) =>
      `add.u64 %rd3, %memory, %rd1; mad.lo.u32 %r30, %r2, 32, %r1; ld.shared.b32 %r3, [%r30+${4 * i}]; st.global.b32 [%rd3+${4 * i}], %r3;`,
  )
  .join('\n')}`,
    tile,
  );

const moveMatrix = moduleOf(
  ['u64 memory', 'u64 out'],
  `mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %memory, %rd1; ld.global.b32 %r3, [%rd2];
movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3; add.u64 %rd2, %out, %rd1; st.global.b32 [%rd2], %r4;`,
);

/** The offsets of 32 different rows, in random order. */
function shuffledRows(): Uint8Array {
  const rows = times(matrixBytes / 16).map((i) => ({ at: 16 * i, by: random.word(32) }));
  rows.sort((one, other) => (one.by < other.by ? -1 : 1));
  return words(
    rows.slice(0, 32).map(({ at }) => at),
    32,
  );
}

const matrixJobs = (): readonly Job[] => [
  ...[1, 2, 4].flatMap((count) =>
    ['', '.trans'].flatMap((trans) =>
      times(3).flatMap((i) => [
        job(`ldmatrix/x${count}${trans}/${i}`, loadMatrices(count, trans), [
          input(random.bytes(matrixBytes)),
          input(shuffledRows()),
          results(512),
        ]),
        job(`stmatrix/x${count}${trans}/${i}`, storeMatrices(count, trans), [
          changed(random.bytes(matrixBytes)),
          input(shuffledRows()),
          input(random.bytes(512)),
        ]),
      ]),
    ),
  ),
  ...times(3).map((i) => job(`movmatrix/${i}`, moveMatrix, [input(random.bytes(128)), results(128)])),
];

// --- votes of a block -------------------------------------------------------------------------------------------------

const blockVote = moduleOf(
  ['u64 a', 'u64 out'],
  `mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %a, %rd1; ld.global.b32 %r3, [%rd2]; setp.ne.u32 %p1, %r3, 0;
bar.red.popc.u32 %r4, 0, %p1; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 1, %p1; bar.red.popc.u32 %r5, 2, 96, !%p1;
selp.u32 %r6, 1, 0, %p2; selp.u32 %r7, 1, 0, %p3; mul.wide.u32 %rd1, %r2, 16; add.u64 %rd2, %out, %rd1;
st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};`,
);

const blockVotes = (): readonly Job[] =>
  [0, 1, 2, 3].map((i) =>
    job(
      `bar.red/${i}`,
      blockVote,
      [
        input(
          words(
            times(96).map(() => (i === 0 ? 0 : i === 1 ? 1 : random.from(0, i - 1))),
            32,
          ),
        ),
        results(96 * 16),
      ],
      { block: [96, 1, 1] },
    ),
  );

print([
  ...exchangeJobs(),
  ...matrixJobs(),
  ...blockVotes(),
  ...barrierJobs(new Random(5)),
  ...clusterJobs(new Random(6)),
]);
