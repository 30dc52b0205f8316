/**
 * The sameness of a value describes how widely the value is shared: it is the largest kind of group in which all
 * threads see the same value. The kinds are listed from the smallest to the largest. A `gang` is a set of neighboring
 * threads of a warp whose indices differ only in x. If the sameness is `reading`, the value can differ even between two
 * reads by the same thread.
 */
const sizes = { reading: 0, thread: 1, gang: 2, warp: 3, block: 4, grid: 5 } as const;

export type Sameness = keyof typeof sizes;

/** Whether a value with the sameness `value` is the same for all threads within any one group of the kind `group`. */
export function isSameFor(value: Sameness, group: Sameness): boolean {
  return sizes[value] >= sizes[group];
}

/**
 * Given the sameness of two values, returns the sameness of a value that is computed from them: the smaller of the two.
 */
export function meet(a: Sameness, b: Sameness): Sameness {
  return isSameFor(a, b) ? b : a;
}
