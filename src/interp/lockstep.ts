/**
 * Decides which threads of a warp may run at the instructions where the threads wait for each other
 * (program/lockstep.ts). The threads that are furthest behind in the code run first. Threads at the same instruction
 * form a group: each of them has a turn, in the order of the lanes, before any of them continues.
 */
import { elementAt } from '../base/element-at.ts';
import { warpSize } from '../machine/launch.ts';
import { type Block, mostAwaited, type Prepared, type Thread } from './thread.ts';

/**
 * Called when it is the turn of `thread`. Returns the thread of the same warp that should run next; null if `thread`
 * has to wait for other threads.
 */
export function nextInWarp(thread: Thread, block: Block, code: readonly Prepared[]): Thread | null {
  const { linear, pc, calls, isReleased } = thread;
  if (isReleased || block.tried > 0 || !elementAt(code, pc).catchesUp) return thread;
  const first = linear - (linear % warpSize);
  const others = block.threads
    .slice(first, first + warpSize)
    .filter((one) => one.activity === 'running' && one.calls.length === calls.length);
  if (others.some((one) => one.isReleased)) return null;
  const place = (one: Thread): number => elementAt(code, one.pc).place;
  if (others.some((one) => one.awaited > 0 && place(one) < place(thread))) return null;
  const together = others.filter((one) => one.pc === pc);
  for (const one of together) {
    one.isReleased = true;
    one.awaited = together.length === others.length ? mostAwaited : Math.max(0, one.awaited - 1);
  }
  return elementAt(together, 0);
}

/**
 * Whether some threads of a group at the same instruction have not had their turn yet. While there are such threads, no
 * other block may run, because it would see an access by the first lanes, such as the release of a lock, before the
 * other lanes have performed that access.
 */
export function isBetweenLanes(block: Block): boolean {
  return block.threads.some(({ isReleased, activity }) => isReleased && activity === 'running');
}
