/** Finds the regions that four threads can run together. */
import { elementAt } from '../../base/element-at.ts';
import type { RejoinEdge, Rejoins } from '../../program/register-traffic.ts';
import { type Region, withSuccessors } from '../../program/regions.ts';
import type { FourShape, FunctionShape } from '../regions/function-shape.ts';
import { letsCatchUp } from '../regions/region-facts.ts';

export function canRunFour(fn: FunctionShape, region: Region): boolean {
  const { entry } = region;
  if (fn.landings.has(entry)) return false;
  const isAfterCall = !fn.stopAt.has(entry) && fn.regionAt.get(entry) !== fn.firstRegion;
  if (isAfterCall) return false;
  // Running four threads together has no advantage in a region in which threads wait for other threads in a loop.
  if (region.order.some((block) => fn.pauses.has(block) || letsCatchUp(fn, block))) return false;
  const before = fn.blocks.findIndex(({ exit }) => exit.kind === 'park' && exit.resume === entry);
  return ![before, ...region.order].some((block) => stopsOddly(fn, block));
}

/**
 * Whether a block ends with a stop that code for four threads does not support: an instruction that has other steps in
 * addition to the stop, or operands that are neither registers nor constants.
 */
function stopsOddly({ blocks, program }: FunctionShape, number: number): boolean {
  const block = blocks[number];
  const stop = program.instructions[(block?.end ?? 0) - 1];
  if (block?.exit.kind !== 'park' || stop === undefined) return false;
  return stop.steps.length > 1 || stop.specials.length > 0 || stop.symbols.length > 0;
}

/**
 * A region with the control flow of code for four threads. `rejoins` contains the edges on which diverged threads
 * continue together.
 */
interface FourRegion {
  readonly region: Region;
  readonly rejoins: Rejoins;
}

export function fourRegion(fn: FunctionShape, { partings, rejoins }: FourShape, alone: Region): FourRegion {
  const found = new Map<number, RejoinEdge>();
  const successors = new Map<number, readonly number[]>();
  for (const block of alone.order) {
    if (!partings.has(block)) continue;
    const rejoin = rejoins.get(block);
    const isAlways = fn.program.instructions[elementAt(fn.blocks, block).start]?.guard === null;
    const next = isAlways ? [] : alone.next(block);
    if (rejoin === undefined) {
      successors.set(block, next);
      continue;
    }
    const { at, region } = rejoin;
    const isOnly = !next.includes(at);
    const reloaded = fn.traffic.changedIn(elementAt(fn.regions, region - fn.firstRegion), at);
    found.set(block, { at, reloaded, isOnly });
    successors.set(block, isOnly ? [at, ...next] : next);
  }
  const region = successors.size === 0 ? alone : withSuccessors(alone, successors);
  return { region, rejoins: found };
}
