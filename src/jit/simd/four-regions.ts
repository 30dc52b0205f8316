/** Which regions four threads can run together. */
import type { Region } from '../../program/regions.ts';
import type { FunctionShape } from '../regions/kernel-shape.ts';

export function canRunFour(fn: FunctionShape, region: Region): boolean {
  if (fn.landings.has(region.entry)) return false;
  // Regions that wait for others in a loop would gain nothing.
  if (region.order.some((block) => fn.pauses.has(block))) return false;
  const before = fn.blocks.findIndex(({ exit }) => exit.kind === 'park' && exit.resume === region.entry);
  return ![before, ...region.order].some((block) => stopsOddly(fn, block));
}

/** The stop is the whole instruction, apart from operands that are registers and constants. */
function stopsOddly({ blocks, program }: FunctionShape, number: number): boolean {
  const block = blocks[number];
  const stop = program.instructions[(block?.end ?? 0) - 1];
  if (block?.exit.kind !== 'park' || stop === undefined) return false;
  return stop.steps.length > 1 || stop.specials.length > 0 || stop.symbols.length > 0;
}
