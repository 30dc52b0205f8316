const size = 1 << 14;

/**
 * Names of one text, each made a string once however often it is written: a direct-mapped cache, so that its memory
 * stays fixed, and a name that was pushed out is merely cut from the text again.
 */
export class NameTable {
  private readonly source: string;
  private readonly bytes: Uint8Array;
  private readonly strings: string[] = new Array<string>(size).fill('');
  /** Where the text of each slot's string stands. */
  private readonly starts: Uint32Array = new Uint32Array(size);
  private readonly lengths: Uint32Array = new Uint32Array(size);

  /** `bytes` are the character codes of `source`. */
  constructor(source: string, bytes: Uint8Array) {
    this.source = source;
    this.bytes = bytes;
  }

  /** The text from `start` to `end`; `hash` is any function of that text. */
  text(start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 14)) & (size - 1);
    const length = end - start;
    if (this.lengths[slot] === length && this.matches(this.starts[slot] as number, start, length)) {
      return this.strings[slot] as string;
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
