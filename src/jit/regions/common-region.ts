/**
 * One function for threads that begin at different blocks of a kernel, because they have diverged there. If each of
 * these blocks had a function of its own, most of the kernel would be compiled many times.
 */
import { elementAt } from '../../base/element-at.ts';
import { withCommonEntry } from '../../program/common-entry.ts';
import { liveness } from '../../program/liveness.ts';
import { regionFrom } from '../../program/regions.ts';
import { TrafficAnalysis } from '../../program/register-traffic.ts';
import { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import type { KernelRegion } from './alone.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';
import { commonType, regionFunction, regionType } from './region-function.ts';

/**
 * Maximum number of regions that have functions of their own although they could share one. The common function is
 * longer than the function of a single region, so it is worthwhile only for more regions than this.
 */
export const mostSeparate = 2;

/**
 * Returns the indices of the regions that can share a function: those that begin with a block at which threads may
 * diverge. Functions in which threads wait in loops are left out, because a paused thread continues in a region of its
 * own.
 */
export function sharingRegions(regions: readonly KernelRegion[]): readonly number[] {
  return regions.flatMap(({ fn, region: { entry, until } }, i) => {
    const isParting = until === null && fn.four?.partings.has(entry) === true;
    return isParting && fn.pauses.size + fn.lockstep.size === 0 ? [i] : [];
  });
}

/**
 * Adds to the module a function that some of the regions in `all` share. These regions belong to the same function of
 * the kernel. Returns, for each of them, the index of a function that runs only this region. The result is empty if the
 * regions cannot share a function.
 */
export function addCommonFunction(
  shape: KernelShape,
  all: readonly KernelRegion[],
  some: readonly number[],
): ReadonlyMap<number, number> {
  const regions = some.map((region) => elementAt(all, region));
  const [first] = regions;
  if (first === undefined) return new Map();
  const common = commonRegion(
    first.fn,
    regions.map(({ region }) => region.entry),
  );
  if (common === null) return new Map();
  const { builder } = shape.helpers;
  const index = builder.add(commonType, regionFunction(shape, common.fn, common.region));
  return new Map(some.map((region, i) => [region, addEntry(shape.helpers, index, i)]));
}

function commonRegion(fn: FunctionShape, entries: readonly number[]): KernelRegion | null {
  const common = withCommonEntry(fn.blocks, entries);
  if (common === null) return null;
  const { blocks, entry } = common;
  const live = liveness(fn.program, blocks);
  const traffic = new TrafficAnalysis(fn.program, blocks, live, fn.slots.keys());
  const landings = new Set([...fn.landings, entry]);
  return { fn: { ...fn, blocks, live, traffic, landings, commonEntry: entry }, region: regionFrom(blocks, entry) };
}

/** Adds a function that calls the common function with one of its entries. */
function addEntry({ builder }: Helpers, all: number, entry: number): number {
  const code = new Code(regionType.parameters);
  regionType.parameters.forEach((_, i) => code.get(i));
  return builder.add(regionType, code.i32(entry).call(all));
}
