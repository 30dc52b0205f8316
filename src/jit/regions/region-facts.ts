/** Determines how a region can end, and which registers it loads and stores. */
import { elementAt } from '../../base/element-at.ts';
import { successorsOf } from '../../program/flow.ts';
import type { Region } from '../../program/regions.ts';
import type { Rejoins, RegisterTraffic } from '../../program/register-traffic.ts';
import { usesOf } from '../../program/uses.ts';
import { outcome } from '../layout.ts';
import type { FunctionShape } from './function-shape.ts';

/** Returns where a region must load registers from the frame, and where it must store them back. */
export function trafficOf(fn: FunctionShape, region: Region, rejoins?: Rejoins): RegisterTraffic {
  const { program, blocks, landings, live, regionAt, firstRegion } = fn;
  const { entry } = region;
  if (landings.has(entry)) return fn.traffic.of(region, [], rejoins);
  // Registers do not have to be loaded from the frame at the start of a function, where they are zero, or after a call,
  // where they are restored from the call stack.
  const before = program.instructions[(blocks[entry]?.start ?? 0) - 1];
  const written = before === undefined ? [] : usesOf(before).writes;
  const isStop = fn.stopAt.has(entry) && regionAt.get(entry) !== firstRegion;
  return fn.traffic.of(region, isStop ? written : [...live.at(entry), ...written], rejoins);
}

/**
 * If running a region has only one possible outcome, returns this outcome: all threads end, or all reach the same stop.
 * In that case, the code of the region writes neither the states of the threads nor constant masks; callers that need
 * these values must write them themselves. Returns null if several outcomes are possible. If the region ends where
 * diverged threads continue together, returns `mixed`, because the caller ignores the outcome of such a region.
 */
export function soleOutcome(fn: FunctionShape, region: Region): number | null {
  if (region.until !== null) return outcome.mixed;
  if (goesOn(fn, region)) return null;
  const found = new Set<number | null>();
  for (const number of region.order) {
    const { exit } = elementAt(fn.blocks, number);
    if (fn.pauses.has(number)) return null;
    if (exit.kind === 'end') found.add(fn.program.entry ? outcome.allExited : null);
    if (exit.kind === 'park') found.add(outcome.allAt(fn.stopAt.get(exit.resume) ?? -1));
  }
  const [only = null] = found;
  return found.size === 1 ? only : null;
}

/** Whether a thread that leaves a block may reach an instruction at which the threads of its warp reconverge. */
export function letsCatchUp({ blocks, lockstep }: FunctionShape, number: number): boolean {
  return lockstep.size > 0 && successorsOf(elementAt(blocks, number)).some((next) => lockstep.has(next));
}

/**
 * Whether threads may continue in another region without waiting, either because of a call or because the region ends
 * where threads reconverge.
 */
export function goesOn(fn: FunctionShape, { order }: Region): boolean {
  return order.some((number) => elementAt(fn.blocks, number).exit.kind === 'call' || letsCatchUp(fn, number));
}

/** Returns the indices of the stops that a region can reach. */
export function stopsIn({ blocks, stopAt }: FunctionShape, { order }: Region): readonly number[] {
  return order.flatMap((number) => {
    const { exit } = elementAt(blocks, number);
    return exit.kind === 'park' ? [stopAt.get(exit.resume) ?? -1] : [];
  });
}
