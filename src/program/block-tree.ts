/** The blocks that can be reached from one block, their order, and their dominators. */
import { elementAt, valueAt } from '../base/element-at.ts';
import { signedAt } from '../base/typed-reads.ts';
import { DominatorTree } from './dominators.ts';

export class BlockTree {
  /** The blocks in reverse postorder, beginning with the entry. The rank of a block is its position in this list. */
  readonly order: readonly number[];
  /**
   * For each rank, the ranks of the predecessors. If a conditional branch leads to the same block whether or not it is
   * taken, the block that contains the branch is listed twice.
   */
  readonly sources: readonly (readonly number[])[];
  private readonly rankOf: ReadonlyMap<number, number>;
  private readonly tree: DominatorTree;

  /** @param next returns the successors of a block */
  constructor(entry: number, next: (block: number) => readonly number[]) {
    const { order, reached, parents } = searchFrom(entry, next);
    const rankOf = new Map(order.map((block, rank) => [block, rank]));
    this.order = order;
    this.rankOf = rankOf;
    this.sources = sourcesOf(order, next, rankOf);
    this.tree = new DominatorTree(this.sources, {
      reached: Int32Array.from(reached, (block) => valueAt(rankOf, block)),
      parents: Int32Array.from(order, (block) => valueAt(rankOf, valueAt(parents, block))),
    });
  }

  has(block: number): boolean {
    return this.rankOf.has(block);
  }

  rank(block: number): number {
    return valueAt(this.rankOf, block);
  }

  /** The immediate dominator of a block. For the entry, this is the entry itself. */
  above(block: number): number {
    return elementAt(this.order, signedAt(this.tree.immediate, this.rank(block)));
  }

  /** Every block dominates itself. */
  dominates(block: number, other: number): boolean {
    return this.tree.dominates(this.rank(block), this.rank(other));
  }
}

interface BlockSearch {
  /** The blocks in reverse postorder. */
  readonly order: readonly number[];
  /** The blocks in the order in which the search reached them. */
  readonly reached: readonly number[];
  /** For each block, the block from which the search reached it. */
  readonly parents: ReadonlyMap<number, number>;
}

/** Searches the blocks depth first, in a loop instead of recursively, because kernels can be long. */
function searchFrom(entry: number, next: (block: number) => readonly number[]): BlockSearch {
  const parents = new Map([[entry, entry]]);
  const reached = [entry];
  const postorder: number[] = [];
  const stack = [{ block: entry, rest: next(entry).toReversed() }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const successor = top.rest.pop();
    if (successor === undefined) {
      postorder.push(top.block);
      stack.pop();
    } else if (!parents.has(successor)) {
      parents.set(successor, top.block);
      reached.push(successor);
      stack.push({ block: successor, rest: next(successor).toReversed() });
    }
  }
  return { order: postorder.reverse(), reached, parents };
}

function sourcesOf(
  order: readonly number[],
  next: (block: number) => readonly number[],
  rankOf: ReadonlyMap<number, number>,
): readonly (readonly number[])[] {
  const sources = order.map((): number[] => []);
  order.forEach((block, rank) => {
    for (const successor of next(block)) elementAt(sources, valueAt(rankOf, successor)).push(rank);
  });
  return sources;
}
