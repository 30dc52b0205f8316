/**
 * Returns how many elements at the start of a list pass a test. All elements after the first one that fails must fail,
 * too, because the function uses binary search.
 */
export function leadingCount(length: number, passes: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
