/** The functions that run one thread at a time through a region, in kernels that also run four threads at a time. */
import type { Region } from '../../program/regions.ts';
import { canRunFour } from '../simd/four-regions.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';

export interface KernelRegion {
  readonly fn: FunctionShape;
  readonly region: Region;
}

/** Returns the regions of all functions that are not called directly, ordered by the indices of the regions. */
export function regionsOf({ functions, direct }: KernelShape): readonly KernelRegion[] {
  return functions.flatMap((fn, index) =>
    fn === null || direct.all.has(index) ? [] : fn.regions.map((region) => ({ fn, region })),
  );
}

/** For each region, the index of its function. If the function was left out of the module, it is imported. */
export type AloneFunctions = readonly number[];

/** The name under which a kernel's module imports a region's function if the module does not contain this function. */
export function aloneImport(region: number): string {
  return `alone${region}`;
}

/**
 * Whether there may be launches that never run this region one thread at a time. This is the case if the region can run
 * four threads together, or if it is entered only by threads that have diverged.
 */
export function mayBeUnused({ fn, region }: KernelRegion): boolean {
  if (fn.four === null) return false;
  const { entry } = region;
  return canRunFour(fn, region) || (fn.four.partings.has(entry) && !fn.pauses.has(entry) && !fn.lockstep.has(entry));
}
