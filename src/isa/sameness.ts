/**
 * Sameness of a value: the largest group of threads in which all threads see the same value. Each group contains the
 * ones before it. A `gang` is a set of neighbouring threads of a warp that differ in x only. A value of sameness
 * `reading` can differ between two reads by one thread.
 */
export const samenesses = ['reading', 'thread', 'gang', 'warp', 'block', 'grid'] as const;

export type Sameness = (typeof samenesses)[number];

/** True if all threads of such a group see one value. */
export function isSameFor(value: Sameness, group: Sameness): boolean {
  return samenesses.indexOf(value) >= samenesses.indexOf(group);
}

/** The smaller of two groups: the sameness of a value that depends on both. */
export function meet(a: Sameness, b: Sameness): Sameness {
  return isSameFor(a, b) ? b : a;
}
