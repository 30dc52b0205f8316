const size = 1 << 14;

/**
 * Names of one source text, each made a string once however often it is written: a direct-mapped cache, so that its
 * memory stays fixed and a name that was pushed out is merely cut from the text again.
 */
export class NameTable {
  private readonly source: string;
  private readonly slots: string[] = new Array<string>(size).fill('');

  constructor(source: string) {
    this.source = source;
  }

  /** The text from `start` to `end`; `hash` is any function of that text. */
  text(start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 14)) & (size - 1);
    const known = this.slots[slot] as string;
    if (this.matches(known, start, end)) return known;
    const text = this.source.slice(start, end);
    this.slots[slot] = text;
    return text;
  }

  private matches(known: string, start: number, end: number): boolean {
    const length = end - start;
    if (known.length !== length) return false;
    const source = this.source;
    for (let i = 0; i < length; i++) {
      if (source.charCodeAt(start + i) !== known.charCodeAt(i)) return false;
    }
    return true;
  }
}
