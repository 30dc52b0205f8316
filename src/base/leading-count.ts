/**
 * The number of elements at the start of a list of `length` that pass a test; once one element fails, all later ones
 * must fail too.
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
