/**
 * Records what a warp does, so that a user can step through it forward and backward.
 *
 * ```ts
 * const recording = await recordWarp(kernel, { grid: 1, block: 64, args: [a, b, c, 64] });
 * recording.steps[10]; // { line: 23, text: 'add.f32 %f3, %f1, %f2;', mask: 0xffffffff, … }
 * recording.registersAfter(10); // [{ name: '%f3', type: '.f32', values: [0x40400000, …] }, …]
 * ```
 *
 * @module
 */
import './base/platform-types.ts';
import { lockstep } from './debug/lockstep.ts';
import { Recording } from './debug/recording.ts';
import { requireArgument, requireOptions } from './base/require.ts';
import { either, type Rule, type RulesFor, whole } from './base/rules.ts';
import { untracedRules } from './device/check-options.ts';
import { Kernel } from './device/kernel.ts';
import { extentsOf } from './device/extent.ts';
import type { Extent, LaunchOptions } from './device/options.ts';
import type { TraceEvent } from './interp/trace.ts';
import { type Dim3, indexOf, linearOf } from './machine/extents.ts';
import { warpSize } from './machine/launch.ts';

export type { Bits } from './base/bits.ts';
export { type RecordedStep, Recording, type RegisterState, type RegisterWrite } from './debug/recording.ts';

export interface RecordOptions extends Omit<LaunchOptions, 'engine' | 'onTrace' | 'trace' | 'races' | 'signal'> {
  /** The block whose warp is recorded. A single number is the x index. Default 0. */
  readonly of?: number | Dim3;
  /** Index of the warp in the block. Default 0. */
  readonly warp?: number;
  /**
   * Maximum number of executed instructions to record, summed over the threads; the launch ends when this limit is
   * reached. Default 2^18.
   */
  readonly limit?: number;
}

const kernelRule: Rule<Kernel> = { takes: 'a kernel', accepts: (value) => value instanceof Kernel };

const blockRule: Rule<Dim3> = {
  takes: 'a list of three numbers',
  accepts: (value) => Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number'),
};

const rules: RulesFor<RecordOptions> = {
  ...untracedRules,
  of: either(whole(2 ** 31 - 1, '2^31 - 1'), blockRule),
  warp: whole(2 ** 31 - 1, '2^31 - 1'),
  limit: whole(2 ** 32, '2^32'),
};

/**
 * Launches a kernel on the reference engine and records one of its warps. What the launch has written to device memory
 * is kept, even if the recording stopped at its limit.
 *
 * @throws PtxlabError in the same cases as `Kernel.launch`, and `bad-trace` if the block or warp to be recorded is not
 * part of the launch
 */
export async function recordWarp(kernel: Kernel, options: RecordOptions = {}): Promise<Recording> {
  requireArgument('what is recorded', kernel, kernelRule);
  requireOptions(options, rules, 'recordWarp');
  const { of = 0, warp = 0, limit = 2 ** 18, ...launch } = options;
  const byLane: TraceEvent[][] = [];
  const full = new AbortController();
  let count = 0;
  const result = await kernel.launch({
    ...launch,
    engine: 'interp',
    signal: full.signal,
    trace: { block: of, thread: indexOf(warp * warpSize, extentsOf(launch.block ?? 1)), warp: true },
    onTrace: (event) => {
      if (++count > limit) full.abort();
      else laneOf(byLane, event, launch.block ?? 1).push(event);
    },
  });
  const isCut = count > limit;
  return new Recording(lockstep(byLane), byLane.length, result.ok || isCut ? null : result.fault, isCut);
}

function laneOf(byLane: TraceEvent[][], { thread }: TraceEvent, block: Extent): TraceEvent[] {
  const lane = linearOf(thread, extentsOf(block)) % warpSize;
  while (byLane.length <= lane) byLane.push([]);
  const found = byLane[lane];
  if (found === undefined) throw new Error(`a warp has no lane ${lane}`);
  return found;
}
