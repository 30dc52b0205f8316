/**
 * A set of integers below a limit, with one bit for each integer. Used by analyses that form unions of many such sets.
 */
export class BitSet {
  readonly limit: number;
  /** Signed words. An array takes much less time to create than a typed array. */
  private readonly words: number[];

  constructor(limit: number, words: number[] = new Array<number>(Math.ceil(limit / 32)).fill(0)) {
    this.limit = limit;
    this.words = words;
  }

  static copyOf(other: BitSet): BitSet {
    return new BitSet(other.limit, other.words.slice());
  }

  has(number: number): boolean {
    return (((this.words[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }

  add(number: number): void {
    const word = number >>> 5;
    this.words[word] = (this.words[word] ?? 0) | (1 << (number & 31));
  }

  /** Adds a number, and returns true if the set did not contain it before. */
  insert(number: number): boolean {
    const isNew = !this.has(number);
    if (isNew) this.add(number);
    return isNew;
  }

  /** Removes a number, and returns true if the set contained it. */
  delete(number: number): boolean {
    if (!this.has(number)) return false;
    const word = number >>> 5;
    this.words[word] = (this.words[word] ?? 0) & ~(1 << (number & 31));
    return true;
  }

  /** The number of members. */
  get size(): number {
    let size = 0;
    for (const word of this.words) size += onesIn(word);
    return size;
  }

  /** Adds the members of `other` that are not in `except`. Returns true if this adds at least one member. */
  join(other: BitSet, except: BitSet | null = null): boolean {
    let changed = false;
    for (let i = 0; i < this.words.length; i++) {
      const before = this.words[i] ?? 0;
      const joined = before | ((other.words[i] ?? 0) & ~(except?.words[i] ?? 0));
      if (joined === before) continue;
      this.words[i] = joined;
      changed = true;
    }
    return changed;
  }

  /** Removes the members that are not in `other`. */
  meet(other: BitSet): void {
    for (let i = 0; i < this.words.length; i++) this.words[i] = (this.words[i] ?? 0) & (other.words[i] ?? 0);
  }

  /** Returns the members in ascending order. */
  numbers(): number[] {
    const found: number[] = [];
    this.each((number) => found.push(number));
    return found;
  }

  /** Calls a function with each member, in ascending order. */
  each(visit: (number: number) => void): void {
    for (let i = 0; i < this.words.length; i++) {
      for (let rest = this.words[i] ?? 0; rest !== 0; rest &= rest - 1) visit(32 * i + 31 - Math.clz32(rest & -rest));
    }
  }
}

/**
 * Returns the number of set bits in a word. Adds up neighboring bits, then neighboring pairs of bits, and then groups
 * of four bits.
 */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
