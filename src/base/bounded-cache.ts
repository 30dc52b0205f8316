/**
 * A cache of limited size that creates each value when its key is first requested. When the cache is full, it drops the
 * oldest entry.
 */
export class BoundedCache<K, V> {
  private readonly most: number;
  private readonly made = new Map<K, V>();

  constructor(most: number) {
    this.most = most;
  }

  /** Returns the value for the key. If the cache does not contain the value, it is created first. */
  of(key: K, make: () => V): V {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const fresh = make();
    const [oldest] = this.made.keys();
    if (this.made.size >= this.most && oldest !== undefined) this.made.delete(oldest);
    this.made.set(key, fresh);
    return fresh;
  }
}
