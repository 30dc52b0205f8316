/**
 * Fills a large array by index and returns it. Filling the array with `from({ length })` or `map` would take four to
 * nine times as long.
 */
export function filled<T extends { readonly length: number; [index: number]: number }>(
  array: T,
  value: (index: number) => number,
): T {
  for (let i = 0; i < array.length; i++) array[i] = value(i);
  return array;
}
