/**
 * Finds the blocks at which the threads of a warp converge after they have diverged: for each branch, the first block
 * that all of its paths pass through.
 */
import { elementAt } from '../base/element-at.ts';
import { BlockTree } from './block-tree.ts';
import { type BasicBlock, followersOf, predecessorsOf } from './flow.ts';

/**
 * Returns the blocks at which threads converge after a branch, if at least one of the instructions in `points` is
 * between the branch and the block. Each block is mapped to its place in the order in which the threads of a warp run
 * (lockstep.ts). Paths that lead to none of these instructions are ignored, because a thread on such a path can run
 * without the others.
 */
export function convergences(blocks: readonly BasicBlock[], points: ReadonlySet<number>): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (points.size === 0) return found;
  const flow = new Flow(blocks, points);
  for (const branch of flow.forward.order) {
    if (flow.followers(branch).length < 2) continue;
    const target = flow.convergence(branch);
    if (target === null || found.has(target)) continue;
    if (flow.pointsBetween(branch, target) > 0) found.set(target, flow.place(target));
  }
  return found;
}

/** The part of a function from which threads can reach a point. */
class Flow {
  readonly forward: BlockTree;
  private readonly blocks: readonly BasicBlock[];
  /** The same blocks with all edges reversed. The entry is an additional block after all the others. */
  private readonly backward: BlockTree;
  private readonly predecessors: readonly (readonly number[])[];
  /** For each block, 1 if it contains a point or leads to one. */
  private readonly leads: Uint8Array;
  /** The number of points in each block, and in all the blocks that it dominates. */
  private readonly own: Int32Array;
  private readonly dominated: Int32Array;

  constructor(blocks: readonly BasicBlock[], points: ReadonlySet<number>) {
    this.blocks = blocks;
    this.predecessors = predecessorsOf(blocks);
    this.own = new Int32Array(blocks.length);
    blocks.forEach(({ start, end }, i) => {
      for (let at = start; at < end; at++) if (points.has(at)) this.own[i] = elementAt(this.own, i) + 1;
    });
    this.leads = this.leadingToPoints();
    this.forward = new BlockTree(0, (block) => this.followers(block));
    const ends = this.ends();
    this.backward = new BlockTree(blocks.length, (block) => (block === blocks.length ? ends : this.before(block)));
    this.dominated = Int32Array.from(this.own);
    for (const block of this.forward.order.slice(1).toReversed()) {
      const above = this.forward.above(block);
      this.dominated[above] = elementAt(this.dominated, above) + elementAt(this.dominated, block);
    }
  }

  /** The blocks that may follow a block and lead to points. */
  followers(block: number): readonly number[] {
    return [...new Set(followersOf(elementAt(this.blocks, block)))].filter((next) => this.leads[next] === 1);
  }

  /** The first block that all paths from a branch pass through; null if there is no such block. */
  convergence(branch: number): number | null {
    const { backward, blocks } = this;
    const target = backward.has(branch) ? backward.above(branch) : blocks.length;
    return target === blocks.length ? null : target;
  }

  /** An upper limit for the number of points on the paths from a branch to the block where these paths converge. */
  pointsBetween(branch: number, target: number): number {
    const { forward, own, dominated } = this;
    const start = this.followers(branch).find((next) => forward.dominates(next, branch));
    const top = start ?? branch;
    const inside = elementAt(dominated, top) - (start === undefined ? elementAt(own, branch) : 0);
    const behind = target !== top && forward.dominates(top, target) ? elementAt(dominated, target) : 0;
    return inside - behind;
  }

  /**
   * The index of the block's first instruction or, if a loop begins with the block, of the last instruction of the
   * loop. Threads that begin another iteration of the loop then wait for threads that have not finished the previous
   * iteration.
   */
  place(block: number): number {
    const { forward, blocks } = this;
    const sources = elementAt(forward.sources, forward.rank(block)).map((rank) => elementAt(forward.order, rank));
    return sources
      .filter((source) => forward.dominates(block, source))
      .reduce((last, source) => Math.max(last, elementAt(blocks, source).end - 1), elementAt(blocks, block).start);
  }

  private before(block: number): readonly number[] {
    return elementAt(this.predecessors, block).filter((source) => this.forward.has(source));
  }

  /**
   * The blocks at which paths end. Some loops have no such block, because threads that leave them reach no more points.
   * In that case, the first block from which threads can leave the loop is used. If the loop never ends, its first
   * block is used.
   */
  private ends(): readonly number[] {
    const { order } = this.forward;
    const reached = new Set<number>();
    const ends: number[] = [];
    const add = (end: number): void => {
      if (reached.has(end)) return;
      ends.push(end);
      const open = [end];
      for (let block = open.pop(); block !== undefined; block = open.pop()) {
        if (reached.has(block)) continue;
        reached.add(block);
        for (const source of this.before(block)) open.push(source);
      }
    };
    const leaves = (block: number): boolean =>
      followersOf(elementAt(this.blocks, block)).some((next) => this.leads[next] === 0);
    for (const block of order) if (this.followers(block).length === 0) add(block);
    for (const block of order) if (leaves(block)) add(block);
    for (const block of order) add(block);
    return ends;
  }

  private leadingToPoints(): Uint8Array {
    const leads = Uint8Array.from(this.own, (count) => (count > 0 ? 1 : 0));
    const open = [...this.blocks.keys()].filter((block) => leads[block] === 1);
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      for (const source of elementAt(this.predecessors, block)) {
        if (leads[source] === 1) continue;
        leads[source] = 1;
        open.push(source);
      }
    }
    return leads;
  }
}
