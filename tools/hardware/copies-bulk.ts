/** Jobs about copies and reductions of bytes (cp.async, cp.async.bulk). */
import {
  changed,
  copyWords,
  input,
  job,
  moduleOf,
  type NumberType,
  pairsOf,
  type Random,
  results,
  u32,
  words,
} from './copies-parts.ts';
import { declared, filled, shown } from './copies-tensors.ts';
import type { Job, Triple } from '../../test/hardware/job.ts';

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const pair: { readonly grid: Triple; readonly cluster: Triple } = { grid: [2, 1, 1], cluster: [2, 1, 1] };

// --- cp.async.bulk ----------------------------------------------------------------------------------------------------

/** Copies `length` bytes from `data + from` to `tile + place`. */
const bulkLoad = (space: string): string =>
  moduleOf(
    ['u64 data', 'u64 out', 'u32 size', 'u32 place', 'u32 from', 'u32 length'],
    `${filled}
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1;
ready: fence.proxy.async; bar.sync 0; @%p1 bra issued;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %length; add.u32 %r5, %r1, %place;
cvt.u64.u32 %rd2, %from; add.u64 %rd2, %rd2, %data; cvta.to.global.u64 %rd2, %rd2;
cp.async.bulk.shared::${space}.global.mbarrier::complete_tx::bytes [%r5], [%rd2], %length, [object];
issued: ${shown}`,
    declared,
  );

const bulkStore = moduleOf(
  ['u64 data', 'u64 out', 'u32 size', 'u32 place', 'u32 from', 'u32 length'],
  `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0;
${copyWords('fetch', ['global', '%data'], ['shared', '%r1'], '%size')}
fence.proxy.async; bar.sync 0; @%p1 bra done; add.u32 %r5, %r1, %from;
cvt.u64.u32 %rd2, %place; add.u64 %rd2, %rd2, %out; cvta.to.global.u64 %rd2, %rd2;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r5], %length;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
done:`,
  declared,
);

function bulkCopies(random: Random): readonly Job[] {
  const data = random.bytes(2048);
  return times(12).flatMap((i) => {
    const units = random.from(1, 60);
    const [from, place] = [16 * random.from(0, 60), 16 * random.from(1, 60)];
    const size = place + 16 * units + 32;
    const copied = [u32(size), u32(place), u32(from), u32(16 * units)];
    return [
      job(`bulk-load/${i}`, bulkLoad(i % 2 === 0 ? 'cluster' : 'cta'), [input(data), results(size + 16), ...copied]),
      job(`bulk-store/${i}`, bulkStore, [
        input(data),
        results(2048),
        u32(2048),
        u32(place),
        u32(from),
        u32(16 * units),
      ]),
    ];
  });
}

/** A copy of zero bytes. */
export const emptyBulkCopy = (): Job =>
  job('bulk-load/size-0', bulkLoad('cluster'), [
    input(new Uint8Array(64)),
    results(144),
    ...[128, 16, 16, 0].map((value) => u32(value)),
  ]);

// --- between blocks of a cluster --------------------------------------------------------------------------------------

/**
 * Each of two blocks sends `length` bytes from the start of `mine` to offset `place` of the other block's tile.
 * Depending on the opcode, they replace the bytes there or are combined with them. The output of the second block
 * begins `size` + 16 bytes after that of the first.
 */
const sending = (opcode: string, op: string): string =>
  moduleOf(
    ['u64 data', 'u64 old', 'u64 out', 'u32 size', 'u32 place', 'u32 length'],
    `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; mov.u32 %r6, %cluster_ctarank; mov.u32 %r9, mine;
${copyWords('fill', ['global', '%old'], ['shared', '%r1'], '%size')}
${copyWords('fetch', ['global', '%data'], ['shared', '%r9'], '%length')}
add.u32 %r7, %size, 16; mul.lo.u32 %r7, %r7, %r6; cvt.u64.u32 %rd1, %r7; add.u64 %out, %out, %rd1;
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], %length;
ready: fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra issued;
add.u32 %r5, %r1, %place; xor.b32 %r8, %r6, 1; mapa.shared::cluster.u32 %r5, %r5, %r8;
mov.u32 %r10, object; mapa.shared::cluster.u32 %r10, %r10, %r8;
${opcode}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes${op} [%r5], [%r9], %length, [%r10];
issued: ${shown} barrier.cluster.arrive; barrier.cluster.wait;`,
    `${declared}\n.shared .align 128 .b8 mine[4096];`,
  );

const sentArguments = (old: Uint8Array, data: Uint8Array, place: number) => [
  input(data),
  input(old),
  results(2 * (old.length + 16)),
  u32(old.length),
  u32(place),
  u32(data.length),
];

const sent = (random: Random): readonly Job[] =>
  times(4).map((i) => {
    const place = 16 * random.from(0, 9);
    const args = sentArguments(random.bytes(place + 288), random.bytes(16 * random.from(1, 16)), place);
    return job(`bulk-send/${i}`, sending('cp.async.bulk', ''), args, pair);
  });

/** Reductions in the shared memory of a cluster, with the type of the values. */
const sharedOperations: readonly (readonly [op: string, values: NumberType])[] = [
  ['add.u32', 'u32'],
  ['add.s32', 'u32'],
  ['add.u64', 'u64'],
  ['min.u32', 'u32'],
  ['min.s32', 'u32'],
  ['max.u32', 'u32'],
  ['max.s32', 'u32'],
  ['inc.u32', 'u32'],
  ['dec.u32', 'u32'],
  ['and.b32', 'u32'],
  ['or.b32', 'u32'],
  ['xor.b32', 'u32'],
];

const sharedReductions = (random: Random): readonly Job[] =>
  sharedOperations.map(([op, values]) => {
    const [old, data] = pairsOf(values, 256, random);
    return job(
      `bulk-reduce-shared/${op}`,
      sending('cp.reduce.async.bulk', `.${op}`),
      sentArguments(old, data, 0),
      pair,
    );
  });

// --- reductions in global memory --------------------------------------------------------------------------------------

const globalOperations: readonly (readonly [op: string, values: NumberType])[] = [
  ['add.f32', 'f32'],
  ['add.f64', 'f64'],
  ['add.noftz.f16', 'f16'],
  ['add.noftz.bf16', 'bf16'],
  ['min.f16', 'f16'],
  ['max.f16', 'f16'],
  ['min.bf16', 'bf16'],
  ['max.bf16', 'bf16'],
  ...(['min', 'max'] as const).flatMap((op) =>
    (['u32', 's32', 'u64', 's64'] as const).map(
      (type) => [`${op}.${type}`, type.endsWith('64') ? 'u64' : 'u32'] as const,
    ),
  ),
  ...(['and', 'or', 'xor'] as const).flatMap((op) => [[`${op}.b32`, 'u32'] as const, [`${op}.b64`, 'u64'] as const]),
  ['add.u32', 'u32'],
  ['add.s32', 'u32'],
  ['add.u64', 'u64'],
  ['inc.u32', 'u32'],
  ['dec.u32', 'u32'],
];

const bulkReduction = (op: string): string =>
  moduleOf(
    ['u64 data', 'u64 out', 'u32 size'],
    `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0;
${copyWords('fetch', ['global', '%data'], ['shared', '%r1'], '%size')}
fence.proxy.async; bar.sync 0; @%p1 bra done; cvta.to.global.u64 %rd2, %out;
cp.reduce.async.bulk.global.shared::cta.bulk_group.${op} [%rd2], [%r1], %size;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
done:`,
    declared,
  );

const globalReductions = (random: Random): readonly Job[] =>
  globalOperations.map(([op, values]) => {
    const count = values.includes('f') ? 960 : 256;
    const [old, data] = pairsOf(values, count, random);
    return job(`bulk-reduce/${op}`, bulkReduction(op), [input(data), changed(old), u32(data.length)]);
  });

// --- cp.async ---------------------------------------------------------------------------------------------------------

/**
 * Each thread copies its own bytes. `last` is the text after the size. It may use %r6, which each thread reads
 * from `own`, and %p2, which is true if %r6 is odd.
 */
const threadCopy = (cache: string, bytes: number, last: string): string =>
  moduleOf(
    ['u64 data', 'u64 own', 'u64 out', 'u32 size'],
    `${filled} bar.sync 0; mov.u32 %r5, %tid.x; cvt.u64.u32 %rd3, %r5; shl.b64 %rd1, %rd3, 2; add.u64 %rd1, %own, %rd1; ld.global.b32 %r6, [%rd1];
and.b32 %r7, %r6, 1; setp.eq.u32 %p2, %r7, 1; mul.lo.u32 %r7, %r5, ${bytes}; add.u32 %r7, %r7, %r1;
mul.lo.u64 %rd3, %rd3, ${bytes}; add.u64 %rd3, %rd3, %data; cvta.to.global.u64 %rd3, %rd3;
cp.async.${cache}.shared.global [%r7], [%rd3], ${bytes}${last}; cp.async.wait_all; bar.sync 0;
${copyWords('show', ['shared', '%r1'], ['global', '%out'], '%size')}`,
    declared,
  );

const threadCopies = (random: Random): readonly Job[] =>
  (
    [
      ['ca', 4],
      ['ca', 8],
      ['ca', 16],
      ['cg', 16],
    ] as const
  ).flatMap(([cache, bytes]) =>
    (
      [
        ['src-size', ', %r6'],
        ['ignore-src', ', %p2'],
        ['plain', ''],
      ] as const
    ).map(([name, last]) => {
      const own = words(
        times(32).map((i) => (i <= bytes ? i : random.from(0, bytes))),
        32,
      );
      return job(`cp.async/${cache}/${bytes}/${name}`, threadCopy(cache, bytes, last), [
        input(random.bytes(32 * bytes)),
        input(own),
        results(32 * bytes + 128),
        u32(32 * bytes + 128),
      ]);
    }),
  );

export const bulkJobs = (random: Random): readonly Job[] => [
  ...globalReductions(random),
  ...sharedReductions(random),
  ...bulkCopies(random),
  ...sent(random),
  ...threadCopies(random),
];
