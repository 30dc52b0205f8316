/** Finds the loops of a function that threads repeat without waiting for each other. */
import { elementAt } from '../base/element-at.ts';
import { BlockTree } from './block-tree.ts';
import { type BasicBlock, successorsOf } from './flow.ts';

export interface NaturalLoop {
  /** The first block of the loop. */
  readonly start: number;
  /** All blocks of the loop, including the first one. */
  readonly body: ReadonlySet<number>;
}

interface NaturalLoops {
  readonly loops: readonly NaturalLoop[];
  /** Whether threads can enter each loop only at its first block. If not, some loops are missing from the list. */
  readonly isReducible: boolean;
}

export function naturalLoops(blocks: readonly BasicBlock[]): NaturalLoops {
  // Threads also enter the function where they continue after waiting or after a call.
  const entry = blocks.length;
  const entries = [0, ...blocks.flatMap(({ exit }) => ('resume' in exit ? [exit.resume] : []))];
  const next = (block: number): readonly number[] =>
    block === entry ? entries : successorsOf(elementAt(blocks, block));
  const tree = new BlockTree(entry, next);
  const bodies = new Map<number, Set<number>>();
  let isReducible = true;
  tree.order.forEach((start, rank) => {
    for (const from of elementAt(tree.sources, rank)) {
      if (from < rank) continue;
      if (!tree.dominates(start, elementAt(tree.order, from))) {
        isReducible = false;
        continue;
      }
      const body = bodies.get(start) ?? new Set([start]);
      bodies.set(start, body);
      addPaths(body, tree, from);
    }
  });
  return { loops: [...bodies].map(([start, body]) => ({ start, body })), isReducible };
}

/** Adds the blocks on the paths that end with the block of rank `from` and begin with a block in `body`. */
function addPaths(body: Set<number>, { order, sources }: BlockTree, from: number): void {
  const open = [from];
  for (let rank = open.pop(); rank !== undefined; rank = open.pop()) {
    const block = elementAt(order, rank);
    if (body.has(block)) continue;
    body.add(block);
    open.push(...elementAt(sources, rank));
  }
}
