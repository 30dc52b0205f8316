/**
 * How far a value is the same: the largest group of threads in which all see one value. Each group contains those
 * before it. A `gang` is neighbouring threads of a warp that differ in x only; a value of sameness `reading` can differ
 * between two readings of one thread.
 */
export const samenesses = ['reading', 'thread', 'gang', 'warp', 'block', 'grid'] as const;

export type Sameness = (typeof samenesses)[number];

/** True where all threads of such a group see one value. */
export function isSameFor(value: Sameness, group: Sameness): boolean {
  return samenesses.indexOf(value) >= samenesses.indexOf(group);
}

/** The smaller of two groups: where a value is the same that depends on both. */
export function meet(a: Sameness, b: Sameness): Sameness {
  return isSameFor(a, b) ? b : a;
}
