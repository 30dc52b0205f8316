/**
 * The frames of a block, which contain the state that its threads keep between regions. They consist of consecutive
 * arrays, each of which has one element for each thread. Offsets are relative to the start of the block's frames.
 */

import { alignTo16 } from '../layout.ts';
import { warpSize } from '../../machine/launch.ts';

/**
 * Number of unused bytes between arrays. Without these gaps, the distances between arrays could be multiples of the
 * page size, and the arrays would evict each other from the cache.
 */
const gap = 64;

/**
 * An array with one element for each thread. It holds the values that the threads send when they stop, or the results
 * that they receive when they continue.
 */
export interface Carrier {
  readonly type: 'i32' | 'i64';
  readonly array: number;
}

export class FrameLayout {
  private readonly threads: number;
  private end = 0;
  private isClosed = false;
  /** The state word of each thread (layout.ts). This is the first array. */
  readonly state: number;
  /** The array that holds, for each thread, the mask of the group in which the thread is waiting. */
  readonly mask: number;
  private readonly rooms: { readonly offset: number; readonly size: number }[] = [];
  private readonly carriers = new Map<string, Carrier>();
  private readonly overflowing: number[] = [];
  /**
   * An array with one element for each thread. The element becomes nonzero when the thread runs alone. It becomes zero
   * again when the four threads of its group are found to be in the same state (simd/four-function.ts).
   */
  readonly alone: number;
  /**
   * Both arrays contain one address for each thread. In `base`, it is the address in the thread's local memory at which
   * the activation of the current function begins. In `depth`, it is the address at which the next entry of the
   * thread's call stack will be stored.
   */
  readonly base: number;
  readonly depth: number;

  /** @param threads maximum number of threads in one block */
  constructor(threads: number) {
    // The number of threads is rounded up to whole warps, because code reads the elements of all lanes of a warp at
    // once.
    this.threads = (threads + warpSize - 1) & -warpSize;
    this.state = this.array(4);
    this.mask = this.array(4);
    this.alone = this.array(4);
    this.base = this.array(4);
    this.depth = this.array(4);
  }

  /**
   * Finalizes the layout and returns the total size of all arrays in bytes. Code that is compiled later can use only
   * these arrays.
   */
  close(): number {
    this.isClosed = true;
    return this.end;
  }

  /** Reserves bytes at the end of the frames and returns their offset, which is a multiple of 16. */
  private take(bytes: number): number {
    if (this.isClosed) throw new Error('the size of the frames is already fixed');
    const offset = this.end;
    this.end += alignTo16(bytes);
    return offset;
  }

  /**
   * Returns arrays for the values that threads send or receive at a stop, given the widths of the values. All stops
   * share these arrays.
   */
  carry(what: 'sends' | 'receives', widths: readonly number[]): readonly Carrier[] {
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

  /**
   * Returns the offset of an area of `bytes` bytes for temporary data. Only one warp may use the area at a time.
   * Different callers may receive the same area.
   */
  room(bytes: number): number {
    const known = this.rooms.find(({ size }) => size >= bytes);
    if (known !== undefined) return known.offset;
    const made = { offset: this.take(bytes + gap), size: bytes };
    this.rooms.push(made);
    return made.offset;
  }

  /**
   * Returns the offset of an 8-byte slot for a register that has no local. All threads use the same slot, one after the
   * other. Returns null if the slot was not reserved before the layout was finalized.
   */
  overflow(index: number): number | null {
    while (this.overflowing.length <= index && !this.isClosed) this.overflowing.push(this.take(8));
    return this.overflowing[index] ?? null;
  }

  /** Adds an array of 4-byte or 8-byte elements and returns its offset. */
  array(bytes: 4 | 8): number {
    return this.take(bytes * this.threads + gap);
  }
}
