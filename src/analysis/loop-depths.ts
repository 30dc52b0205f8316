/**
 * Finds the loops around each block in nearly linear time. The algorithm does a depth-first search and treats the
 * blocks of each inner loop as a single block (Havlak, "Nesting of reducible and irreducible loops", 1997).
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';

/** The edges of a graph: for each block, the list of its successors or of its predecessors. */
type Edges = readonly (readonly number[])[];

interface Search {
  /** Blocks in the order in which they were reached. */
  readonly order: readonly number[];
  /** The position of each block in `order`; -1 if the block cannot be reached. */
  readonly position: Int32Array;
  /** For each block, the last position that the search had assigned when it left the block. */
  readonly last: Int32Array;
  /** For the first block of each loop, the blocks that jump back to it. */
  readonly sources: ReadonlyMap<number, readonly number[]>;
}

/** For each block, the number of loops that contain it. A loop that can be entered at two places is counted once. */
export function loopDepths(successors: Edges, predecessors: Edges): readonly number[] {
  const search = searchFromStart(successors);
  const { order, sources } = search;
  const parents = parentsOf(search, predecessors);
  const depths = successors.map(() => 0);
  for (const block of order) {
    const parent = elementAt(parents, block);
    depths[block] = (parent < 0 ? 0 : elementAt(depths, parent)) + (sources.has(block) ? 1 : 0);
  }
  return depths;
}

/**
 * For each block, returns the first block of the innermost loop that contains it; -1 if there is no such loop. If the
 * block is itself the first block of a loop, this loop does not count.
 */
function parentsOf({ order, position, last, sources }: Search, predecessors: Edges): Int32Array {
  const parents = new Int32Array(predecessors.length).fill(-1);
  // Maps each block of a loop that has been processed to the first block of the loop.
  const leaders = Int32Array.from(predecessors, (_, block) => block);
  const leaderOf = (block: number): number => {
    let leader = block;
    while (elementAt(leaders, leader) !== leader) leader = elementAt(leaders, leader);
    for (let at = block; at !== leader; ) {
      const next = elementAt(leaders, at);
      leaders[at] = leader;
      at = next;
    }
    return leader;
  };
  for (const head of order.toReversed()) {
    const inside = new Set<number>();
    const open = (sources.get(head) ?? []).map(leaderOf);
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      if (block === head || inside.has(block)) continue;
      inside.add(block);
      for (const before of elementAt(predecessors, block)) {
        const at = elementAt(position, before);
        const isBelow = at >= elementAt(position, head) && at <= elementAt(last, head);
        if (isBelow) open.push(leaderOf(before));
      }
    }
    for (const block of inside) {
      parents[block] = head;
      leaders[block] = head;
    }
  }
  return parents;
}

/** A depth-first search from the first block. */
function searchFromStart(successors: Edges): Search {
  const order: number[] = [];
  const position = new Int32Array(successors.length).fill(-1);
  const last = new Int32Array(successors.length).fill(-1);
  const sources = new Map<number, number[]>();
  const path: { readonly block: number; next: number }[] = [];
  const enter = (block: number): void => {
    position[block] = order.length;
    order.push(block);
    path.push({ block, next: 0 });
  };
  if (successors.length > 0) enter(0);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { block } = top;
    const target = elementAt(successors, block)[top.next++];
    if (target === undefined) {
      last[block] = order.length - 1;
      path.pop();
    } else if (elementAt(position, target) < 0) enter(target);
    else if (elementAt(last, target) < 0) {
      append(sources, target, block);
    }
  }
  return { order, position, last, sources };
}
