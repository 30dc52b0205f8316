/** Things that are made once for a key and kept. Of too many the one that was made first is forgotten. */
export class Kept<K, V> {
  private readonly most: number;
  private readonly made = new Map<K, V>();

  constructor(most: number) {
    this.most = most;
  }

  /** What was made for the key, or is now. */
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
