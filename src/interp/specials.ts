/** Reads special registers (PTX ISA 9.1, chapter 10). */
import type { Bits } from '../base/bits.ts';
import { chop } from '../base/bits.ts';
import { type LaunchValue, reservedSharedBytes } from '../isa/registers.ts';
import { startOfRank } from '../isa/spaces.ts';
import { blocksPerCluster, threadsOf } from '../machine/extents.ts';
import { type LaunchShape, warpSize } from '../machine/launch.ts';
import type { SpecialRead } from '../program/function-program.ts';
import type { Cpu } from './thread.ts';

/** Facts that are the same for all threads of a launch. */
export interface LaunchFacts {
  readonly shape: LaunchShape;
  /** Shared memory of a block, not counting the part reserved for the system. */
  readonly sharedBytes: number;
}

/**
 * Returns a function that reads a special register for the running thread, and truncates its value to the width that
 * the instruction reads.
 */
export function specialReader({ register, part, width }: SpecialRead, cpu: Cpu, facts: LaunchFacts): () => Bits {
  const { value } = register;
  if (typeof value === 'number') return () => chop(value, width);
  const read = readers[value](cpu, facts, part);
  return () => chop(read(), width);
}

type Reader = (cpu: Cpu, facts: LaunchFacts, part: number) => () => Bits;

/**
 * A 32-bit lane mask. `made` computes this mask from another mask, in which only the bit of the thread's own lane is
 * set.
 */
function mask(made: (own: number) => number): Reader {
  return (cpu) => () => made(2 ** laneOf(cpu));
}

function laneOf({ thread }: Cpu): number {
  return thread.linear % warpSize;
}

const allLanes = 2 ** warpSize - 1;

/** A value that is constant for the whole launch. */
function fixed(of: (facts: LaunchFacts, part: number) => number): Reader {
  return (_cpu, facts, part) => {
    const value = of(facts, part);
    return () => value;
  };
}

/** A value that depends on the block's index and the extent of clusters in one dimension. */
function byCluster(of: (block: number, cluster: number) => number): Reader {
  return (cpu, { shape }, part) => {
    const extent = shape.cluster[part] ?? 1;
    return () => of(cpu.block.index[part] ?? 0, extent);
  };
}

const readers: Readonly<Record<LaunchValue, Reader>> = {
  threadIndex: (cpu, _facts, part) => () => cpu.thread.index[part] ?? 0,
  blockSize: fixed(({ shape }, part) => shape.block[part] ?? 1),
  blockIndex: (cpu, _facts, part) => () => cpu.block.index[part] ?? 0,
  gridSize: fixed(({ shape }, part) => shape.grid[part] ?? 1),
  lane: (cpu) => () => laneOf(cpu),
  warp: (cpu) => () => Math.floor(cpu.thread.linear / warpSize),
  lanesEqual: mask((own) => own),
  lanesLess: mask((own) => own - 1),
  lanesUpTo: mask((own) => 2 * own - 1),
  lanesGreater: mask((own) => allLanes - (2 * own - 1)),
  lanesFrom: mask((own) => allLanes - (own - 1)),
  // The clock counts executed instructions, so it never goes backwards and is the same in every run.
  clock: (cpu) => () => BigInt(cpu.executed),
  clockHigh: (cpu) => () => BigInt(cpu.executed) >> 32n,
  timer: (cpu) => () => nanoseconds(cpu),
  timerHigh: (cpu) => () => nanoseconds(cpu) >> 32n,
  sharedBytes: fixed(({ sharedBytes }) => sharedBytes),
  allSharedBytes: fixed(({ sharedBytes }) => sharedBytes + reservedSharedBytes),
  dynamicSharedBytes: fixed(({ shape }) => shape.sharedBytes),
  hasClusters: fixed(({ shape }) => (shape.hasClusters ? 1 : 0)),
  clusterIndex: byCluster((block, cluster) => Math.floor(block / cluster)),
  gridClusters: fixed(({ shape }, part) => (shape.grid[part] ?? 1) / (shape.cluster[part] ?? 1)),
  indexInCluster: byCluster((block, cluster) => block % cluster),
  clusterSize: fixed(({ shape }, part) => shape.cluster[part] ?? 1),
  rankInCluster: (cpu, { shape }) => {
    const size = blocksPerCluster(shape);
    return () => cpu.block.number % size;
  },
  startInCluster: (cpu, { shape }) => {
    const size = blocksPerCluster(shape);
    return () => startOfRank(cpu.block.number % size);
  },
  blocksPerCluster: fixed(({ shape }) => blocksPerCluster(shape)),
  threadsPerCluster: fixed(({ shape }) => blocksPerCluster(shape) * threadsOf(shape)),
  gridWorkspace: fixed(({ shape }) => shape.gridWorkspace),
};

function nanoseconds({ timer, executed }: Cpu): bigint {
  return BigInt(timer + executed);
}
