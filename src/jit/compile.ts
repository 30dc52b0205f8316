/** Compiles a kernel to a WebAssembly module that runs its regions one after the other. */
import { elementAt } from '../base/element-at.ts';
import type { KernelProgram } from '../program/link.ts';
import { Code } from '../wasm/code.ts';
import type { FunctionType } from '../wasm/module.ts';
import { type CompiledKernel, describeKernel } from './compiled-kernel.ts';
import { pushField } from './context-field.ts';
import { passFunction } from './groups/passing.ts';
import { writeChoice } from './choose.ts';
import { unitFunction } from './groups/unit-runner.ts';
import { advanceFunction, completeFunction } from './groups/warp-runner.ts';
import { type AloneModule, type AloneRequest, compileAlone } from './compile-alone.ts';
import { type AloneFunctions, aloneImport, type KernelRegion, mayBeUnused, regionsOf } from './regions/alone.ts';
import { addCommonFunction, mostSeparate, sharingRegions } from './regions/common-region.ts';
import { type EngineCall, recorder } from './engine-call.ts';
import { fourFunction } from './simd/four-function.ts';
import { type KernelShape, kernelShapeOf } from './regions/kernel-shape.ts';
import { laneCount } from './simd/vectors.ts';
import { context, type ContextField, type LaunchLayout, outcome } from './layout.ts';
import { regionFunction, regionType } from './regions/region-function.ts';

/**
 * A compiled kernel, and its module in the WebAssembly binary format. The module exports the functions `run` and
 * `runBlocks`. If threads of a warp exchange values, it also exports `advance` and `complete`.
 */
export interface Compilation {
  readonly kernel: CompiledKernel;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `engineCalls` list of `kernel`. If more code is compiled later, its calls are added to this list. */
  readonly engineCalls: EngineCall[];
  /** The regions whose single-thread code was left out (see `aloneLater`). */
  readonly leftOut: readonly number[];
  readonly compileAlone: CompileAlone;
}

/** Compiles the code of a region that was left out; see compile-alone.ts. */
export type CompileAlone = (request: AloneRequest) => AloneModule;

export function compileKernel(kernel: KernelProgram, layout: LaunchLayout): Compilation {
  const shape = kernelShapeOf(kernel, layout);
  const { helpers } = shape;
  const regions = regionsOf(shape);
  const leftOut = new Map(
    regions.flatMap((region, i) =>
      layout.aloneLater && mayBeUnused(region) ? [[i, helpers.builder.importFunction(aloneImport(i), regionType)]] : [],
    ),
  );
  const sharing = layout.aloneLater ? [] : sharingRegions(regions);
  const shared = addCommonFunction(shape, regions, sharing.length > mostSeparate ? sharing : []);
  const given = new Map([...leftOut, ...shared]);
  const functions = regions.map((_, i) => given.get(i) ?? helpers.builder.declare(regionType));
  const fours = regions.map((region, i) => {
    if (!given.has(i)) helpers.builder.define(elementAt(functions, i), regionFunction(shape, region.fn, region.region));
    return compileFour(shape, region, functions);
  });
  const run = helpers.builder.add(runType, runFunction(shape, functions, fours));
  const unit = shape.inWarps ? runsWarps(shape, run) : run;
  helpers.builder.export('run', unit);
  helpers.builder.export('runBlocks', helpers.builder.add(runBlocksType, runBlocksFunction(shape, unit)));
  return {
    kernel: describeKernel(shape),
    bytes: helpers.builder.encode(),
    engineCalls: shape.engineCalls,
    leftOut: [...leftOut.keys()],
    compileAlone: (request) => compileAlone(shape, request),
  };
}

/** Exports the functions for warps, and returns the index of the function that runs a warp as far as possible. */
function runsWarps(shape: KernelShape, run: number): number {
  const { builder } = shape.helpers;
  const advance = advanceFunction(shape, run);
  builder.export('advance', advance);
  builder.export('complete', completeFunction(shape));
  return builder.add(runType, unitFunction(shape, runType, { run, advance }));
}

/**
 * Defines the function that runs four threads at a time through a region, and returns its index; null if the region has
 * no such function.
 */
function compileFour(shape: KernelShape, { fn, region }: KernelRegion, functions: AloneFunctions): number | null {
  const four = fourFunction(shape, fn, region, functions);
  return four === null ? null : shape.helpers.builder.add(regionType, four);
}

/**
 * The type of `run`. The function takes the address of the block's context, the region to start with, the first thread,
 * the end of the thread range, and a mask of the lanes that are to run. It returns an outcome (see layout.ts).
 */
const runType: FunctionType = { parameters: ['i32', 'i32', 'i32', 'i32', 'i32'], results: ['i32'] };

/**
 * Runs regions one after the other while all threads continue together. If the kernel has places where the threads of a
 * warp reconverge, and only some lanes of the warp are running, only one region is run, because the other lanes may be
 * behind.
 */
function runFunction(shape: KernelShape, functions: AloneFunctions, fours: readonly (number | null)[]): Code {
  const { helpers, layout, engineCalls } = shape;
  const code = new Code(runType.parameters);
  const [contextAddress, region, first, behind, members] = [0, 1, 2, 3, 4] as const;
  const fuelAt = layout.origin + context.fuel;
  const loopCall = recorder(engineCalls, 0)({ kind: 'loop' });
  const pushParameters = (): Code => code.get(contextAddress).get(first).get(behind).get(members);
  // Code for four threads can be used only if the four threads are neighbors in x. If the number of threads in x is a
  // multiple of four, this is always the case.
  const inFours = code.local('i32');
  code
    .get(contextAddress)
    .memory('i32.load', layout.origin + context.threadsX)
    .get(first)
    .op('i32.or')
    .get(behind);
  code
    .op('i32.or')
    .i32(laneCount - 1)
    .op('i32.and', 'i32.eqz')
    .set(inFours);
  if (shape.inWarps) {
    // Four-thread code is used only if the mask of the threads to run includes at least one complete group of four.
    code.get(inFours).get(members);
    for (const lane of [1, 2, 3]) code.get(members).i32(lane).op('i32.shr_u', 'i32.and');
    code.i32(0x11111111).op('i32.and').i32(0).op('i32.ne', 'i32.and').set(inFours);
  }
  code.loop((again) => {
    code.get(contextAddress).memory('i32.load', fuelAt).i32(0).op('i32.le_s');
    code.if(() => {
      code.get(contextAddress).i32(loopCall).get(first).get(contextAddress).memory('i32.load', fuelAt);
      code.call(helpers.import('refuel')).memory('i32.store', fuelAt);
    });
    const pushRegion = (): Code => code.get(region);
    writeChoice(code, functions.length, pushRegion, (index, done) => {
      if (shape.spins.size > 0 && !shape.spins.has(index)) {
        code
          .get(contextAddress)
          .i32(1)
          .memory('i32.store', layout.origin + context.moved);
      }
      const four = fours[index] ?? null;
      const callAlone = (): Code => pushParameters().call(elementAt(functions, index)).set(region);
      if (four === null) callAlone();
      else code.get(inFours).if(() => pushParameters().call(four).set(region), callAlone);
      code.br(done);
    });
    if (shape.catchesUp) {
      code.get(region).i32(0).op('i32.ge_s').get(members).op('i32.popcnt');
      code.get(behind).get(first).op('i32.sub', 'i32.ne', 'i32.and');
      code.if(() => code.get(region).op('return'));
    }
    if (shape.stops.length > 0) {
      code.get(region).i32(outcome.allAt(0)).op('i32.le_s');
      code.if(() => {
        if (shape.yieldsAtStops) spendStop(code, layout, () => code.get(region).op('return'));
        code.get(contextAddress).get(first).get(behind).get(members).get(region).call(passFunction(shape)).set(region);
      });
    }
    code.get(region).i32(0).op('i32.ge_s').brIf(again);
  });
  return code.get(region);
}

/**
 * Writes code for a stop that the threads have reached. If the turn of their block is over, the threads do not
 * continue.
 */
function spendStop(code: Code, layout: LaunchLayout, end: () => void): void {
  const left = code.local('i32');
  code.get(0);
  pushField(code, layout, 'stopsLeft').i32(1).op('i32.sub').tee(left);
  code.memory('i32.store', layout.origin + context.stopsLeft);
  code.get(left).i32(0).op('i32.lt_s').if(end);
}

/**
 * The type of `runBlocks`. It takes the context, the number of blocks, and the number of threads per unit, and returns
 * the outcome of the last unit that it ran.
 */
const runBlocksType: FunctionType = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] };

/**
 * Runs blocks one after the other, starting with the block whose index is in the context. Each block runs unit by unit,
 * where a unit is a warp or the whole block. Stops at the first block that has to wait for something before it can
 * finish. The context then contains the index of this block.
 */
function runBlocksFunction({ layout, inWarps }: KernelShape, run: number): Code {
  const code = new Code(runBlocksType.parameters);
  const [contextAddress, count, size] = [0, 1, 2] as const;
  const [result, first, behind, threads] = [
    code.local('i32'),
    code.local('i32'),
    code.local('i32'),
    code.local('i32'),
  ] as const;
  const field = (name: ContextField): Code => pushField(code, layout, name);
  field('threads').set(threads);
  code.block((stop) => {
    code.loop((nextBlock) => {
      code.i32(0).set(first);
      code.loop((nextUnit) => {
        code.get(first).get(size).op('i32.add').tee(behind).get(threads).get(behind).get(threads);
        code.op('i32.lt_u', 'select').set(behind);
        code.get(contextAddress).i32(0).get(first).get(behind).i32(-1);
        if (inWarps) code.get(first).get(behind).op('i32.sub', 'i32.shr_u');
        code.call(run).tee(result);
        code.i32(outcome.allExited).op('i32.ne').brIf(stop);
        code.get(behind).tee(first).get(threads).op('i32.lt_u').brIf(nextUnit);
      });
      code.get(count).i32(1).op('i32.sub').tee(count).op('i32.eqz').brIf(stop);
      nextIndex(code, field, layout.origin);
      code
        .get(contextAddress)
        .i32(0)
        .memory('i32.store', layout.origin + context.strayed);
      field('shared').i32(layout.origin).op('i32.add').i32(0);
      field('sharedSize').fill();
      if (layout.tensorBytes > 0) {
        field('tensor').i32(layout.origin).op('i32.add').i32(0).i32(layout.tensorBytes).fill();
      }
      code.br(nextBlock);
    });
  });
  code
    .get(contextAddress)
    .get(first)
    .memory('i32.store', layout.origin + context.unit);
  return code.get(result);
}

function nextIndex(code: Code, field: (name: ContextField) => Code, origin: number): void {
  const store = (name: ContextField, push: () => unknown): void => {
    code.get(0);
    push();
    code.memory('i32.store', origin + context[name]);
  };
  const advance = (axis: 'X' | 'Y' | 'Z', wrapped: () => void): void => {
    store(`block${axis}`, () => field(`block${axis}`).i32(1).op('i32.add'));
    if (axis === 'Z') return;
    field(`block${axis}`);
    field(`blocks${axis}`).op('i32.eq');
    code.if(() => {
      store(`block${axis}`, () => code.i32(0));
      wrapped();
    });
  };
  advance('X', () => advance('Y', () => advance('Z', () => undefined)));
}
