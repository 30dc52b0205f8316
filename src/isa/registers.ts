/**
 * The predefined special registers (PTX ISA 9.1, chapter 10). There is one row for each register, with its type, the
 * versions and targets on which ptxas 13.0 accepts it, and the source of its value. Hardware-specific registers have
 * the values that they would have on a single SM that runs one grid.
 */
import type { Sameness } from './sameness.ts';
import type { Ref } from './steps/ref.ts';
import { at, type Availability } from './targets.ts';
import type { TypeName } from './types.ts';

/** The parts of a vector special register, in index order. */
export const registerParts = ['.x', '.y', '.z', '.w'] as const;

/**
 * How widely the value of a register is shared between threads. The sameness is given either for the register as a
 * whole, or separately for each of its parts `.x`, `.y`, `.z` and `.w`.
 */
type SamenessOfParts = Sameness | readonly [x: Sameness, y: Sameness, z: Sameness, w: Sameness];

/** A value that threads obtain from the launch. Each engine defines how it reads these values. */
export type LaunchValue =
  | 'threadIndex'
  | 'blockSize'
  | 'blockIndex'
  | 'gridSize'
  | 'lane'
  | 'warp'
  /** Masks of the lanes whose numbers are equal to the number of the thread's lane, less than it, and so on. */
  | 'lanesEqual'
  | 'lanesLess'
  | 'lanesUpTo'
  | 'lanesGreater'
  | 'lanesFrom'
  /** The number of instructions that have been executed, and the upper 32 bits of this number. */
  | 'clock'
  | 'clockHigh'
  /** A time in nanoseconds, and its upper 32 bits. */
  | 'timer'
  | 'timerHigh'
  /**
   * The size of a block's shared memory in bytes. `sharedBytes` does not include the part that is reserved for the
   * system; `allSharedBytes` includes it, and `dynamicSharedBytes` is the size of the dynamic part alone.
   */
  | 'sharedBytes'
  | 'allSharedBytes'
  | 'dynamicSharedBytes'
  /** Whether the kernel or the launch explicitly requests clusters. */
  | 'hasClusters'
  /**
   * In three dimensions: the index of the cluster within the grid, the number of clusters in the grid, the index of the
   * block within its cluster, and the number of blocks in a cluster.
   */
  | 'clusterIndex'
  | 'gridClusters'
  | 'indexInCluster'
  | 'clusterSize'
  /**
   * The rank of the block within its cluster, the number of blocks in a cluster, and the number of threads in a
   * cluster.
   */
  | 'rankInCluster'
  | 'blocksPerCluster'
  | 'threadsPerCluster'
  /** The address at which the block's shared memory begins within the shared memory of the cluster. */
  | 'startInCluster'
  | 'gridWorkspace';

const samenesses: Readonly<Record<LaunchValue, SamenessOfParts>> = {
  threadIndex: ['thread', 'gang', 'gang', 'grid'],
  blockSize: 'grid',
  blockIndex: ['block', 'block', 'block', 'grid'],
  gridSize: 'grid',
  lane: 'thread',
  warp: 'warp',
  lanesEqual: 'thread',
  lanesLess: 'thread',
  lanesUpTo: 'thread',
  lanesGreater: 'thread',
  lanesFrom: 'thread',
  clock: 'reading',
  clockHigh: 'reading',
  timer: 'reading',
  timerHigh: 'reading',
  sharedBytes: 'grid',
  allSharedBytes: 'grid',
  dynamicSharedBytes: 'grid',
  hasClusters: 'grid',
  clusterIndex: ['block', 'block', 'block', 'grid'],
  gridClusters: 'grid',
  indexInCluster: ['block', 'block', 'block', 'grid'],
  clusterSize: 'grid',
  rankInCluster: 'block',
  blocksPerCluster: 'grid',
  threadsPerCluster: 'grid',
  startInCluster: 'block',
  gridWorkspace: 'grid',
};

/** A resource that a launch has to provide if the kernel reads certain registers. */
export type Grant = 'reserved shared memory' | 'grid workspace';

export interface SpecialRegister {
  readonly name: string;
  /** Type of the register, or of each of its parts. */
  readonly type: TypeName;
  /** True for a register with the parts `.x`, `.y`, `.z` and `.w`. */
  readonly isVector: boolean;
  /**
   * The smallest number of bits that an instruction can read without reading the whole register. Null if an instruction
   * must always read the whole register.
   */
  readonly least: number | null;
  readonly since: Availability;
  readonly value: LaunchValue | number;
  readonly grant: Grant | null;
}

type Extras = Partial<Pick<SpecialRegister, 'least' | 'grant'>>;

function row(
  name: string,
  type: TypeName,
  since: Availability,
  value: SpecialRegister['value'],
  extras: Extras = {},
): SpecialRegister {
  return { name, type, since, value, isVector: false, least: null, grant: null, ...extras };
}

/** A vector register, whose parts are `.u32`. */
function vector(
  name: string,
  since: Availability,
  value: SpecialRegister['value'],
  extras: Extras = {},
): SpecialRegister {
  return { ...row(name, '.u32', since, value, extras), isVector: true };
}

function family(count: number, make: (index: number) => SpecialRegister): readonly SpecialRegister[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Number of bytes that devices since sm_80 reserve for the system at the start of shared memory. */
export const reservedSharedBytes = 1024;

/** The value of %nwarpid: the number of warps that a multiprocessor of an H200 can hold. */
const mostWarps = 64;

const always = at('1.0');
const clusters = at('7.8', 90);
/**
 * These registers were originally 16 bits wide, and 16-bit instructions can still read them. `%gridid` was later
 * widened to 32 and then to 64 bits.
 */
const chopped: Extras = { least: 16 };
const reserved: Extras = { grant: 'reserved shared memory' };

/** Special registers that some steps read implicitly. The keys are the names that these steps use for the values. */
export const impliedRegisters: ReadonlyMap<Ref, SpecialRegister> = new Map(
  (
    [
      ['$LANE', 'lane'],
      ['$WARP', 'warp'],
      ['$CLUSTER.RANK', 'rankInCluster'],
      ['$CLUSTER.BLOCKS', 'blocksPerCluster'],
      ['$CLUSTER.THREADS', 'threadsPerCluster'],
      ['$CLUSTER.START', 'startInCluster'],
    ] as const
  ).map(([ref, value]) => [ref, row(ref, '.u32', always, value)]),
);

export const registerRows: readonly SpecialRegister[] = [
  vector('%tid', always, 'threadIndex', chopped),
  vector('%ntid', always, 'blockSize', chopped),
  vector('%ctaid', always, 'blockIndex', chopped),
  vector('%nctaid', always, 'gridSize', chopped),
  row('%laneid', '.u32', at('1.3'), 'lane'),
  row('%warpid', '.u32', at('1.3'), 'warp'),
  row('%nwarpid', '.u32', at('2.0', 20), mostWarps),
  row('%smid', '.u32', at('1.3'), 0),
  row('%nsmid', '.u32', at('2.0', 20), 1),
  row('%gridid', '.u64', always, 0, chopped),
  row('%is_explicit_cluster', '.pred', clusters, 'hasClusters'),
  vector('%clusterid', clusters, 'clusterIndex'),
  vector('%nclusterid', clusters, 'gridClusters'),
  vector('%cluster_ctaid', clusters, 'indexInCluster'),
  vector('%cluster_nctaid', clusters, 'clusterSize'),
  row('%cluster_ctarank', '.u32', clusters, 'rankInCluster'),
  row('%cluster_nctarank', '.u32', clusters, 'blocksPerCluster'),
  row('%lanemask_eq', '.u32', at('2.0', 20), 'lanesEqual'),
  row('%lanemask_le', '.u32', at('2.0', 20), 'lanesUpTo'),
  row('%lanemask_lt', '.u32', at('2.0', 20), 'lanesLess'),
  row('%lanemask_ge', '.u32', at('2.0', 20), 'lanesFrom'),
  row('%lanemask_gt', '.u32', at('2.0', 20), 'lanesGreater'),
  row('%clock', '.u32', always, 'clock'),
  row('%clock_hi', '.u32', at('5.0', 20), 'clockHigh'),
  row('%clock64', '.u64', at('2.0', 20), 'clock'),
  ...family(4, (index) => row(`%pm${index}`, '.u32', at('1.3'), 0)),
  ...family(4, (index) => row(`%pm${index + 4}`, '.u32', at('3.0', 20), 0)),
  ...family(8, (index) => row(`%pm${index}_64`, '.u64', at('4.0', 50), 0)),
  ...family(32, (index) =>
    index === 2
      ? row('%envreg2', '.b32', always, 'gridWorkspace', { grant: 'grid workspace' })
      : row(`%envreg${index}`, '.b32', always, 0),
  ),
  row('%globaltimer', '.u64', at('3.1', 30), 'timer'),
  row('%globaltimer_lo', '.u32', at('3.1', 30), 'timer'),
  row('%globaltimer_hi', '.u32', at('3.1', 30), 'timerHigh'),
  row('%reserved_smem_offset_begin', '.b32', at('7.6', 80), 0, reserved),
  row('%reserved_smem_offset_end', '.b32', at('7.6', 80), reservedSharedBytes, reserved),
  row('%reserved_smem_offset_cap', '.b32', at('7.6', 80), reservedSharedBytes, reserved),
  // The actual offsets of `%reserved_smem_offset_0` and `_1` are known only to the driver. Cooperative groups use the
  // area at `%reserved_smem_offset_1`.
  row('%reserved_smem_offset_0', '.b32', at('7.6', 80), 0, reserved),
  row('%reserved_smem_offset_1', '.b32', at('7.6', 80), 128, reserved),
  row('%total_smem_size', '.u32', at('4.1', 20), 'sharedBytes'),
  row('%aggr_smem_size', '.u32', at('8.1', 90), 'allSharedBytes'),
  row('%dynamic_smem_size', '.u32', at('4.1', 20), 'dynamicSharedBytes'),
  row('%current_graph_exec', '.u64', at('8.0', 50), 0),
  // If the driver does not provide memory for each block, the size of this memory is 0.
  row('%perctamemoryoffset', '.u64', at('9.4', 80), 0),
  row('%perctamemorysize', '.u32', at('9.4', 80), 0),
];

/** How widely the value of a part of a register is shared between threads; `part` is 0 for a register without parts. */
export function samenessOf({ value }: SpecialRegister, part: number): Sameness {
  if (typeof value === 'number') return 'grid';
  const same = samenesses[value];
  return typeof same === 'string' ? same : (same[part] ?? 'grid');
}
