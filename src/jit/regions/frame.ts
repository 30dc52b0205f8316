/**
 * What the threads of a block keep between regions: consecutive arrays with an element for each thread. Offsets are
 * from the start of the block's frames.
 */

import { warpSize } from '../../machine/launch.ts';

/** Avoids array distances of a whole number of pages, where arrays would evict each other from the cache. */
const gap = 64;

/** An array with a value for each thread. */
export interface Carrier {
  readonly type: 'i32' | 'i64';
  readonly array: number;
}

export class FrameLayout {
  private readonly threads: number;
  private end = 0;
  /** State of each thread (layout.ts). This is the first array. */
  readonly state: number;
  /** Masks of the groups that threads wait in. */
  readonly mask: number;
  private readonly carriers = new Map<string, Carrier>();
  /**
   * Nonzero for a thread that has continued alone since its group of four was last known to agree
   * (simd/four-function.ts).
   */
  readonly alone: number;
  /** Where the thread's activation begins in its local memory, and where the next open call is stored. */
  readonly base: number;
  readonly depth: number;

  /** @param threads the largest number of threads of a block */
  constructor(threads: number) {
    // Rounded up to whole warps, because all lanes of a warp are read at once.
    this.threads = (threads + warpSize - 1) & -warpSize;
    this.state = this.array(4);
    this.mask = this.array(4);
    this.alone = this.array(4);
    this.base = this.array(4);
    this.depth = this.array(4);
  }

  /** Bytes of all arrays. */
  get size(): number {
    return this.end;
  }

  /** Arrays of these widths for values that threads bring to a stop or receive there; all stops share them. */
  carry(what: 'brings' | 'gets', widths: readonly number[]): readonly Carrier[] {
    return widths.map((width, i) => {
      const type = width > 32 ? 'i64' : 'i32';
      const key = `${what} ${i} ${type}`;
      const known = this.carriers.get(key);
      if (known !== undefined) return known;
      const made = { type, array: this.array(width > 32 ? 8 : 4) } as const;
      this.carriers.set(key, made);
      return made;
    });
  }

  /** A new array of elements of 4 or 8 bytes. */
  array(bytes: 4 | 8): number {
    const offset = this.end;
    this.end += ((bytes * this.threads + 15) & ~15) + gap;
    return offset;
  }
}
