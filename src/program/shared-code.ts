/**
 * Finds places where regions end, so that the code after these places is shared. Otherwise, every region would have its
 * own copy of the blocks that threads can reach from the point where they resume, so a loop with many calls, barriers
 * or waiting loops would be copied many times.
 */
import { type BasicBlock, blocksOf, successorsOf } from './flow.ts';
import { BlockTree } from './block-tree.ts';
import { elementAt } from '../base/element-at.ts';
import type { FunctionProgram } from './function-program.ts';
import { waitingLoops } from './waiting-loops.ts';

/**
 * Limits on the number of blocks that all regions contain together, where a block counts once for each region: a fixed
 * limit, and a limit for each block of the function. Regions share code only if the number exceeds the larger limit.
 */
export interface CopyLimits {
  readonly total: number;
  readonly each: number;
}

const usualLimits: CopyLimits = { total: 2048, each: 4 };

/**
 * Returns the instructions before which regions must end, so that almost every block belongs to a single region. The
 * set is empty if the regions of a function contain few copies of blocks.
 *
 * @param points the instructions before which regions end in any case
 */
export function sharedCode(
  program: FunctionProgram,
  builtins: ReadonlySet<number>,
  points: ReadonlySet<number>,
  { total, each }: CopyLimits = usualLimits,
): ReadonlySet<number> {
  const blocks = blocksOf(program, builtins, points);
  const most = Math.max(total, each * blocks.length);
  if (blocks.length ** 2 <= most) return new Set();
  const begins = new Set([0, ...waitingLoops(program, blocks).keys()]);
  const ends = new Set<number>();
  blocks.forEach(({ start, exit }, i) => {
    if (points.has(start)) ends.add(i);
    if (exit.kind === 'call' || exit.kind === 'park') begins.add(exit.resume);
  });
  const all = new Set([...begins, ...ends]);
  if (!copiesMore(blocks, all, ends, most)) return new Set();
  return new Set(meetings(blocks, all).map((block) => elementAt(blocks, block).start));
}

/** Whether the regions that begin at the given blocks have more than `most` blocks in total. */
function copiesMore(
  blocks: readonly BasicBlock[],
  begins: ReadonlySet<number>,
  ends: ReadonlySet<number>,
  most: number,
): boolean {
  if (begins.size * blocks.length <= most) return false;
  const seen = new Int32Array(blocks.length).fill(-1);
  let count = 0;
  for (const entry of begins) {
    const open = [entry];
    seen[entry] = entry;
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      if (++count > most) return true;
      for (const next of successorsOf(elementAt(blocks, block))) {
        if (seen[next] === entry || ends.has(next)) continue;
        seen[next] = entry;
        open.push(next);
      }
    }
  }
  return false;
}

/** Returns the first blocks that several regions reach. */
function meetings(blocks: readonly BasicBlock[], begins: ReadonlySet<number>): readonly number[] {
  const outside = blocks.length;
  const tree = new BlockTree(outside, (block) =>
    block === outside ? [...begins] : successorsOf(elementAt(blocks, block)),
  );
  return tree.order.filter((block, rank) => tree.above(block) === outside && elementAt(tree.sources, rank).length > 1);
}
