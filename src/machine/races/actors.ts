/**
 * Who accesses memory: threads, and the copies that threads start and that complete later. Each thread and its copies
 * have numbers of their own, because the accesses of a copy are ordered only by waiting for it.
 */
import { type Knowledge, withVisible } from './knowledge.ts';
import { blocksPerCluster, type LaunchShape, threadsOf, warpSize } from '../launch.ts';

/**
 * The thread itself, its copies by cp.async, and the reads and the writes of its bulk copies, which can be waited for
 * separately.
 */
export const agents = ['thread', 'copies', 'bulk reads', 'bulk writes'] as const;

export type Agent = (typeof agents)[number];

/** An actor of a launch. */
export interface Actor {
  readonly block: number;
  /** The number of the thread in its block. */
  readonly linear: number;
  readonly agent: Agent;
}

export class Actors {
  private readonly threads: number;
  private readonly blocks: number;
  /**
   * Number of places in a block: one for each actor, with the threads first. If there are copies, there is one more for
   * each thread, which in knowledge says what bulk copies may read of the thread's accesses.
   */
  readonly perBlock: number;

  /** @param copies whether threads start copies that complete later */
  constructor(shape: LaunchShape, copies: boolean) {
    this.threads = threadsOf(shape);
    this.blocks = blocksPerCluster(shape);
    this.perBlock = this.threads * (copies ? agents.length + 1 : 1);
  }

  /** The number of an actor in its block. */
  place(linear: number, agent: Agent): number {
    return agent === 'thread' ? linear : linear + this.threads * agents.indexOf(agent);
  }

  /** The additional place of the thread at a place; null if an agent is there. */
  placeForCopies(place: number): number | null {
    return place < this.threads ? place + this.threads * agents.length : null;
  }

  blockOf(number: number): number {
    return Math.floor(number / this.perBlock);
  }

  /** The number in its block of the actor with this number in the grid. */
  placeOf(number: number): number {
    return number % this.perBlock;
  }

  actor(number: number): Actor {
    const place = this.placeOf(number);
    const agent = agents[Math.floor(place / this.threads)] ?? 'thread';
    return { block: this.blockOf(number), linear: place % this.threads, agent };
  }

  areInOneCluster(block: number, other: number): boolean {
    return Math.floor(block / this.blocks) === Math.floor(other / this.blocks);
  }

  /** Adds that bulk copies may read everything that is known. */
  visibleToCopies(knowledge: Knowledge): Knowledge {
    const start = this.threads * agents.length;
    return start < this.perBlock ? withVisible(knowledge, this.threads, start) : knowledge;
  }

  /** 0 for actors of the same warp, 1 for actors of the same block, and otherwise 2. Numbers are those of cells. */
  distance(one: number, other: number): number {
    if (this.blockOf(one - 1) !== this.blockOf(other - 1)) return 2;
    return this.warpOf(one - 1) === this.warpOf(other - 1) ? 0 : 1;
  }

  private warpOf(number: number): number {
    return Math.floor((this.placeOf(number) % this.threads) / warpSize);
  }
}
