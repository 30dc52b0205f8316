/** Describes which threads are waiting at which lines, for messages about deadlocks. */

/** The index of a waiting thread in its block, and the line of the PTX source at which it is waiting. */
export interface Waiter {
  readonly thread: number;
  readonly line: number;
}

const shown = 4;

/** `line 12: threads 0, 2, 4, 6 and 28 more; line 20: thread 1`. */
export function whereThreadsWait(waiters: readonly Waiter[]): string {
  const lines = [...new Set(waiters.map(({ line }) => line))].sort((a, b) => a - b);
  return lines
    .map((line) => {
      const threads = waiters.filter((waiter) => waiter.line === line).map(({ thread }) => thread);
      return `line ${line}: ${listed('thread', threads)}`;
    })
    .join('; ');
}

/** Describes threads in loops that only another thread of their cluster could end. */
export function describeSpinning(waiters: readonly Waiter[]): string {
  return waiters.length === 0
    ? ''
    : `${waiters.length} in a loop that no thread will end (${whereThreadsWait(waiters)})`;
}

/** `threads 3, 4, 5, 6 and 2 more`. */
export function listed(what: string, numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const more = sorted.length - shown;
  const first = sorted.slice(0, more === 1 ? sorted.length : shown);
  const rest = more > 1 ? ` and ${more} more` : '';
  return `${what}${sorted.length === 1 ? '' : 's'} ${first.join(', ')}${rest}`;
}
