/**
 * Lets launches and conversions take turns on the worker threads of the process. Otherwise, concurrent launches and
 * conversions would each start threads of their own.
 */
import type { StartingThreads, WorkerHost } from './worker-host.ts';

/** Maximum number of threads per processor. With more threads, not all of them could run at the same time. */
export const threadsPerProcessor = 2;

const turns = new WeakMap<WorkerHost, Turns>();

/** Threads that nobody else uses until they are released. They may still be starting. */
export interface BorrowedThreads extends StartingThreads {
  readonly release: () => void;
}

/** Waits until this number of threads is free, and starts those that are not running yet. */
export async function borrowThreads(host: WorkerHost, threads: number): Promise<BorrowedThreads> {
  const known = turns.get(host) ?? new Turns(threadsPerProcessor * host.processors);
  turns.set(host, known);
  const release = await known.take(threads);
  try {
    return { ...(await host.start(threads)), release };
  } catch (error) {
    release();
    throw error;
  }
}

export class Turns {
  private readonly capacity: number;
  private taken = 0;
  private readonly waiting: { readonly threads: number; readonly start: () => void }[] = [];

  /**
   * @param capacity - the number of threads that may be busy at once. A request for more threads than `capacity` runs
   *   alone.
   */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /**
   * Waits until this number of threads is free; requests are served in the order in which they arrive. Returns a
   * function that releases the threads.
   */
  async take(threads: number): Promise<() => void> {
    if (this.waiting.length > 0 || !this.fits(threads))
      await new Promise<void>((resolve) => {
        this.waiting.push({ threads, start: resolve });
      });
    else this.taken += threads;
    return () => this.giveBack(threads);
  }

  private fits(threads: number): boolean {
    return this.taken === 0 || this.taken + threads <= this.capacity;
  }

  private giveBack(threads: number): void {
    this.taken -= threads;
    for (let next = this.waiting[0]; next !== undefined && this.fits(next.threads); next = this.waiting[0]) {
      this.waiting.shift();
      this.taken += next.threads;
      next.start();
    }
  }
}
