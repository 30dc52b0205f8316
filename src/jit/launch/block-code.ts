/** The interface through which a block runner calls compiled code. */
import type { CompiledKernel } from '../compiled-kernel.ts';

/**
 * The compiled code and the memory of one block, in the form that the block runner uses. If each unit of threads is a
 * warp, `members` is a set of lanes of that warp.
 */
export interface BlockCode {
  readonly compiled: CompiledKernel;
  readonly threads: number;
  /** Runs threads from the beginning of a region. Returns an outcome. */
  readonly run: (region: number, first: number, behind: number, members: number) => number;
  /** Runs threads of a warp that have diverged. Returns bits of `advanced`. */
  readonly advance: (first: number, behind: number) => number;
  /** Delivers results to the members of a warp that are waiting in the same group, and lets them continue. */
  readonly complete: (first: number, members: number) => void;
  /**
   * Returns a view of the frames as words. After other blocks have run, the caller must get a new view, because the
   * memory may have grown.
   */
  readonly words: () => Int32Array;
  /** The regions to which a thread's open calls return, beginning with the outermost call. */
  readonly openCalls: (thread: number) => readonly number[];
  /** Whether other blocks should run now, because this block may be waiting for them. */
  readonly isTurnOver: () => boolean;
  /** Throws if the launch was aborted or its time is up. */
  readonly look: () => void;
  /** Sets the thread and line that are reported if a fault occurs from now on. */
  readonly blame: (thread: number, line: number) => void;
}
