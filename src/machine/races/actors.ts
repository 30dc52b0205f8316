/**
 * The actors that access memory: threads, and the asynchronous operations that threads start. Each operation has a
 * number of its own, because its accesses are ordered only before accesses that follow a wait for the operation.
 */
import { elementAt } from '../../base/element-at.ts';
import type { MemoryScope } from '../../isa/steps/order.ts';
import type { Knowledge } from './knowledge.ts';
import { blocksPerCluster, threadsOf } from '../extents.ts';
import { type LaunchShape, warpSize } from '../launch.ts';

/**
 * The operations of a thread: copies by cp.async, the reads of wgmma, products and copies of tcgen05, and bulk copies.
 * The reads and the writes of bulk copies are separate, because a thread can wait for the reads alone. Bulk copies
 * whose bytes arrive at mbarrier objects are assigned to lanes.
 */
export const asyncAgents = [
  'copies',
  'products',
  'tensor core',
  'bulk reads',
  'bulk writes',
  'lane 0',
  'lane 1',
  'lane 2',
  'lane 3',
] as const;

export type AsyncAgent = (typeof asyncAgents)[number];

/** Copies whose bytes arrive at different mbarrier objects are assigned to different lanes, if possible. */
const lanes: readonly AsyncAgent[] = asyncAgents.slice(asyncAgents.indexOf('lane 0'));

/** The thread itself, or all of its operations of one kind. */
export type Agent = 'thread' | AsyncAgent;

const agents: readonly Agent[] = ['thread', ...asyncAgents];

/** The lane for copies whose bytes arrive at the mbarrier object at the given offset. */
export function laneOf(offset: number): AsyncAgent {
  return elementAt(lanes, Math.floor(offset / 8) % lanes.length);
}

/** An actor of a launch. */
export interface Actor {
  readonly block: number;
  /** The number of the thread in its block. */
  readonly linear: number;
  readonly agent: Agent;
}

export class Actors {
  /** The number of threads of a block, which is also the number of actors in each of its groups. */
  readonly threads: number;
  private readonly blocks: number;
  /**
   * The number of groups in a block: one for its threads, one for each kind of operation, and a second one for its
   * threads. In a `Knowledge`, the entries of this second group record which stores of the threads the async proxy may
   * read. If no operations complete later, only the first group exists.
   */
  private readonly groups: number;
  /** The total number of entries in the groups of a block. */
  private readonly perBlock: number;

  /** @param onlyThreads true if no operations complete later */
  constructor(shape: LaunchShape, onlyThreads: boolean) {
    this.threads = threadsOf(shape);
    this.blocks = blocksPerCluster(shape);
    this.groups = onlyThreads ? 1 : agents.length + 1;
    this.perBlock = this.threads * this.groups;
  }

  /** The number of an actor in the grid. */
  number(block: number, linear: number, agent: Agent): number {
    const place = agent === 'thread' ? linear : linear + this.threads * agents.indexOf(agent);
    return block * this.perBlock + place;
  }

  /**
   * Returns the number that a thread has in the second group of threads, given its number in the first group; null if
   * the number belongs to an operation.
   */
  visibleOf(number: number): number | null {
    return this.placeOf(number) < this.threads ? number + this.threads * agents.length : null;
  }

  blockOf(number: number): number {
    return Math.floor(number / this.perBlock);
  }

  /** Converts the number of an actor in the grid to its number in its block. */
  private placeOf(number: number): number {
    return number % this.perBlock;
  }

  actor(number: number): Actor {
    const place = this.placeOf(number);
    const agent = agents[Math.floor(place / this.threads)] ?? 'thread';
    return { block: this.blockOf(number), linear: place % this.threads, agent };
  }

  /** Whether a scope that contains one of two blocks also contains the other. */
  includes(scope: MemoryScope, block: number, other: number): boolean {
    switch (scope) {
      case 'cta':
        return block === other;
      case 'cluster':
        return Math.floor(block / this.blocks) === Math.floor(other / this.blocks);
      case 'gpu':
      case 'sys':
        return true;
    }
  }

  /** Adds the information that the async proxy may read all stores that the knowledge covers. */
  visibleToAsyncProxy(knowledge: Knowledge): Knowledge {
    if (this.groups === 1) return knowledge;
    const made = new Map(knowledge);
    for (const [group, epochs] of knowledge) if (group % this.groups === 0) made.set(group + agents.length, epochs);
    return made;
  }

  /**
   * Returns 0 for actors of the same warp, 1 for other actors of the same block, and 2 for actors of different blocks.
   * `one` and `other` are actor numbers in the form in which cells store them.
   */
  distance(one: number, other: number): number {
    if (this.blockOf(one - 1) !== this.blockOf(other - 1)) return 2;
    return this.warpOf(one - 1) === this.warpOf(other - 1) ? 0 : 1;
  }

  /**
   * Whether two actor numbers, in the form in which cells store them, belong to threads of the same warp and not to
   * operations. In tensor memory, accesses by the threads of a warp count as ordered, because the whole warp loads and
   * stores together.
   */
  shareWarp(one: number, other: number): boolean {
    const areThreads = this.placeOf(one - 1) < this.threads && this.placeOf(other - 1) < this.threads;
    return areThreads && this.distance(one, other) === 0;
  }

  private warpOf(number: number): number {
    return Math.floor((this.placeOf(number) % this.threads) / warpSize);
  }
}
