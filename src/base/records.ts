/** Records whose keys are the names in a known list. */

/** The keys of a table. The table must have no keys other than those that its type lists. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(table) as K[];
}

/** Builds a record with a value for each name, in the order of the names. */
export function recordOf<K extends string, V>(names: readonly K[], make: (name: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, V>;
}
