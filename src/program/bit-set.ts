/**
 * A set of integers below a limit, with one bit for each integer. Used by analyses that form unions of many such sets.
 */
export class BitSet {
  readonly limit: number;
  private readonly words: Words;

  constructor(limit: number, words: Words = zeros(Math.ceil(limit / 32))) {
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

  /**
   * Returns a set that contains each number i for which `numbers[i]` is a member of this set. The numbers must be
   * ascending.
   */
  select(numbers: readonly number[]): BitSet {
    const words: number[] = [];
    for (let start = 0; start < numbers.length; start += 32) {
      words.push(this.wordAt(numbers, start, Math.min(start + 32, numbers.length)));
    }
    return new BitSet(numbers.length, words);
  }

  private wordAt(numbers: readonly number[], start: number, end: number): number {
    const first = numbers[start] ?? 0;
    const isRun = end - start === 32 && (numbers[end - 1] ?? 0) === first + 31;
    if (isRun) {
      const [at, shift] = [first >>> 5, first & 31];
      const low = (this.words[at] ?? 0) >>> shift;
      return shift === 0 ? low | 0 : low | ((this.words[at + 1] ?? 0) << (32 - shift));
    }
    let word = 0;
    for (let i = start; i < end; i++) word |= (this.has(numbers[i] ?? 0) ? 1 : 0) << (i & 31);
    return word;
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

/** Signed words. */
type Words = number[] | Int32Array;

/** A short array takes much less time to create than a typed array, but a long one takes up twice as much memory. */
function zeros(count: number): Words {
  return count > 32 ? new Int32Array(count) : new Array<number>(count).fill(0);
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
