/** Specifies which thread of a launch to trace, and on which lines. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import type { TraceEvent, Tracing } from '../interp/trace.ts';
import { blockNumberOf, type Dim3, indexOf, linearOf } from '../machine/extents.ts';
import { type LaunchShape, warpSize } from '../machine/launch.ts';

export interface TraceChoice {
  /** Index of the block in the grid; a single number is the x index. Default 0. */
  readonly block?: number | Dim3;
  /** Index of the thread in the block; a single number is the x index. Default 0. */
  readonly thread?: number | Dim3;
  /** Whether to trace the other threads of the warp as well. Default false. */
  readonly warp?: boolean;
  /** First and last line of the PTX text to trace, 1-based and inclusive. Default: all lines. */
  readonly lines?: readonly [first: number, last: number];
}

interface Options {
  readonly onTrace?: (event: TraceEvent) => void;
  readonly trace?: TraceChoice;
  readonly engine?: 'interp' | 'jit';
}

/**
 * What the reference engine should trace; null if the option `onTrace` is not set.
 *
 * @throws PtxlabError `bad-trace` if the launch has no such thread or runs on another engine
 */
export function tracingOf({ onTrace, trace = {}, engine }: Options, shape: LaunchShape): Tracing | null {
  if (onTrace === undefined) return null;
  if (engine === 'jit') throw new PtxlabError('bad-trace', "engine 'jit' cannot trace; use 'interp'");
  const thread = linear('thread', 'block', trace.thread ?? 0, shape.block);
  const first = thread - (thread % warpSize);
  return {
    block: blockNumberOf(indexOf(linear('block', 'grid', trace.block ?? 0, shape.grid), shape.grid), shape),
    threads: trace.warp === true ? [first, first + warpSize - 1] : [thread, thread],
    lines: trace.lines ?? [0, Number.POSITIVE_INFINITY],
    emit: onTrace,
  };
}

function linear(what: string, of: string, given: number | Dim3, extent: Dim3): number {
  const [x, y, z] = typeof given === 'number' ? [given, 0, 0] : given;
  const inside = [x, y, z].every((at, i) => Number.isSafeInteger(at) && at >= 0 && at < elementAt(extent, i));
  if (!inside) {
    throw new PtxlabError('bad-trace', `there is no ${what} (${x}, ${y}, ${z}) in a ${of} of ${extent.join(' x ')}`);
  }
  return linearOf([x, y, z], extent);
}
