/**
 * The sameness of a value is the largest group of threads in which all threads see the same value. Each group contains
 * the ones before it. A `gang` is a set of neighboring threads in a warp that differ only in x. A value with sameness
 * `reading` can differ between two reads by the same thread.
 */
export const samenesses = ['reading', 'thread', 'gang', 'warp', 'block', 'grid'] as const;

export type Sameness = (typeof samenesses)[number];

/** True if a value with this sameness is the same for all threads in such a group. */
export function isSameFor(value: Sameness, group: Sameness): boolean {
  return samenesses.indexOf(value) >= samenesses.indexOf(group);
}

/** The smaller of two groups, which is the sameness of a value that depends on two others. */
export function meet(a: Sameness, b: Sameness): Sameness {
  return isSameFor(a, b) ? b : a;
}
