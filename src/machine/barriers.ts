/**
 * Named barriers of one block: who waits where, and when they go on. Barriers match by number; a barrier without a count
 * waits for every thread that has not exited.
 */
import { machineFault } from './fault.ts';
import { warpSize } from './launch.ts';

export const barrierCount = 16;

interface Barrier {
  readonly waiting: number[];
  /** Threads to wait for; null for all that are left. */
  count: number | null;
}

export class Barriers {
  private readonly barriers = new Map<number, Barrier>();
  private live: number;

  /** @param threads threads of the block */
  constructor(threads: number) {
    this.live = threads;
  }

  /** A thread has come to a barrier; returns the threads that may go on, the one that came included, or none yet. */
  arrive(thread: number, number: number, count: number | null): readonly number[] {
    checkArguments(number, count);
    const barrier = this.barriers.get(number) ?? { waiting: [], count };
    if (barrier.count !== count) {
      const what = `threads at barrier ${number} give different thread counts: ${barrier.count ?? 'all'} and ${count ?? 'all'}`;
      throw machineFault('PTX6011', { what });
    }
    barrier.waiting.push(thread);
    this.barriers.set(number, barrier);
    return this.open(number);
  }

  /** A thread has exited; returns the threads that this lets go on. */
  exit(): readonly number[] {
    this.live--;
    return [...this.barriers.keys()].flatMap((number) => this.open(number));
  }

  /** Who waits where, in words. */
  describe(): string {
    const words = [...this.barriers].map(
      ([number, { waiting, count }]) => `${waiting.length} of ${count ?? this.live} at barrier ${number}`,
    );
    return words.length === 0 ? 'nowhere' : words.join(', ');
  }

  private open(number: number): readonly number[] {
    const barrier = this.barriers.get(number);
    if (barrier === undefined || barrier.waiting.length < (barrier.count ?? this.live)) return [];
    this.barriers.delete(number);
    return barrier.waiting;
  }
}

function checkArguments(number: number, count: number | null): void {
  if (number >= barrierCount) {
    throw machineFault('PTX6011', { what: `barrier ${number}; there are barriers 0 to ${barrierCount - 1}` });
  }
  if (count !== null && (count === 0 || count % warpSize !== 0)) {
    throw machineFault('PTX6011', {
      what: `barrier ${number} for ${count} threads; a count is a multiple of ${warpSize}`,
    });
  }
}
