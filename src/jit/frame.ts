/**
 * What the threads of a block keep between regions: arrays with an element for each thread, one behind the other. Offsets
 * are from the start of the block's frames.
 */

import { warpSize } from '../machine/launch.ts';

/** Keeps arrays from lying a whole number of pages apart, where they would push each other out of the cache. */
const gap = 64;

/** An array with a value for each thread. */
export interface Carrier {
  readonly type: 'i32' | 'i64';
  readonly array: number;
}

export class FrameLayout {
  private readonly threads: number;
  private end = 0;
  /** State of each thread: layout.ts. The first array of all. */
  readonly state: number;
  /** Masks of the groups that threads wait with. */
  readonly mask: number;
  private readonly carriers = new Map<string, Carrier>();
  /** Not 0 for a thread that has gone on by itself since its four were last seen to agree (simd/four-function.ts). */
  readonly alone: number;
  /** Where the thread's activation begins in its local memory, and where the next open call is kept. */
  readonly base: number;
  readonly depth: number;

  /** @param threads the most that a block can have */
  constructor(threads: number) {
    // Whole warps, as all lanes of one are looked at at once.
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

  /** Arrays for values of those widths that threads bring to a stop, or get there: the same ones for each stop. */
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
