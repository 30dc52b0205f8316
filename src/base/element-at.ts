/**
 * Returns an element that must exist. In loops over many elements of a typed array, use the functions of
 * `typed-reads.ts` instead.
 */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`no element at index ${index}; the length is ${list.length}`);
  return found;
}

/** Returns the last element of a list that must not be empty. */
export function lastOf<T>(list: ArrayLike<T>): T {
  return elementAt(list, list.length - 1);
}

/** Returns the value of a key that must exist. */
export function valueAt<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const found = map.get(key);
  if (found === undefined) throw new Error(`no value for ${String(key)}`);
  return found;
}
