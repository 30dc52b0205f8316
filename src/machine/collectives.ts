/**
 * Tracks which threads of a warp have arrived at an instruction that they execute together, and determines when they
 * continue. Threads form a group if they execute the same operation with the same member mask, even if the instructions
 * are in different places in the program. If the instruction has no mask, the threads that have arrived at it form a
 * group as soon as all threads of the warp have arrived, or no other thread of the block can make progress. A thread
 * cannot make progress if it cannot run, or if it is only waiting for memory to change. If the results of an
 * instruction show which threads take part, as with `activemask`, threads that have called the same function from
 * different places do not form a single group, because a GPU runs them one after the other.
 */
import { wordAt } from '../base/typed-reads.ts';
import { machineFault } from './fault.ts';
import { warpSize } from './launch.ts';
import { listed, type Waiter, whereThreadsWait } from './waiting.ts';

/** The threads that execute together, given by their indices in the block. */
export type Group = readonly number[];

interface Waiting {
  readonly what: string;
  readonly threads: Waiter[];
  /** Lanes that have arrived. */
  lanes: number;
  /** The lanes to wait for; null for a group without a mask. */
  readonly mask: number | null;
  /** The place at which the threads of a group without a mask have arrived. */
  readonly place: Place;
}

/**
 * The position of an instruction in the program, preceded by the return positions of the calls that led to it,
 * beginning with the outermost call. Groups without a mask continue in the order of their places.
 */
export type Place = readonly number[];

/** Compares two places lexicographically. */
export function comparePlaces(a: Place, b: Place): number {
  const differing = a.findIndex((position, i) => position !== b[i]);
  if (differing < 0) return a.length - b.length;
  return differing < b.length ? (a[differing] ?? 0) - (b[differing] ?? 0) : 1;
}

interface Joined {
  readonly warp: number;
  readonly key: string;
  readonly group: Waiting;
}

type GroupState = Readonly<Omit<Waiting, 'threads'>> & { readonly threads: readonly Waiter[] };

function copyOf(group: GroupState): Waiting {
  return { ...group, threads: group.threads.slice() };
}

/** The saved state of a block's waiting groups. */
export interface CollectivesState {
  /** For each warp, the lanes that have not exited. */
  readonly live: readonly number[];
  readonly groups: readonly (readonly [key: string, group: GroupState])[];
}

export class Collectives {
  private readonly groups = new Map<string, Waiting>();
  /** For each warp, the lanes that have not exited. */
  private readonly live: Uint32Array;
  /** The group that a thread joined most recently; null if this group is no longer waiting. */
  private newest: Joined | null = null;

  /** @param count number of threads in the block */
  constructor(count: number) {
    this.live = new Uint32Array(Math.ceil(count / warpSize)).fill(0xffff_ffff);
    const rest = count % warpSize;
    if (rest !== 0) this.live[this.live.length - 1] = 2 ** rest - 1;
  }

  /**
   * Records that a thread has arrived. Returns the whole group if the thread was its last missing member, otherwise
   * null. `place` is ignored if there is a mask.
   */
  arrive({ thread, line }: Waiter, what: string, mask: number | null, place: Place): Group | null {
    const warp = Math.floor(thread / warpSize);
    if (mask !== null && ((mask >>> (thread % warpSize)) & 1) === 0) {
      throw machineFault('PTX6012', { mask: `0x${mask.toString(16)}`, lane: String(thread % warpSize) });
    }
    const joined = this.join(warp, what, mask, place);
    const { key, group } = joined;
    group.threads.push({ thread, line });
    group.lanes |= 1 << (thread % warpSize);
    const whole = this.complete(key, group);
    this.newest = whole === null ? joined : null;
    return whole;
  }

  /**
   * Finds or creates the group that an arriving thread joins. This is usually the group that the previous thread
   * joined.
   */
  private join(warp: number, what: string, mask: number | null, place: Place): Joined {
    const { newest } = this;
    if (newest !== null && newest.warp === warp && newest.group.what === what && newest.group.mask === mask) {
      if (mask !== null || comparePlaces(newest.group.place, place) === 0) return newest;
    }
    const key = `${warp} ${what} ${mask ?? `at ${place.join(' ')}`}`;
    const known = this.groups.get(key);
    if (known !== undefined) return { warp, key, group: known };
    const group = { what, threads: [], lanes: 0, mask, place };
    this.groups.set(key, group);
    return { warp, key, group };
  }

  /**
   * Records that a thread has exited. Returns the groups that were waiting only for this thread, so that they can
   * continue.
   */
  exit(thread: number): readonly Group[] {
    const warp = Math.floor(thread / warpSize);
    this.live[warp] = wordAt(this.live, warp) & ~(1 << (thread % warpSize));
    if (this.groups.size === 0) return [];
    this.newest = null;
    return [...this.groups].flatMap(([key, group]) => {
      const whole = this.complete(key, group);
      return whole === null ? [] : [whole];
    });
  }

  /**
   * Called when no thread can run, or when all threads that can run are only waiting for memory to change. Returns the
   * group without a mask that is earliest in the program, so that it can continue; null if no such group is waiting.
   */
  settle(): Group | null {
    const open = [...this.groups].filter(([, group]) => group.mask === null);
    const [first] = open.sort(([, a], [, b]) => comparePlaces(a.place, b.place));
    if (first === undefined) return null;
    this.newest = null;
    this.groups.delete(first[0]);
    return first[1].threads.map(({ thread }) => thread);
  }

  give(): CollectivesState {
    return { live: [...this.live], groups: [...this.groups].map(([key, group]) => [key, copyOf(group)]) };
  }

  take({ live, groups }: CollectivesState): void {
    this.live.set(live);
    this.newest = null;
    this.groups.clear();
    for (const [key, group] of groups) this.groups.set(key, copyOf(group));
  }

  /** Describes the waiting threads; empty if no thread is waiting. */
  describe(): string {
    return [...this.groups.values()]
      .map((group) => {
        const { what, threads } = group;
        const lanes = laneNumbers(this.missing(group));
        const others = lanes.length === 0 ? '' : `, without ${listed('lane', lanes)}`;
        return `${threads.length} of warp ${this.warpOf(group)} at ${what}${others} (${whereThreadsWait(threads)})`;
      })
      .join(', ');
  }

  private complete(key: string, group: Waiting): Group | null {
    if (this.missing(group) !== 0) return null;
    this.groups.delete(key);
    return group.threads.map(({ thread }) => thread);
  }

  /** The lanes that may still join the group. */
  private missing(group: Waiting): number {
    return (group.mask ?? -1) & wordAt(this.live, this.warpOf(group)) & ~group.lanes;
  }

  private warpOf({ threads }: Waiting): number {
    return Math.floor((threads[0]?.thread ?? 0) / warpSize);
  }
}

function laneNumbers(mask: number): readonly number[] {
  return Array.from({ length: warpSize }, (_, lane) => lane).filter((lane) => ((mask >>> lane) & 1) !== 0);
}
