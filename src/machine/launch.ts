/** The shape of a launch, and its limits, which are the same as on CUDA devices. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { threadLimit } from '../isa/sm-limits.ts';
import { blocksPerCluster, type Dim3, type Extents, threadsOf } from './extents.ts';

export interface LaunchShape extends Extents {
  /** Dynamic shared memory per block, in bytes. */
  readonly sharedBytes: number;
  /** Whether the kernel or the launch specifies a cluster size. This is also true if that size is one block. */
  readonly hasClusters: boolean;
  /** Address of the workspace for grid-wide synchronization; 0 if the launch is not cooperative. */
  readonly gridWorkspace: number;
}

export interface LaunchLimits {
  /** Number of instructions, summed over all threads, after which a launch is stopped. */
  readonly budget: number;
  /** Number of seconds after which a launch is stopped. */
  readonly seconds: number;
  /** The time when the launch began, as returned by `clock`. */
  readonly begun: number;
  readonly signal: AbortSignal | null;
}

export interface LaunchStats {
  readonly threads: number;
  /**
   * Number of instructions that all threads together have executed, not counting those that were skipped because of
   * their guards. `ret` is not counted, either.
   */
  readonly instructions: number;
  readonly milliseconds: number;
  /**
   * Number of matrix products (one per instruction and warp) that the fast engine computed term by term because its
   * SIMD code does not support them: sparse and block-scaled products, products with infinities or NaNs, and products
   * with subnormal results.
   */
  readonly slowTiles: number;
}

export const warpSize = 32;

/** Maximum number of worker threads for a launch. */
export const mostWorkers = 64;

const gridLimits: Dim3 = [2 ** 31 - 1, 65_535, 65_535];
const blockLimits: Dim3 = [1024, 1024, 64];
/**
 * Maximum number of blocks in a cluster. On real devices, programs must explicitly allow clusters of more than 8
 * blocks.
 */
export const clusterLimit = 16;
/** Maximum shared memory per block: 227 KiB, which is the highest limit of any existing device. */
export const sharedLimit: number = 227 * 1024;

const axes = ['x', 'y', 'z'] as const;

/** @throws PtxlabError `bad-launch` if no device accepts a launch of this shape */
export function checkShape(shape: LaunchShape, staticShared: number, stackBytes: number): void {
  checkExtent('grid', shape.grid, gridLimits);
  checkExtent('block', shape.block, blockLimits);
  checkCluster(shape);
  const threads = threadsOf(shape);
  if (threads > threadLimit) throw badLaunch(`a block has ${threads} threads; the limit is ${threadLimit}`);
  if (!isCount(shape.sharedBytes))
    throw badLaunch(
      `the size of dynamic shared memory is ${shape.sharedBytes} bytes; it must be a non-negative integer`,
    );
  const shared = shape.sharedBytes + staticShared;
  if (stackBytes > localLimit)
    throw badLaunch(`a thread needs ${stackBytes} bytes of local memory; the limit is ${localLimit}`);
  if (shared > sharedLimit)
    throw badLaunch(`a block needs ${shared} bytes of shared memory; the limit is ${sharedLimit}`);
}

/** Maximum local memory per thread: 512 KiB, as on all existing devices. */
const localLimit = 512 * 1024;

function checkCluster({ grid, cluster }: LaunchShape): void {
  checkExtent('cluster', cluster, [clusterLimit, clusterLimit, clusterLimit]);
  const blocks = blocksPerCluster({ cluster });
  if (blocks > clusterLimit) throw badLaunch(`a cluster has ${blocks} blocks; the limit is ${clusterLimit}`);
  if (grid.every((extent, i) => extent % elementAt(cluster, i) === 0)) return;
  throw badLaunch(`a grid of ${grid.join(' x ')} blocks cannot be divided into clusters of ${cluster.join(' x ')}`);
}

function checkExtent(what: string, extent: Dim3, limits: Dim3): void {
  axes.forEach((axis, i) => {
    const found = elementAt(extent, i);
    const most = elementAt(limits, i);
    if (!isCount(found) || found < 1 || found > most)
      throw badLaunch(`${what}.${axis} is ${found}; it must be 1 to ${most}`);
  });
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function badLaunch(message: string): PtxlabError {
  return new PtxlabError('bad-launch', message);
}
