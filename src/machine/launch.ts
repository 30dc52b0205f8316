/** The shape of a launch and its limits (those of CUDA, which PTX inherits from its devices). */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { type Dim3, type MachineFault, machineFault } from './fault.ts';

export interface LaunchShape {
  /** Blocks in x, y, z. */
  readonly grid: Dim3;
  /** Threads of a block in x, y, z. */
  readonly block: Dim3;
  /** Dynamic shared memory of a block in bytes. */
  readonly sharedBytes: number;
  /** Address of the workspace for grid-wide synchronisation; 0 if the launch is not cooperative. */
  readonly gridWorkspace: number;
}

export interface LaunchLimits {
  /** Thread-instructions after which a launch is ended. */
  readonly budget: number;
  /** Seconds after which a launch is ended. */
  readonly seconds: number;
  /** When it began, by `clock`. */
  readonly begun: number;
  readonly signal: AbortSignal | null;
}

export interface LaunchStats {
  readonly threads: number;
  /** Executed thread-instructions whose guard was true, without `ret`. */
  readonly instructions: number;
  readonly milliseconds: number;
}

export const warpSize = 32;

/** Most worker threads for a launch. */
export const mostWorkers = 64;

const gridLimits: Dim3 = [2 ** 31 - 1, 65_535, 65_535];
const blockLimits: Dim3 = [1024, 1024, 64];
export const threadLimit = 1024;
/** Most shared memory per block: 227 KiB, the maximum of all devices so far. */
export const sharedLimit: number = 227 * 1024;

const axes = ['x', 'y', 'z'] as const;

/** @throws PtxlabError `bad-launch` for extents that no device accepts */
export function checkShape(shape: LaunchShape, staticShared: number, stackBytes: number): void {
  checkExtent('grid', shape.grid, gridLimits);
  checkExtent('block', shape.block, blockLimits);
  const threads = threadsOf(shape);
  if (threads > threadLimit) throw badLaunch(`a block has ${threads} threads; at most ${threadLimit}`);
  if (!isCount(shape.sharedBytes)) throw badLaunch(`${shape.sharedBytes} bytes of dynamic shared memory`);
  const shared = shape.sharedBytes + staticShared;
  if (stackBytes > localLimit)
    throw badLaunch(`${stackBytes} bytes of local memory for a thread; at most ${localLimit}`);
  if (shared > sharedLimit) throw badLaunch(`${shared} bytes of shared memory for a block; at most ${sharedLimit}`);
}

/** Most local memory per thread: 512 KiB, as on every device so far. */
const localLimit = 512 * 1024;

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

/** @throws PtxlabError `bad-launch` for an invalid number */
export function checkWorkers(workers: number): void {
  if (isCount(workers) && workers <= mostWorkers) return;
  throw badLaunch(`${workers} workers; there can be 0 to ${mostWorkers}`);
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

/** The index of a linear number in an extent, x fastest. */
export function indexOf(linear: number, extent: Dim3): Dim3 {
  const [x, y] = extent;
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))];
}

export function overBudget(budget: number): MachineFault {
  return machineFault('PTX6020', { budget: String(budget) });
}

/** Milliseconds since a moment that is the same for all threads. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}

type Limits = Pick<LaunchLimits, 'seconds' | 'begun'> & Partial<Pick<LaunchLimits, 'signal'>>;

/** Throws if the caller has ended the launch, or its time is over. */
export function checkTime({ seconds, begun, signal }: Limits): void {
  if (signal?.aborted === true) throw machineFault('PTX6022', {});
  if (clock() - begun > seconds * 1000) throw machineFault('PTX6021', { seconds: String(seconds) });
}
