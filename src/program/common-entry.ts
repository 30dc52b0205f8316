/**
 * Gives code that threads can enter at several blocks a common entry, so that it does not have to be copied for each of
 * these blocks. If a block is inside a loop, threads that begin there finish the current iteration in a copy of the
 * loop's blocks, and then enter the loop itself. All loops can then be entered only at their first blocks.
 */
import { elementAt } from '../base/element-at.ts';
import type { BasicBlock, BlockExit } from './flow.ts';
import { type NaturalLoop, naturalLoops } from './natural-loops.ts';

interface CommonEntry {
  /** The given blocks, then copies of some of them, and finally the common entry, which is empty. */
  readonly blocks: readonly BasicBlock[];
  /** The index of the common entry. Its exit is a switch with one target for each block where threads can enter. */
  readonly entry: number;
}

/** Maximum number of blocks, including the copies. */
const mostBlocks = 4096;

/**
 * Returns null if some loops can already be entered at several blocks, or if there would be too many copies.
 *
 * @param entries the blocks where threads can enter
 */
export function withCommonEntry(blocks: readonly BasicBlock[], entries: readonly number[]): CommonEntry | null {
  const { loops, isReducible } = naturalLoops(blocks);
  if (!isReducible) return null;
  const copies = new Copies(blocks, loops);
  const targets = entries.map((entry) => copies.enter(entry));
  if (!copies.finish()) return null;
  const { start } = elementAt(blocks, entries[0] ?? 0);
  const hub: BasicBlock = { start, end: start, exit: { kind: 'switch', targets, next: null } };
  return { blocks: [...copies.all, hub], entry: copies.all.length };
}

class Copies {
  readonly all: BasicBlock[];
  private readonly blocks: readonly BasicBlock[];
  /** For each block, the loops that contain it, the outermost first. */
  private readonly around: readonly (readonly NaturalLoop[])[];
  /**
   * The copies of each block. The inner keys are the numbers of surrounding loops that threads have entered in the
   * middle of an iteration. Threads finish these iterations in the copy, so the copy is not part of these loops.
   */
  private readonly known = new Map<number, Map<number, number>>();
  private readonly open: { readonly block: number; readonly partial: number; readonly copy: number }[] = [];

  constructor(blocks: readonly BasicBlock[], loops: readonly NaturalLoop[]) {
    this.blocks = blocks;
    this.all = [...blocks];
    const byLength = loops.toSorted((a, b) => b.body.size - a.body.size);
    this.around = blocks.map((_, block) => byLength.filter(({ body }) => body.has(block)));
  }

  /** Returns the copy of a block for threads that begin at this block. */
  enter(block: number): number {
    return this.copy(block, elementAt(this.around, block).length);
  }

  /** Connects the copies. Returns false if there are too many of them. */
  finish(): boolean {
    for (let top = this.open.pop(); top !== undefined; top = this.open.pop()) {
      if (this.all.length > mostBlocks) return false;
      const { block, partial, copy } = top;
      const original = elementAt(this.blocks, block);
      this.all[copy] = { ...original, exit: mapExit(original.exit, (next) => this.follow(block, partial, next)) };
    }
    return true;
  }

  private copy(block: number, partial: number): number {
    if (partial === 0) return block;
    const copies = this.known.get(block) ?? new Map<number, number>();
    this.known.set(block, copies);
    const found = copies.get(partial);
    if (found !== undefined) return found;
    const made = this.all.length;
    this.all.push(elementAt(this.blocks, block));
    copies.set(partial, made);
    this.open.push({ block, partial, copy: made });
    return made;
  }

  /** The copy of the block `next` that follows a copy of `block`. */
  private follow(block: number, partial: number, next: number): number {
    const around = elementAt(this.around, next);
    const stays = around.filter(({ body }) => body.has(block));
    const repeats = stays.some(({ start }) => start === next);
    return this.copy(next, Math.min(partial, repeats ? stays.length - 1 : stays.length));
  }
}

function mapExit(exit: BlockExit, to: (block: number) => number): BlockExit {
  const next = exit.next === null ? null : to(exit.next);
  switch (exit.kind) {
    case 'next':
      return { kind: 'next', next: to(exit.next) };
    case 'branch':
      return { ...exit, target: to(exit.target), next };
    case 'switch':
      return { ...exit, targets: exit.targets.map(to), next };
    case 'call':
    case 'end':
    case 'park':
      return { ...exit, next };
  }
}
