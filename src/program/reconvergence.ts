/**
 * Finds where threads that have diverged can continue together: after a branch, this is the first block that all of its
 * paths pass through. Until then, the threads run one after the other. Because storing and loading their registers
 * takes time, they continue together only where enough code follows.
 */
import { elementAt } from '../base/element-at.ts';
import { BlockTree } from './block-tree.ts';
import { type BasicBlock, successorsOf } from './flow.ts';
import { type NaturalLoop, naturalLoops } from './natural-loops.ts';

export interface Reconvergence {
  /** The block at which the threads continue together. */
  readonly at: number;
  /** The blocks that the threads may run until then, beginning with the one at which they diverge. */
  readonly before: readonly number[];
}

/**
 * Minimum number of instructions that threads must run together after a divergence. With fewer instructions, waiting
 * for each other is not worthwhile.
 */
const fewest = 24;

/** Estimated number of iterations of a loop, and the maximum nesting depth of loops in the estimate. */
const rounds = 8;
const deepest = 3;

/**
 * For each of the blocks `partings`, returns where threads continue together after they have diverged at its start.
 * Blocks without such a place are left out, for example if the threads may end or wait for other threads on one of the
 * paths.
 */
export function reconvergences(
  blocks: readonly BasicBlock[],
  partings: readonly number[],
): ReadonlyMap<number, Reconvergence> {
  const found = new Map<number, Reconvergence>();
  if (partings.length === 0) return found;
  const paths = new Paths(blocks);
  for (const parting of partings) {
    const place = paths.reconvergence(parting);
    if (place !== null) found.set(parting, place);
  }
  return found;
}

class Paths {
  private readonly blocks: readonly BasicBlock[];
  private readonly next: readonly (readonly number[])[];
  /** The blocks with all edges reversed. The entry is an additional block, to which all ends of paths lead. */
  private readonly backward: BlockTree;
  private readonly loops: readonly NaturalLoop[];
  /** For each block, the number of loops that contain it. */
  private readonly depth: Uint16Array;

  constructor(blocks: readonly BasicBlock[]) {
    this.blocks = blocks;
    this.next = blocks.map((block) => [...new Set(successorsOf(block))]);
    const before: number[][] = blocks.map(() => []);
    this.next.forEach((targets, source) => {
      for (const target of targets) before[target]?.push(source);
    });
    const ends = [...blocks.keys()].filter((block) => isEnd(elementAt(blocks, block)));
    this.backward = new BlockTree(blocks.length, (block) =>
      block === blocks.length ? ends : elementAt(before, block),
    );
    this.loops = naturalLoops(blocks).loops;
    this.depth = new Uint16Array(blocks.length);
    for (const { body } of this.loops) for (const block of body) this.depth[block] = elementAt(this.depth, block) + 1;
  }

  reconvergence(parting: number): Reconvergence | null {
    const { backward, blocks } = this;
    if (!backward.has(parting)) return null;
    for (let at = backward.above(parting); at !== blocks.length; at = backward.above(at)) {
      const before = this.reach(parting, at);
      if (this.isWorthwhile(parting, at, before)) return { at, before };
    }
    return null;
  }

  /**
   * Whether threads that continue together at `at` run enough code together. Outside of loops, all code until they end
   * counts. In a loop, only the code before they may diverge again counts. This includes inner loops, even if threads
   * leave them one after the other, because at first all threads run such a loop together.
   */
  private isWorthwhile(parting: number, at: number, before: readonly number[]): boolean {
    const around = this.loops.filter(({ body }) => body.has(parting));
    const shared = around.filter(({ body }) => body.has(at));
    const [first, ...others] = shared;
    if (first === undefined) return this.weigh(this.reach(at, null), 0) >= fewest;
    const { body } = others.reduce((best, loop) => (loop.body.size < best.body.size ? loop : best), first);
    const apart = new Set(before);
    const left = around.filter((loop) => !loop.body.has(at));
    const together = [...body].filter((block) => !apart.has(block) || left.some((loop) => loop.body.has(block)));
    return this.weigh(together, shared.length) >= fewest;
  }

  /** The blocks that can be reached from `from` without passing through `until`, beginning with `from`. */
  private reach(from: number, until: number | null): readonly number[] {
    const seen = new Set([from]);
    for (const block of seen) {
      for (const next of elementAt(this.next, block)) if (next !== until) seen.add(next);
    }
    return [...seen];
  }

  /** Estimates the number of instructions that one round of a loop executes. Its blocks are inside `depth` loops. */
  private weigh(some: readonly number[], depth: number): number {
    return some.reduce((sum, block) => {
      const { start, end } = elementAt(this.blocks, block);
      const inner = Math.max(0, elementAt(this.depth, block) - depth);
      return sum + (end - start) * rounds ** Math.min(inner, deepest);
    }, 0);
  }
}

/** Whether threads may leave their region at the end of a block, because they end, wait, or call a function. */
function isEnd({ exit }: BasicBlock): boolean {
  return exit.kind === 'end' || exit.kind === 'park' || exit.kind === 'call';
}
