/**
 * Splits a function at the instructions where threads wait for other threads. A region is the code that a thread can
 * run without waiting, from the start of the function or from the point after such an instruction. A block that can be
 * reached in several regions belongs to all of them. Regions also end before the blocks at which the threads of a warp
 * wait for each other (lockstep.ts); a new region begins at such a block.
 */
import { elementAt, valueAt } from '../base/element-at.ts';
import { BlockTree } from './block-tree.ts';
import { type BasicBlock, successorsOf } from './flow.ts';

export interface Region {
  /** The first block of the region. */
  readonly entry: number;
  /** The region's blocks in reverse postorder; `entry` comes first. */
  readonly order: readonly number[];
  /** Returns the successors of a block within the region. */
  readonly next: (block: number) => readonly number[];
  /**
   * The block before which the region ends, because diverged threads continue together there; null for most regions.
   */
  readonly until: number | null;
  /** For each block, the blocks that it immediately dominates, in reverse postorder. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Targets of back edges. */
  readonly loops: ReadonlySet<number>;
  /** Blocks with several incoming forward edges. */
  readonly joins: ReadonlySet<number>;
  /** Whether the target of every back edge dominates the source of the edge. */
  readonly reducible: boolean;
}

/** The blocks at which regions begin and end, apart from those where threads wait. */
export interface RegionBounds {
  /** Blocks at which threads may resume. */
  readonly landings?: Iterable<number>;
  /** The landings at which regions always end, mapped to their places in the order of the regions. */
  readonly ends?: ReadonlyMap<number, number>;
  /**
   * Maps some landings to blocks. Threads that begin at such a landing may have to stop before its block, so the
   * landing has a second region, which ends before this block.
   */
  readonly until?: ReadonlyMap<number, number>;
}

/**
 * Returns the regions of a function. The first region begins at the start of the function. The other regions begin
 * where threads may resume: after waiting, and at the landings.
 */
export function regionsOf(blocks: readonly BasicBlock[], bounds: RegionBounds = {}): readonly Region[] {
  return [...eachRegion(blocks, bounds)];
}

/**
 * Yields the regions of a function one at a time, in the order of their first instructions or of the places in `ends`.
 * Regions that end before one of the blocks in `until` come last.
 * They are not collected in a list, because all regions together may be much longer than the function.
 */
export function* eachRegion(
  blocks: readonly BasicBlock[],
  { landings = [], ends = new Map(), until = new Map() }: RegionBounds,
): Generator<Region> {
  const entries = new Set([0, ...landings]);
  for (const { exit } of blocks) if (exit.kind === 'park' || exit.kind === 'call') entries.add(exit.resume);
  const next = (block: number): readonly number[] =>
    successorsOf(elementAt(blocks, block)).filter((target) => !ends.has(target));
  const place = (entry: number): number => ends.get(entry) ?? elementAt(blocks, entry).start;
  for (const entry of [...entries].sort((a, b) => place(a) - place(b) || a - b)) {
    yield makeRegion(entry, next, null);
  }
  for (const [entry, end] of until) yield makeRegion(entry, next, end);
}

/** Returns a region with the same entry in which some blocks have the given successors instead of their own. */
export function withSuccessors({ entry, next, until }: Region, given: ReadonlyMap<number, readonly number[]>): Region {
  return makeRegion(entry, (block) => given.get(block) ?? next(block), until);
}

/** Returns the region that begins with `entry` and ends only where threads end, wait, or call a function. */
export function regionFrom(blocks: readonly BasicBlock[], entry: number): Region {
  return makeRegion(entry, (block) => successorsOf(elementAt(blocks, block)), null);
}

/** @param all returns the successors of a block, including a block before which the region ends */
function makeRegion(entry: number, all: (block: number) => readonly number[], until: number | null): Region {
  const next =
    until === null ? all : (block: number): readonly number[] => all(block).filter((target) => target !== until);
  const tree = new BlockTree(entry, next);
  const { order, sources } = tree;
  const children = new Map<number, number[]>(order.map((block) => [block, []]));
  const loops = new Set<number>();
  const joins = new Set<number>();
  let reducible = true;
  order.forEach((block, rank) => {
    if (rank > 0) valueAt(children, tree.above(block)).push(block);
    const own = elementAt(sources, rank);
    const back = own.filter((source) => source >= rank);
    if (back.length > 0) loops.add(block);
    if (own.length - back.length > 1) joins.add(block);
    reducible &&= back.every((source) => tree.dominates(block, elementAt(order, source)));
  });
  return { entry, order, next, until, children, loops, joins, reducible };
}
