/**
 * Compiles the code for one thread at a time as a module of its own. If threads run in groups of four, many launches
 * never need this code: it runs only where the threads of a group diverge, or where only some of them take part.
 */
import { elementAt } from '../base/element-at.ts';
import type { Region } from '../program/regions.ts';
import { Code } from '../wasm/code.ts';
import { writeChoice } from './choose.ts';
import { aloneType, Helpers } from './helpers.ts';
import type { FunctionShape, KernelShape } from './regions/kernel-shape.ts';
import { regionFunction, regionType } from './regions/region-function.ts';

export interface KernelRegion {
  readonly fn: FunctionShape;
  readonly region: Region;
}

/** Returns the regions of all functions, in the order of their indices. */
export function regionsOf({ functions }: KernelShape): readonly KernelRegion[] {
  return functions.flatMap((fn) => fn?.regions.map((region) => ({ fn, region })) ?? []);
}

/** Whether only threads that have diverged from their group of four enter a region. */
export function runsOnlyAlone({ fn, region }: KernelRegion): boolean {
  return fn.four !== null && fn.four.partings.has(region.entry) && !fn.pauses.has(region.entry);
}

/** Returns the function of a region whose code is in the other module, at the given position in the list of regions. */
export function writeCallOfAlone(helpers: Helpers, position: number): Code {
  const code = new Code(regionType.parameters);
  code.i32(position);
  for (const parameter of regionType.parameters.keys()) code.get(parameter);
  return code.call(helpers.import('alone'));
}

/** Returns a module that exports the function `alone`, which runs the regions of a list; see `aloneType`. */
export function compileAlone(
  shape: KernelShape,
  regions: readonly KernelRegion[],
  look: () => void,
): Uint8Array<ArrayBuffer> {
  const { layout } = shape;
  const helpers = new Helpers(layout.sharedMemory, layout.fuses);
  const own: KernelShape = { ...shape, helpers, layout: { ...layout, look } };
  const { builder } = helpers;
  const functions = regions.map(({ fn, region }) => {
    const index = builder.declare(regionType);
    builder.define(index, regionFunction(own, fn, region));
    return index;
  });
  const alone = builder.declare(aloneType);
  builder.define(alone, choiceOf(functions));
  builder.export('alone', alone);
  return builder.encode();
}

function choiceOf(functions: readonly number[]): Code {
  const code = new Code(aloneType.parameters);
  const result = code.local('i32');
  writeChoice(
    code,
    functions.length,
    () => code.get(0),
    (position, done) => {
      for (const parameter of regionType.parameters.keys()) code.get(1 + parameter);
      code.call(elementAt(functions, position)).set(result).br(done);
    },
  );
  return code.get(result);
}
