/**
 * A function split at the instructions where threads wait for others. A region is the code that a thread can run
 * without waiting, from the start of the function or from the point after such an instruction. Blocks that several
 * regions reach belong to each of them.
 */
import { elementAt, valueAt } from '../base/element-at.ts';
import { type BasicBlock, successorsOf } from './flow.ts';

export interface Region {
  /** The block it begins with. */
  readonly entry: number;
  /** Its blocks in reverse postorder; `entry` first. */
  readonly order: readonly number[];
  /** Blocks that each block dominates immediately, in reverse postorder. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Targets of back edges. */
  readonly loops: ReadonlySet<number>;
  /** Blocks with several incoming forward edges. */
  readonly joins: ReadonlySet<number>;
  /** Every back edge goes to a block that dominates its source. */
  readonly reducible: boolean;
}

/**
 * The regions of a function; the first one begins at its start. Threads may also be resumed at the blocks of `pauses`.
 */
export function regionsOf(blocks: readonly BasicBlock[], pauses: Iterable<number> = []): readonly Region[] {
  const entries = new Set([0, ...pauses]);
  for (const { exit } of blocks) if (exit.kind === 'park' || exit.kind === 'call') entries.add(exit.resume);
  return [...entries].map((entry) => regionFrom(entry, blocks));
}

function regionFrom(entry: number, blocks: readonly BasicBlock[]): Region {
  const next = (block: number): readonly number[] => successorsOf(elementAt(blocks, block));
  const order = reversePostorder(entry, next);
  const rank = new Map(order.map((block, i) => [block, i] as const));
  const rankOf = (block: number): number => valueAt(rank, block);
  const before = predecessors(order, next);
  const dominator = dominators(order, before, rankOf);
  const children = new Map<number, number[]>(order.map((block) => [block, []]));
  order.forEach((block, i) => {
    if (i > 0) children.get(valueAt(dominator, block))?.push(block);
  });
  const loops = new Set<number>();
  const joins = new Set<number>();
  let reducible = true;
  for (const block of order) {
    const [back, forward] = [true, false].map((isBack) =>
      (before.get(block) ?? []).filter((source) => rankOf(source) >= rankOf(block) === isBack),
    ) as [number[], number[]];
    if (back.length > 0) loops.add(block);
    if (forward.length > 1) joins.add(block);
    reducible &&= back.every((source) => dominates(block, source, dominator));
  }
  return { entry, order, children, loops, joins, reducible };
}

/** Iterative, as kernels can be long. */
function reversePostorder(entry: number, next: (block: number) => readonly number[]): readonly number[] {
  const seen = new Set([entry]);
  const postorder: number[] = [];
  const stack = [{ block: entry, rest: [...next(entry)] }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const successor = top.rest.shift();
    if (successor === undefined) {
      postorder.push(top.block);
      stack.pop();
    } else if (!seen.has(successor)) {
      seen.add(successor);
      stack.push({ block: successor, rest: [...next(successor)] });
    }
  }
  return postorder.reverse();
}

/** One edge for every way it is taken: a branch to the block that follows counts twice. */
function predecessors(
  order: readonly number[],
  next: (block: number) => readonly number[],
): ReadonlyMap<number, readonly number[]> {
  const before = new Map<number, number[]>();
  for (const block of order) {
    for (const successor of next(block)) {
      const sources = before.get(successor);
      if (sources === undefined) before.set(successor, [block]);
      else sources.push(block);
    }
  }
  return before;
}

/** Immediate dominators by iteration over the order (Cooper, Harvey, Kennedy). */
function dominators(
  order: readonly number[],
  before: ReadonlyMap<number, readonly number[]>,
  rankOf: (block: number) => number,
): ReadonlyMap<number, number> {
  const [entry = 0] = order;
  const found = new Map([[entry, entry]]);
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if (rankOf(a) > rankOf(b)) a = valueAt(found, a);
      else b = valueAt(found, b);
    }
    return a;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of order.slice(1)) {
      const known = (before.get(block) ?? []).filter((source) => found.has(source));
      const dominator = known.reduce(meet);
      if (found.get(block) === dominator) continue;
      found.set(block, dominator);
      changed = true;
    }
  }
  return found;
}

function dominates(block: number, other: number, dominator: ReadonlyMap<number, number>): boolean {
  for (let at = other; ; ) {
    if (at === block) return true;
    const above = valueAt(dominator, at);
    if (above === at) return false;
    at = above;
  }
}
