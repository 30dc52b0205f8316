/**
 * Compiles a separate module with code that runs a single thread at a time through a region. If threads run in groups
 * of four, this code runs only if the threads of a group diverge or if only some of them run. Most launches therefore
 * need this code for only a few regions or for none.
 */
import { elementAt } from '../base/element-at.ts';
import type { EngineCall } from './engine-call.ts';
import { Helpers } from './helpers.ts';
import { aloneImport, type KernelRegion, regionsOf } from './regions/alone.ts';
import { addCommonFunction, mostSeparate, sharingRegions } from './regions/common-region.ts';
import type { KernelShape } from './regions/kernel-shape.ts';
import { regionFunction, regionType } from './regions/region-function.ts';
import { lengthOf } from './regions/region-parts.ts';

/**
 * A module that exports a function for each region in `regions`. Each function is exported under the name by which the
 * kernel's module imports it.
 */
export interface AloneModule {
  readonly regions: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A request to compile the code of a region that was left out. */
export interface AloneRequest {
  readonly region: number;
  /** The regions that have been compiled before. */
  readonly compiled: ReadonlySet<number>;
  /** The engine calls of the kernel's module, to which the calls of the new module are added. */
  readonly engineCalls: EngineCall[];
  /** Called from time to time; it throws an error to stop the compilation. */
  readonly look: () => void;
}

/** Maximum total length, in instructions, of regions that are compiled together but to separate functions. */
const mostTogether = 512;

export function compileAlone(shape: KernelShape, request: AloneRequest): AloneModule {
  const { layout } = shape;
  const { engineCalls, look } = request;
  const helpers = new Helpers(layout.sharedMemory, layout.fuses);
  const own: KernelShape = { ...shape, helpers, engineCalls, layout: { ...layout, look } };
  const all = regionsOf(shape);
  const shared = addCommonFunction(own, all, leftOf(sharingRegions(all), request));
  const regions = shared.size === 0 ? separateRegions(all, request) : [...shared.keys()];
  for (const region of regions) {
    helpers.builder.export(aloneImport(region), shared.get(region) ?? addFunction(own, elementAt(all, region)));
  }
  return { regions, bytes: helpers.builder.encode() };
}

/**
 * Returns the regions of one kind that have not been compiled yet, including the requested region. They are compiled
 * together, because each module takes time. Returns an empty list if the requested region is of another kind, if it is
 * the only one left, or if it is one of the first of its kind.
 */
function leftOf(kind: readonly number[], { region, compiled }: AloneRequest): readonly number[] {
  const left = kind.filter((one) => !compiled.has(one));
  return left.includes(region) && left.length > 1 && kind.length - left.length >= mostSeparate ? left : [];
}

/**
 * Returns the requested region. If it ends where threads continue together, other short regions of this kind are added.
 */
function separateRegions(all: readonly KernelRegion[], request: AloneRequest): readonly number[] {
  const ending = all.flatMap(({ region: { until } }, i) => (until === null ? [] : [i]));
  const chosen = [request.region];
  let length = 0;
  for (const region of leftOf(ending, request)) {
    const { fn, region: code } = elementAt(all, region);
    length += lengthOf(fn, code);
    if (length > mostTogether) break;
    if (region !== request.region) chosen.push(region);
  }
  return chosen;
}

function addFunction(shape: KernelShape, { fn, region }: KernelRegion): number {
  return shape.helpers.builder.add(regionType, regionFunction(shape, fn, region));
}
