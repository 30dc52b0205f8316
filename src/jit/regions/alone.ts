/** The functions that run one thread at a time through a region, in kernels that also run four threads at a time. */
import { elementAt } from '../../base/element-at.ts';
import type { Region } from '../../program/regions.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import { canRunFour } from '../simd/four-regions.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';

export interface KernelRegion {
  readonly fn: FunctionShape;
  readonly region: Region;
}

/** Returns the regions of all functions that are not called directly, in the order of their indices. */
export function regionsOf({ functions, direct }: KernelShape): readonly KernelRegion[] {
  return functions.flatMap((fn, index) =>
    fn === null || direct.all.has(index) ? [] : fn.regions.map((region) => ({ fn, region })),
  );
}

/** For each region, the index of its function in the module; null if the function was left out of the module. */
export type AloneFunctions = readonly (number | null)[];

/**
 * Whether there may be launches that never run this region one thread at a time. This is the case if the region can run
 * four threads together, or if only threads that have diverged enter it.
 */
export function mayBeUnused({ fn, region }: KernelRegion): boolean {
  if (fn.four === null) return false;
  const { entry } = region;
  return canRunFour(fn, region) || (fn.four.partings.has(entry) && !fn.pauses.has(entry) && !fn.lockstep.has(entry));
}

/** Calls the function of a region. The function's parameters must be on the stack. */
export function writeAloneCall(code: Code, helpers: Helpers, functions: AloneFunctions, region: number): Code {
  const index = elementAt(functions, region);
  return index === null ? code.i32(region).call(helpers.import('alone')) : code.call(index);
}
