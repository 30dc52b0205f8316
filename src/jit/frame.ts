/**
 * What the threads of a block keep between regions: arrays with an element for each thread, one behind the other. Offsets
 * are from the start of the block's frames.
 */

/** Keeps arrays from lying a whole number of pages apart, where they would push each other out of the cache. */
const gap = 64;

export class FrameLayout {
  private readonly threads: number;
  private end = 0;
  /** State of each thread: layout.ts. The first array of all. */
  readonly state: number;
  /** What threads bring to a stop, as words: values and counts; the high word of a first value of 64 bits; the mask. */
  readonly offers: readonly number[];
  readonly offerHigh: number;
  readonly mask: number;
  /** What they get there, as words. */
  readonly results: readonly number[];
  /** Not 0 for a thread that has gone on by itself since its four were last seen to agree (simd/four-function.ts). */
  readonly alone: number;
  /** Where the thread's activation begins in its local memory, and where the next open call is kept. */
  readonly base: number;
  readonly depth: number;

  /** @param threads the most that a block can have */
  constructor(threads: number) {
    this.threads = threads;
    this.state = this.array(4);
    this.offers = [this.array(4), this.array(4), this.array(4)];
    this.offerHigh = this.array(4);
    this.mask = this.array(4);
    this.results = [this.array(4), this.array(4)];
    this.alone = this.array(4);
    this.base = this.array(4);
    this.depth = this.array(4);
  }

  /** Bytes of all arrays. */
  get size(): number {
    return this.end;
  }

  /** A new array of elements of 4 or 8 bytes. */
  array(bytes: 4 | 8): number {
    const offset = this.end;
    this.end += ((bytes * this.threads + 15) & ~15) + gap;
    return offset;
  }
}
