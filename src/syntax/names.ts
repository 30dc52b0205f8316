import { wordAt } from '../base/typed-reads.ts';
const leastSlots = 1 << 6;
const mostSlots = 1 << 12;

/**
 * A cache for the names in one text, so that a name that occurs many times is stored as a single string. The cache is
 * direct-mapped and takes up a constant amount of memory. A name that has been evicted from the cache is extracted from
 * the text again.
 */
export class NameTable {
  private readonly source: string;
  private readonly bytes: Uint8Array;
  private readonly strings: string[];
  /** The offset in the text at which each slot's string begins. */
  private readonly starts: Uint32Array;
  private readonly lengths: Uint32Array;
  private readonly mask: number;

  /** @param bytes the character codes of `source` */
  constructor(source: string, bytes: Uint8Array) {
    this.source = source;
    this.bytes = bytes;
    // The table for a small module must be small, because one process may check thousands of small modules.
    let slots = leastSlots;
    while (slots < mostSlots && slots * 4 < source.length) slots *= 2;
    this.strings = new Array<string>(slots).fill('');
    this.starts = new Uint32Array(slots);
    this.lengths = new Uint32Array(slots);
    this.mask = slots - 1;
  }

  /**
   * The text from `start` to `end`. `hash` is the hash of the text. Any hash function may be used, as long as equal
   * strings have equal hashes.
   */
  text(start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 14)) & this.mask;
    const length = end - start;
    const known = this.strings[slot];
    if (
      known !== undefined &&
      this.lengths[slot] === length &&
      this.matches(wordAt(this.starts, slot), start, length)
    ) {
      return known;
    }
    const text = this.source.slice(start, end);
    this.strings[slot] = text;
    this.starts[slot] = start;
    this.lengths[slot] = length;
    return text;
  }

  private matches(known: number, start: number, length: number): boolean {
    const bytes = this.bytes;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== bytes[known + i]) return false;
    return true;
  }
}
