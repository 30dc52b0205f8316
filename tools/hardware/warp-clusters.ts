/** Jobs about clusters: special registers, addresses of other blocks, and asynchronous stores and reductions. */
import {
  boundedWait,
  copyWords,
  input,
  job,
  moduleOf,
  type NumberType,
  pairsOf,
  type Random,
  results,
  u32,
} from './copies-parts.ts';
import type { Job, Triple } from '../../test/hardware/job.ts';

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

// --- special registers ------------------------------------------------------------------------------------------------

const axes = ['x', 'y', 'z'];
const registers = [
  ...['cluster_ctaid', 'cluster_nctaid', 'clusterid', 'nclusterid', 'ctaid', 'nctaid', 'tid', 'ntid'].flatMap((name) =>
    axes.map((axis) => `${name}.${axis}`),
  ),
  'cluster_ctarank',
  'cluster_nctarank',
  'laneid',
  'nwarpid',
  'lanemask_eq',
  'lanemask_lt',
  'lanemask_ge',
  'dynamic_smem_size',
  'total_smem_size',
];

/** The last thread of each block outputs the registers, and whether the launch has clusters. */
const showRegisters = moduleOf(
  ['u64 out', 'u32 last'],
  `mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %ctaid.y; mad.lo.u32 %r3, %r3, %r2, %r4;
mov.u32 %r4, %ctaid.x; mad.lo.u32 %r3, %r3, %r1, %r4; mul.wide.u32 %rd1, %r3, ${4 * (registers.length + 1)}; add.u64 %out, %out, %rd1;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r4, %tid.y; mad.lo.u32 %r1, %r4, %r2, %r1; setp.ne.u32 %p1, %r1, %last; @%p1 bra done;
${registers.map((name, i) => `mov.u32 %r5, %${name}; st.global.b32 [%out+${4 * i}], %r5;`).join('\n')}
mov.pred %p2, %is_explicit_cluster; selp.u32 %r5, 1, 0, %p2; st.global.b32 [%out+${4 * registers.length}], %r5;
done:`,
);

const shapes: readonly (readonly [grid: Triple, cluster: Triple | null])[] = [
  [[3, 2, 1], null],
  [
    [4, 1, 1],
    [1, 1, 1],
  ],
  [
    [4, 2, 2],
    [2, 1, 1],
  ],
  [
    [4, 4, 2],
    [2, 2, 1],
  ],
  [
    [2, 4, 4],
    [1, 2, 2],
  ],
  [
    [8, 2, 1],
    [8, 1, 1],
  ],
  [
    [4, 6, 2],
    [4, 1, 2],
  ],
  [
    [2, 3, 2],
    [1, 3, 1],
  ],
];

const registerJobs = (): readonly Job[] =>
  shapes.map(([grid, cluster]) =>
    job(
      `registers/grid-${grid.join('x')}/cluster-${cluster?.join('x') ?? 'none'}`,
      showRegisters,
      [results(grid[0] * grid[1] * grid[2] * 4 * (registers.length + 1)), u32(39)],
      { grid, block: [20, 2, 1], ...(cluster && { cluster }) },
    ),
  );

// --- addresses --------------------------------------------------------------------------------------------------------

const spaces = ['shared', 'shared::cta', 'shared::cluster', 'global', 'local', 'const', 'param'];

/** Sets a bit in %r1 for each state space that contains the generic address in %rd1. */
const spacesOf = `mov.u32 %r1, 0;
${spaces.map((space, i) => `isspacep.${space} %p1, %rd1; selp.u32 %r2, ${2 ** i}, 0, %p1; or.b32 %r1, %r1, %r2;`).join('\n')}`;

/**
 * Thread t of each block maps the address of a shared variable to block t of the cluster. It outputs the value at this
 * address, the rank of the address, and the state spaces that contain it.
 */
const mapped = moduleOf(
  ['u64 out'],
  `mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, %tid.x; mov.u32 %r12, %cluster_nctarank; mov.u32 %r13, own; mov.u32 %r14, %ctaid.x;
add.u32 %r15, %r14, 1000; st.shared.b32 [own], %r15; barrier.cluster.arrive; barrier.cluster.wait;
mad.lo.u32 %r16, %r14, %r12, %r11; mul.wide.u32 %rd10, %r16, 24; add.u64 %out, %out, %rd10;
setp.ge.u32 %p2, %r11, %r12; @%p2 bra last;
mapa.shared::cluster.u32 %r17, %r13, %r11; ld.shared::cluster.b32 %r18, [%r17]; st.global.b32 [%out], %r18;
getctarank.shared::cluster.u32 %r18, %r17; st.global.b32 [%out+4], %r18;
mov.u64 %rd2, own; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd1, %rd2, %r11; ld.b32 %r18, [%rd1]; st.global.b32 [%out+8], %r18;
getctarank.u64 %r18, %rd1; st.global.b32 [%out+12], %r18; ${spacesOf} st.global.b32 [%out+16], %r1;
cvta.to.shared::cluster.u64 %rd3, %rd1; ld.shared::cluster.b32 %r18, [%rd3]; st.global.b32 [%out+20], %r18;
last: barrier.cluster.arrive; barrier.cluster.wait;`,
  '.shared .align 4 .b32 own;',
);

const addressKinds = moduleOf(
  ['u64 out', 'map given'],
  `.local .align 8 .b8 stack[16]; cvta.to.global.u64 %rd9, %out; mov.u64 %rd5, stack; st.local.b64 [%rd5], %out;
mov.u64 %rd1, own; cvta.shared.u64 %rd1, %rd1; ${spacesOf} st.global.b32 [%rd9], %r1;
mov.u64 %rd1, value; cvta.global.u64 %rd1, %rd1; ${spacesOf} st.global.b32 [%rd9+4], %r1;
mov.u64 %rd1, fixed; cvta.const.u64 %rd1, %rd1; ${spacesOf} st.global.b32 [%rd9+8], %r1;
mov.u64 %rd1, stack; cvta.local.u64 %rd1, %rd1; ${spacesOf} st.global.b32 [%rd9+12], %r1;
mov.u64 %rd1, %given; ${spacesOf} st.global.b32 [%rd9+16], %r1; mov.u64 %rd1, %out; ${spacesOf} st.global.b32 [%rd9+20], %r1;
${[0n, 1n, 0x1000n, 0xfff_ffffn, 1n << 47n, (1n << 49n) - 1n, 1n << 63n, (1n << 64n) - 1n]
  .map((address, i) => `mov.u64 %rd1, ${address}; ${spacesOf} st.global.b32 [%rd9+${24 + 4 * i}], %r1;`)
  .join('\n')}`,
  `.shared .align 4 .b32 own; .global .b32 value = 3; .const .b32 fixed = 4;`,
);

const addressJobs = (): readonly Job[] => [
  ...[1, 2, 4, 8].map((size) =>
    job(`mapa/cluster-of-${size}`, mapped, [results(2 * size * size * 24)], {
      grid: [2 * size, 1, 1],
      cluster: [size, 1, 1],
    }),
  ),
  job('isspacep', addressKinds, [results(64), { kind: 'scalar', bytes: '00'.repeat(128) }], { block: [1, 1, 1] }),
];

// --- st.async and red.async -------------------------------------------------------------------------------------------

const slots = 8;

/**
 * Each thread of two blocks sends 8 values to the other block, whose memory contains `old` before. Each block outputs
 * the contents of its memory afterward, and whether all bytes arrived.
 */
function sendModule(opcode: string, type: string, width: 32 | 64, lanes: number): string {
  const size = (width / 8) * lanes;
  const bytes = 32 * slots * size;
  const bank = width === 64 ? 'rd' : 'r';
  const names = times(lanes).map((i) => `%${bank}${i + 10}`);
  const list = lanes === 1 ? names[0] : `{${names.join(', ')}}`;
  const sends = times(slots).map((slot) => {
    const at = slot * 32 * size;
    const loads = names.map((name, i) => `ld.global.b${width} ${name}, [%rd3+${at + (i * width) / 8}];`);
    return `${loads.join(' ')} ${opcode}.${type} [%r5+${at}], ${list}, [%r6];`;
  });
  return moduleOf(
    ['u64 data', 'u64 old', 'u64 out'],
    `.reg .u32 %size; mov.u32 %size, ${bytes}; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; mov.u32 %r7, %cluster_ctarank;
${copyWords('fill', ['global', '%old'], ['shared', '%r1'], '%size')}
@%p1 bra ready; mbarrier.init.shared::cta.b64 [object], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], ${bytes};
ready: barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r8, %r7, 1; mad.lo.u32 %r5, %r2, ${size}, %r1;
mapa.shared::cluster.u32 %r5, %r5, %r8; mov.u32 %r6, object; mapa.shared::cluster.u32 %r6, %r6, %r8;
mul.wide.u32 %rd3, %r2, ${size}; add.u64 %rd3, %rd3, %data;
${sends.join('\n')}
${boundedWait('object')}
mul.wide.u32 %rd1, %r7, ${bytes + 16}; add.u64 %out, %out, %rd1; bar.sync 0;
${copyWords('show', ['shared', '%r1'], ['global', '%out'], '%size')}
@%p1 bra done; st.global.b32 [%out+${bytes}], %r39;
done: barrier.cluster.arrive; barrier.cluster.wait;`,
    `.shared .align 16 .b8 tile[${bytes}]; .shared .align 8 .b64 object;`,
  );
}

const storing = 'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes';
const reducing = 'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes';

type Send = readonly [opcode: string, type: string, width: 32 | 64, lanes: number];

const sends: readonly Send[] = [
  ...['b32', 'u32', 's32', 'f32'].map((type): Send => [storing, type, 32, 1]),
  ...['b64', 'u64', 's64', 'f64'].map((type): Send => [storing, type, 64, 1]),
  [`${storing}.v2`, 'b32', 32, 2],
  [`${storing}.v4`, 'b32', 32, 4],
  [`${storing}.v2`, 'b64', 64, 2],
  [`${storing}.v4`, 'f32', 32, 4],
  ...[
    'add.u32',
    'add.s32',
    'min.u32',
    'min.s32',
    'max.u32',
    'max.s32',
    'inc.u32',
    'dec.u32',
    'and.b32',
    'or.b32',
    'xor.b32',
  ].map((op): Send => [reducing, op, 32, 1]),
  [reducing, 'add.u64', 64, 1],
];

const sendJobs = (random: Random): readonly Job[] =>
  sends.map(([opcode, type, width, lanes]) => {
    const values: NumberType = width === 64 ? 'u64' : 'u32';
    const [old, data] = pairsOf(values, 32 * slots * lanes, random);
    const name = `${opcode.split('.').slice(0, 2).join('.')}/${lanes === 1 ? '' : `v${lanes}.`}${type}`;
    const args = [input(data), input(old), results(2 * (old.length + 16))];
    return job(name, sendModule(opcode, type, width, lanes), args, { grid: [2, 1, 1], cluster: [2, 1, 1] });
  });

export const clusterJobs = (random: Random): readonly Job[] => [
  ...registerJobs(),
  ...addressJobs(),
  ...sendJobs(random),
];
