/**
 * A cache of limited size that creates each value when its key is first requested. When the cache is full, it drops the
 * oldest entry.
 */
export class BoundedCache<K, V> {
  private readonly most: number;
  private readonly kept: (key: K) => K;
  private readonly made = new Map<K, V>();
  /** The keys that have not been dropped, oldest first; null until the cache is full. */
  private oldest: MapIterator<K> | null = null;

  /**
   * @param most the maximum number of entries
   * @param kept returns the key to store with a new value; the stored key must be equal to the requested one. For keys
   *   that are parts of a larger text, use `ownText`.
   */
  constructor(most: number, kept: (key: K) => K = (key) => key) {
    this.most = most;
    this.kept = kept;
  }

  /** Returns the value for the key. If the cache does not contain the value, it is created first. */
  of(key: K, make: () => V): V {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const fresh = make();
    if (this.made.size >= this.most) this.dropOldest();
    this.made.set(this.kept(key), fresh);
    return fresh;
  }

  private dropOldest(): void {
    // A new iterator would first have to skip the slots of all deleted entries, which takes longer than creating most
    // values.
    this.oldest ??= this.made.keys();
    const next = this.oldest.next();
    if (next.done !== true) this.made.delete(next.value);
  }
}
