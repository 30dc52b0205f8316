/**
 * Splits a function at the instructions where threads wait for other threads. A region is the code that a thread can
 * run without waiting, from the start of the function or from the point after such an instruction. A block that can be
 * reached in several regions belongs to all of them.
 */
import { elementAt, valueAt } from '../base/element-at.ts';
import { signedAt } from '../base/typed-reads.ts';
import { DominatorTree } from './dominators.ts';
import { type BasicBlock, successorsOf } from './flow.ts';

export interface Region {
  /** The first block of the region. */
  readonly entry: number;
  /** The region's blocks in reverse postorder; `entry` comes first. */
  readonly order: readonly number[];
  /** For each block, the blocks that it immediately dominates, in reverse postorder. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Targets of back edges. */
  readonly loops: ReadonlySet<number>;
  /** Blocks with several incoming forward edges. */
  readonly joins: ReadonlySet<number>;
  /** Whether every back edge leads to a block that dominates the block from which the edge comes. */
  readonly reducible: boolean;
}

/**
 * Returns the regions of a function. The first region begins at the start of the function. The other regions begin
 * where threads may resume: after waiting, and at the blocks in `pauses`.
 */
export function regionsOf(blocks: readonly BasicBlock[], pauses: Iterable<number> = []): readonly Region[] {
  return [...eachRegion(blocks, pauses)];
}

/**
 * Yields the regions of a function one at a time. They are not collected in a list, because all regions together may be
 * much longer than the function.
 */
export function* eachRegion(blocks: readonly BasicBlock[], pauses: Iterable<number>): Generator<Region> {
  const entries = new Set([0, ...pauses]);
  for (const { exit } of blocks) if (exit.kind === 'park' || exit.kind === 'call') entries.add(exit.resume);
  for (const entry of entries) yield regionFrom(entry, blocks);
}

/** Within this function, a block is identified by its rank, which is its position in `order`. */
function regionFrom(entry: number, blocks: readonly BasicBlock[]): Region {
  const next = (block: number): readonly number[] => successorsOf(elementAt(blocks, block));
  const { order, reached, parents } = searchFrom(entry, next);
  const rankOf = new Map(order.map((block, rank) => [block, rank]));
  const sources = sourcesOf(order, next, rankOf);
  const tree = new DominatorTree(sources, {
    reached: Int32Array.from(reached, (block) => valueAt(rankOf, block)),
    parents: Int32Array.from(order, (block) => valueAt(rankOf, valueAt(parents, block))),
  });
  const children = new Map<number, number[]>(order.map((block) => [block, []]));
  const loops = new Set<number>();
  const joins = new Set<number>();
  let reducible = true;
  order.forEach((block, rank) => {
    if (rank > 0) valueAt(children, elementAt(order, signedAt(tree.immediate, rank))).push(block);
    const own = elementAt(sources, rank);
    const back = own.filter((source) => source >= rank);
    if (back.length > 0) loops.add(block);
    if (own.length - back.length > 1) joins.add(block);
    reducible &&= back.every((source) => tree.dominates(rank, source));
  });
  return { entry, order, children, loops, joins, reducible };
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

/**
 * Returns, for each rank, the ranks of its predecessors. If a conditional branch leads to the same block whether or not
 * it is taken, the block that contains the branch is listed twice.
 */
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
