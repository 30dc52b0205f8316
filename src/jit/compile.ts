/** A function compiled: a WebAssembly module with one function for each region. */
import { blocksOf } from '../program/flow.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import { liveness } from '../program/liveness.ts';
import { regionsOf } from '../program/regions.ts';
import { Helpers } from './helpers.ts';
import { alignTo16, type LaunchLayout } from './layout.ts';
import { type KernelShape, regionFunction, regionType } from './region-function.ts';
import type { Site } from './site.ts';

export interface CompiledFunction {
  readonly program: FunctionProgram;
  readonly layout: LaunchLayout;
  /** The module in the binary format; it exports `region0`, `region1`, … */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Line of the instruction that leads to each region; 0 for the first. */
  readonly lines: readonly number[];
  /** Bytes that a thread needs between regions. */
  readonly frameBytes: number;
  readonly sites: readonly Site[];
}

/** @throws PtxlabError `not-lowered` for what the fast engine does not know */
export function compileFunction(program: FunctionProgram, layout: LaunchLayout): CompiledFunction {
  const blocks = blocksOf(program);
  const regions = regionsOf(blocks);
  const live = liveness(program, blocks);
  const carried = new Set(regions.slice(1).flatMap(({ entry }) => live[entry] ?? []));
  const slots = new Map([...carried].map((place, i) => [place, 8 * i] as const));
  const helpers = new Helpers();
  const shape: KernelShape = {
    program,
    layout,
    helpers,
    blocks,
    live,
    regionAt: new Map(regions.map(({ entry }, i) => [entry, i] as const)),
    slots,
    frameBytes: alignTo16(8 * slots.size),
    sites: [],
  };
  regions.forEach((region, i) => {
    const index = helpers.builder.declare(regionType);
    helpers.builder.define(index, regionFunction(shape, region));
    helpers.builder.export(`region${i}`, index);
  });
  const lineBefore = (block: number): number => {
    const start = blocks[block]?.start ?? 0;
    return program.instructions[start - 1]?.line ?? 0;
  };
  return {
    program,
    layout,
    bytes: helpers.builder.encode(),
    lines: regions.map(({ entry }) => lineBefore(entry)),
    frameBytes: shape.frameBytes,
    sites: shape.sites,
  };
}
