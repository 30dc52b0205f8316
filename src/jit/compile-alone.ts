/**
 * Compiles the code that runs a single thread at a time, as a separate module. If threads run in groups of four, many
 * launches never need this code: it runs only if the threads of a group diverge, or if only some of them run.
 */
import { elementAt } from '../base/element-at.ts';
import { Code } from '../wasm/code.ts';
import { writeChoice } from './choose.ts';
import { aloneType, Helpers } from './helpers.ts';
import { type AloneFunctions, regionsOf } from './regions/alone.ts';
import type { KernelShape } from './regions/kernel-shape.ts';
import { regionFunction, regionType } from './regions/region-function.ts';

/**
 * Returns a module that exports the function `alone`; see `aloneType`. For each region, `later` is true if the region
 * was left out of the kernel's module.
 */
export function compileAlone(shape: KernelShape, later: readonly boolean[], look: () => void): Uint8Array<ArrayBuffer> {
  const { layout } = shape;
  const helpers = new Helpers(layout.sharedMemory, layout.fuses);
  const own: KernelShape = { ...shape, helpers, layout: { ...layout, look } };
  const { builder } = helpers;
  const functions = regionsOf(shape).map(({ fn, region }, i) => {
    if (!elementAt(later, i)) return null;
    const index = builder.declare(regionType);
    builder.define(index, regionFunction(own, fn, region));
    return index;
  });
  const alone = builder.declare(aloneType);
  builder.define(alone, choiceOf(functions));
  builder.export('alone', alone);
  return builder.encode();
}

function choiceOf(functions: AloneFunctions): Code {
  const code = new Code(aloneType.parameters);
  const result = code.local('i32');
  const pushRegion = (): Code => code.get(aloneType.parameters.length - 1);
  writeChoice(code, functions.length, pushRegion, (region, done) => {
    const index = elementAt(functions, region);
    if (index === null) {
      code.op('unreachable');
      return;
    }
    for (const parameter of regionType.parameters.keys()) code.get(parameter);
    code.call(index).set(result).br(done);
  });
  return code.get(result);
}
