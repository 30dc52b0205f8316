/**
 * Finds deadlocks of threads that repeat loops in which they only wait for their cluster (program/waiting-loops.ts).
 */
import { elementAt } from '../base/element-at.ts';
import type { Block, Prepared, Thread } from './thread.ts';

/**
 * Only loops with fewer instructions than this are recognized as loops in which a thread only waits for its cluster.
 */
const longestSpin = 128;

/**
 * Whether a thread is in a loop in which it only waits for its cluster. `run` runs the next instruction of the thread,
 * or none if the thread first has to wait for others, and returns the number of instructions that it ran. `run` is
 * called until the thread has executed the loop once or has left it.
 */
export function onlySpins(thread: Thread, code: readonly Prepared[], run: () => number): boolean {
  const { pc } = thread;
  const { spin } = elementAt(code, pc);
  if (spin === null) return false;
  const isIn = (): boolean => thread.activity === 'running' && elementAt(code, thread.pc).spin === spin;
  for (let tried = 0; tried < longestSpin && isIn(); tried++) {
    if (run() > 0 && thread.pc === pc) return true;
  }
  return false;
}

/** The threads of a block that wait in loops, and the positions where these loops begin. */
export function spinningIn({ threads }: Block, code: readonly Prepared[]): readonly { thread: Thread; loop: number }[] {
  return threads.flatMap((thread) => {
    const loop = thread.activity === 'running' ? elementAt(code, thread.pc).spin : null;
    return loop === null ? [] : [{ thread, loop }];
  });
}
