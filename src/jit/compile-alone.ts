/**
 * Compiles, as a separate module, the code that runs a single thread at a time through a region. If threads run in
 * groups of four, this code runs only if the threads of a group diverge or if only some of them run. Most launches
 * therefore need this code for only a few regions or for none.
 */
import { elementAt } from '../base/element-at.ts';
import type { EngineCall } from './engine-call.ts';
import { Helpers } from './helpers.ts';
import { regionsOf } from './regions/alone.ts';
import type { KernelShape } from './regions/kernel-shape.ts';
import { regionFunction, regionType } from './regions/region-function.ts';

/**
 * Returns a module that exports the function `alone`, which runs one thread at a time through the region.
 *
 * @param engineCalls the engine calls of the kernel's module, to which the calls of this module are added
 * @param look called from time to time; it throws an error to stop the compilation
 */
export function compileAlone(
  shape: KernelShape,
  region: number,
  engineCalls: EngineCall[],
  look: () => void,
): Uint8Array<ArrayBuffer> {
  const { layout } = shape;
  const helpers = new Helpers(layout.sharedMemory, layout.fuses);
  const own: KernelShape = { ...shape, helpers, engineCalls, layout: { ...layout, look } };
  const { builder } = helpers;
  const chosen = elementAt(regionsOf(shape), region);
  const alone = builder.declare(regionType);
  builder.define(alone, regionFunction(own, chosen.fn, chosen.region));
  builder.export('alone', alone);
  return builder.encode();
}
