/**
 * Keeps track of which threads of a block are waiting at which named barrier, and decides when they continue. Barriers
 * are numbered, and threads that specify the same number meet at the same barrier. A barrier without a count waits for
 * every thread that has not exited.
 */
import type { BarrierReduction } from '../isa/steps/group.ts';
import { machineFault } from './fault.ts';
import { warpSize } from './launch.ts';
import { type Waiter, whereThreadsWait } from './waiting.ts';

export const barrierCount = 16;

/** A thread that arrives at a barrier. */
export interface Arrival extends Waiter {
  readonly barrier: number;
  /**
   * True if the threads of a warpgroup meet without specifying a barrier; `barrier` is then the number of the
   * warpgroup.
   */
  readonly internal: boolean;
  /** Number of threads to wait for; null for all that have not exited. */
  readonly count: number | null;
  /** False if the thread only signals its arrival (`barrier.arrive`) and does not wait. */
  readonly waits: boolean;
  /** The predicate that the thread contributes to a reduction. */
  readonly predicate: boolean;
}

/** The number that identifies a barrier within its block. The barriers of warpgroups follow the named barriers. */
export function barrierNumber(named: number, internal: boolean): number {
  return internal ? barrierCount + named : named;
}

/** The saved state of a block's barriers. */
export interface BarriersState {
  /** Number of the block's threads that have not exited. */
  readonly live: number;
  /** Barriers at which at least one thread has arrived. */
  readonly open: readonly BarrierState[];
}

interface BarrierState {
  readonly number: number;
  readonly waiting: readonly Waiter[];
  readonly signals: readonly number[];
  readonly gone: number;
  readonly come: number;
  readonly holding: number;
  readonly count: number | null;
}

/** A barrier that opened. */
export interface Opened {
  /** See `barrierNumber`. */
  readonly number: number;
  /** Whether the barrier waited for all threads of the block that have not exited. */
  readonly isWhole: boolean;
  /** Threads that may continue. */
  readonly threads: readonly number[];
  /**
   * `come` is the number of threads that have arrived. `holding` is the number of these threads whose predicate is
   * true.
   */
  readonly come: number;
  readonly holding: number;
}

interface Barrier {
  readonly number: number;
  readonly waiting: Waiter[];
  /** Threads that have signaled their arrival and do not wait. */
  readonly signals: number[];
  /** Number of threads that have exited since they signaled their arrival. */
  gone: number;
  come: number;
  holding: number;
  readonly count: number | null;
}

export class Barriers {
  private readonly barriers = new Map<number, Barrier>();
  private readonly threads: number;
  private live: number;

  /** @param threads number of threads in the block */
  constructor(threads: number) {
    this.threads = threads;
    this.live = threads;
  }

  /** Records that a thread has arrived. Returns the barrier if it opens because of this arrival. */
  arrive({ thread, line, barrier: named, internal, count: given, waits, predicate }: Arrival): Opened | null {
    if (!internal) checkArguments(named, given);
    const number = barrierNumber(named, internal);
    // If the count equals the number of threads in the block, rounded up to whole warps, the barrier waits for all
    // threads, as if no count were given.
    const count = given === Math.ceil(this.threads / warpSize) * warpSize ? null : given;
    const barrier = this.barriers.get(number) ?? {
      number,
      waiting: [],
      signals: [],
      gone: 0,
      come: 0,
      holding: 0,
      count,
    };
    if (barrier.count !== count) {
      const what = `threads at ${nameOf(number)} give different thread counts: ${barrier.count ?? 'all'} and ${count ?? 'all'}`;
      throw machineFault('PTX6011', { what });
    }
    if (waits) barrier.waiting.push({ thread, line });
    else barrier.signals.push(thread);
    barrier.come++;
    if (predicate) barrier.holding++;
    this.barriers.set(number, barrier);
    return this.open(number);
  }

  /** Records that a thread has exited. Returns the barriers that open because they no longer wait for this thread. */
  exit(thread: number): readonly Opened[] {
    this.live--;
    for (const barrier of this.barriers.values()) if (barrier.signals.includes(thread)) barrier.gone++;
    if (this.barriers.size === 0) return [];
    return [...this.barriers.keys()].flatMap((number) => this.open(number) ?? []);
  }

  give(): BarriersState {
    const open = [...this.barriers.values()].map(copyOf);
    return { live: this.live, open };
  }

  take({ live, open }: BarriersState): void {
    this.live = live;
    this.barriers.clear();
    for (const barrier of open) this.barriers.set(barrier.number, copyOf(barrier));
  }

  /** Describes which threads are waiting at which barrier; empty if no thread is waiting. */
  describe(): string {
    return [...this.barriers]
      .map(([number, { come, gone, count, waiting }]) => {
        const where = waiting.length === 0 ? '' : ` (${whereThreadsWait(waiting)})`;
        return `${come} of ${count ?? this.live + gone} at ${nameOf(number)}${where}`;
      })
      .join(', ');
  }

  private open(number: number): Opened | null {
    const barrier = this.barriers.get(number);
    if (barrier === undefined || barrier.come < (barrier.count ?? this.live + barrier.gone)) return null;
    this.barriers.delete(number);
    const { waiting, come, holding, count } = barrier;
    return { number, isWhole: count === null, threads: waiting.map(({ thread }) => thread), come, holding };
  }
}

function copyOf(barrier: BarrierState): Barrier {
  return { ...barrier, waiting: barrier.waiting.slice(), signals: barrier.signals.slice() };
}

/** The result of a reduction, which is returned to the threads that were waiting for it. */
export function reduced(reduction: BarrierReduction, { come, holding }: Opened): number {
  if (reduction === 'popc') return holding;
  return (reduction === 'and' ? holding === come : holding > 0) ? 1 : 0;
}

function nameOf(number: number): string {
  return number < barrierCount ? `barrier ${number}` : `the end of products of warpgroup ${number - barrierCount}`;
}

function checkArguments(number: number, count: number | null): void {
  if (number >= barrierCount) {
    throw machineFault('PTX6011', { what: `barrier ${number}; there are barriers 0 to ${barrierCount - 1}` });
  }
  if (count !== null && (count === 0 || count % warpSize !== 0)) {
    throw machineFault('PTX6011', {
      what: `barrier ${number} for ${count} threads; a count must be a multiple of ${warpSize}`,
    });
  }
}
