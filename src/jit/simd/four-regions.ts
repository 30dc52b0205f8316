/** Finds the regions that four threads can run together. */
import type { Region } from '../../program/regions.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
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
