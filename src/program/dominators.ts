/**
 * Computes the dominators of a flow graph with the Semi-NCA algorithm (Georgiadis and Tarjan). In practice, the running
 * time of this algorithm is almost proportional to the size of the graph. Nodes are identified by their rank, which is
 * their position in reverse postorder.
 */
import { elementAt } from '../base/element-at.ts';
import { signedAt } from '../base/typed-reads.ts';

/** The result of a depth-first search of the graph. */
interface Search {
  /** The ranks in the order in which the search reached them. */
  readonly reached: Int32Array;
  /** For each rank, the rank of its parent in the search tree; 0 for the entry. */
  readonly parents: Int32Array;
}

/** For each node, in the order of their ranks, the ranks of its predecessors. */
type Sources = readonly (readonly number[])[];

export class DominatorTree {
  /** The immediate dominator of each rank; 0 for the entry. */
  readonly immediate: Int32Array;
  /**
   * For each rank, its position in a preorder walk through the dominator tree. `sizes` contains, for each rank, the
   * number of ranks in its subtree.
   */
  private readonly positions: Int32Array;
  private readonly sizes: Int32Array;

  constructor(sources: Sources, search: Search) {
    this.immediate = immediateDominators(sources, search);
    const count = sources.length;
    this.sizes = new Int32Array(count).fill(1);
    this.positions = new Int32Array(count);
    const { immediate, sizes, positions } = this;
    // A dominator has a smaller rank than the blocks that it dominates.
    for (let rank = count - 1; rank > 0; rank--) {
      const above = signedAt(immediate, rank);
      sizes[above] = signedAt(sizes, above) + signedAt(sizes, rank);
    }
    const free = new Int32Array(count).fill(1);
    for (let rank = 1; rank < count; rank++) {
      const above = signedAt(immediate, rank);
      const position = signedAt(free, above);
      positions[rank] = position;
      free[above] = position + signedAt(sizes, rank);
      free[rank] = position + 1;
    }
  }

  /** Every rank dominates itself. */
  dominates(rank: number, other: number): boolean {
    const distance = signedAt(this.positions, other) - signedAt(this.positions, rank);
    return distance >= 0 && distance < signedAt(this.sizes, rank);
  }
}

function immediateDominators(sources: Sources, { reached, parents }: Search): Int32Array {
  const count = reached.length;
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[signedAt(reached, number)] = number;
  // From here on, a node is identified by its number, which is its position in the order in which the search reached
  // the nodes.
  const parentOf = reached.map((rank) => signedAt(numbers, signedAt(parents, rank)));
  const forest = new Forest(parentOf);
  const { semidominators } = forest;
  for (let number = count - 1; number > 0; number--) {
    let least = signedAt(parentOf, number);
    for (const source of elementAt(sources, signedAt(reached, number))) {
      const found = forest.leastAbove(signedAt(numbers, source), number + 1);
      if (found < least) least = found;
    }
    semidominators[number] = least;
  }
  const immediate = parentOf;
  for (let number = 1; number < count; number++) {
    let found = signedAt(immediate, number);
    while (found > signedAt(semidominators, number)) found = signedAt(immediate, found);
    immediate[number] = found;
  }
  return numbers.map((number) => signedAt(reached, signedAt(immediate, number)));
}

/**
 * The nodes of the search tree whose semidominators are already known. A query follows a path through the tree and
 * shortens it, so that later queries are faster.
 */
class Forest {
  readonly semidominators: Int32Array;
  private readonly ancestors: Int32Array;
  /**
   * For each node, the node with the smallest semidominator among those on the path from this node to its entry in
   * `ancestors`, not including that entry.
   */
  private readonly labels: Int32Array;
  private readonly path: number[] = [];

  constructor(parents: Int32Array) {
    this.semidominators = Int32Array.from(parents, (_, number) => number);
    this.labels = Int32Array.from(parents, (_, number) => number);
    this.ancestors = parents.slice();
  }

  /**
   * Considers a node, and those of its ancestors whose number is at least `first`. Returns the smallest semidominator
   * of all these nodes.
   */
  leastAbove(number: number, first: number): number {
    const { ancestors, labels, path } = this;
    let at = number;
    while (signedAt(ancestors, at) >= first) {
      path.push(at);
      at = signedAt(ancestors, at);
    }
    const end = signedAt(ancestors, at);
    let label = signedAt(labels, at);
    for (let below = path.pop(); below !== undefined; below = path.pop()) {
      ancestors[below] = end;
      const own = signedAt(labels, below);
      if (this.semidominatorOf(label) < this.semidominatorOf(own)) labels[below] = label;
      else label = own;
    }
    return this.semidominatorOf(label);
  }

  private semidominatorOf(number: number): number {
    return signedAt(this.semidominators, number);
  }
}
