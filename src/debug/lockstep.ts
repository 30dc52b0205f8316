/**
 * Merges the instruction sequences executed by the threads of a warp into one sequence for the whole warp. In each
 * step, one or more threads execute the same instruction. If the next instructions of the threads differ, the one that
 * comes first in the program text is executed first. Threads that have left a loop or a branch therefore wait for the
 * other threads at the instruction where they rejoin.
 */
import { elementAt } from '../base/element-at.ts';
import type { TraceEvent } from '../interp/trace.ts';

/** One instruction, executed by the threads of `mask`. */
export interface LockstepGroup {
  /** The lanes that execute the instruction: bit 0 stands for lane 0. */
  readonly mask: number;
  /** One event for each lane in the mask, lowest lane first. */
  readonly events: readonly TraceEvent[];
}

/**
 * @param byLane the events of each lane, in the order in which the lane executed them
 * @yields the steps of the warp; each event is part of exactly one step
 */
export function* lockstep(byLane: readonly (readonly TraceEvent[])[]): Generator<LockstepGroup> {
  const next = byLane.map(() => 0);
  for (;;) {
    let chosen: TraceEvent | null = null;
    byLane.forEach((events, lane) => {
      const event = events[elementAt(next, lane)];
      if (event !== undefined && (chosen === null || event.line < chosen.line)) chosen = event;
    });
    if (chosen === null) return;
    yield take(byLane, next, chosen);
  }
}

function take(byLane: readonly (readonly TraceEvent[])[], next: number[], { line, text }: TraceEvent): LockstepGroup {
  let mask = 0;
  const events: TraceEvent[] = [];
  byLane.forEach((own, lane) => {
    const at = elementAt(next, lane);
    const event = own[at];
    if (event === undefined || event.line !== line || event.text !== text) return;
    mask |= 1 << lane;
    events.push(event);
    next[lane] = at + 1;
  });
  return { mask: mask >>> 0, events };
}
