/** The shape of a launch, and its limits, which are the same as on CUDA devices. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { type Dim3, type MachineFault, machineFault } from './fault.ts';

export interface LaunchShape {
  /** Number of blocks in x, y, z. */
  readonly grid: Dim3;
  /** Number of threads per block in x, y, z. */
  readonly block: Dim3;
  /** Dynamic shared memory per block, in bytes. */
  readonly sharedBytes: number;
  /**
   * Number of blocks per cluster in x, y, z. In each dimension, the number of blocks in the grid must be a multiple of
   * the number of blocks in a cluster.
   */
  readonly cluster: Dim3;
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
export const threadLimit = 1024;
/**
 * Maximum number of blocks in a cluster. On real devices, programs must explicitly allow clusters of more than 8
 * blocks.
 */
export const clusterLimit = 16;
/** Maximum shared memory per block: 227 KiB, which is the greatest limit of any existing device. */
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
  const blocks = cluster[0] * cluster[1] * cluster[2];
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

export function threadsOf({ block }: LaunchShape): number {
  return block[0] * block[1] * block[2];
}

export function blocksOf({ grid }: LaunchShape): number {
  return grid[0] * grid[1] * grid[2];
}

export function blocksPerCluster({ cluster }: LaunchShape): number {
  return cluster[0] * cluster[1] * cluster[2];
}

/** Whether two blocks, given by their numbers, belong to the same cluster of `size` blocks. */
export function sameCluster(a: number, b: number, size: number): boolean {
  return Math.floor(a / size) === Math.floor(b / size);
}

/**
 * Returns the 3D index of a block in the grid, given its number. All blocks of a cluster have consecutive numbers,
 * because they run together. If clusters have only one block, x varies fastest.
 */
export function blockIndexOf(number: number, shape: LaunchShape): Dim3 {
  const { grid, cluster } = shape;
  const size = blocksPerCluster(shape);
  const clusters: Dim3 = [grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]];
  const at = indexOf(Math.floor(number / size), clusters);
  const inside = indexOf(number % size, cluster);
  return [at[0] * cluster[0] + inside[0], at[1] * cluster[1] + inside[1], at[2] * cluster[2] + inside[2]];
}

/** Returns the number of a block, given its index in the grid. */
export function blockNumberOf([x, y, z]: Dim3, shape: LaunchShape): number {
  const { grid, cluster } = shape;
  const [clustersX, clustersY] = [grid[0] / cluster[0], grid[1] / cluster[1]];
  const [cx, cy, cz] = [Math.floor(x / cluster[0]), Math.floor(y / cluster[1]), Math.floor(z / cluster[2])];
  const rank = (x % cluster[0]) + cluster[0] * ((y % cluster[1]) + cluster[1] * (z % cluster[2]));
  return blocksPerCluster(shape) * (cx + clustersX * (cy + clustersY * cz)) + rank;
}

/** Converts a linear index to a 3D index in a grid or block of the given size; x varies fastest. */
export function indexOf(linear: number, extent: Dim3): Dim3 {
  const [x, y] = extent;
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))];
}

export function overBudget(budget: number): MachineFault {
  return machineFault('PTX6020', { budget: String(budget) });
}

/** Milliseconds since a fixed point in time, which is the same for all host threads. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}

type Limits = Pick<LaunchLimits, 'seconds' | 'begun'> & Partial<Pick<LaunchLimits, 'signal'>>;

/** Throws if the caller has aborted the launch or its time is up. */
export function checkTime({ seconds, begun, signal }: Limits): void {
  if (signal?.aborted === true) throw machineFault('PTX6022', {});
  if (clock() - begun > seconds * 1000) throw machineFault('PTX6021', { seconds: String(seconds) });
}
