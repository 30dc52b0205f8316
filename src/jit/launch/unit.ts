/** Threads of a block that are handled together. */
import { warpSize } from '../../machine/launch.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';

/** A range of threads that are handled together while they are in lockstep. */
export interface Unit {
  readonly first: number;
  readonly behind: number;
  /**
   * Either the region in which all threads of the unit continue, or another outcome of the last run: all threads have
   * ended, all threads wait at the same stop, or each thread has its own state.
   */
  at: number;
}

/**
 * Number of threads in a unit: a warp if warps must converge independently of each other, otherwise the whole block.
 */
export function unitSize({ inWarps }: CompiledKernel, threads: number): number {
  return inWarps ? warpSize : threads;
}
