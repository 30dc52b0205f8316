/** A function that computes a value on its first call, and returns the same value afterwards. */
export function once<T>(compute: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: compute() }).value;
}
