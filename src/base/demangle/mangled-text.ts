/** Maximum nesting depth of a name that is demangled; names with deeper nesting are left unchanged. */
const deepest = 100;

/** A mangled name that is read from left to right. */
export class MangledText {
  protected readonly text: string;
  /** The current position in the name; initially just after `_Z`. */
  protected at = 2;
  protected depth = 0;
  /**
   * Set when the name contains something that cannot be demangled. All methods then return early, and their results are
   * not used.
   */
  protected failed = false;

  constructor(text: string) {
    this.text = text;
  }

  protected isAtEnd(): boolean {
    return this.at >= this.text.length || this.text[this.at] === 'E';
  }

  protected take(code: string): boolean {
    const isHere = this.text.startsWith(code, this.at);
    if (isHere) this.at += code.length;
    return isHere;
  }

  protected expect(code: string): void {
    if (!this.take(code)) this.fail();
  }

  /** Reads the digits at the current position; returns an empty string if there are none. */
  protected number(): string {
    const start = this.at;
    while (isDigit(this.text[this.at] ?? '')) this.at++;
    return this.text.slice(start, this.at);
  }

  /**
   * Enters a nested part; returns false if the nesting is too deep. The caller must decrement `depth` after reading the
   * part.
   */
  protected enter(): boolean {
    if (++this.depth <= deepest && !this.failed) return true;
    this.fail();
    this.depth--;
    return false;
  }

  protected fail(): string {
    this.failed = true;
    this.at = this.text.length;
    return '';
  }
}

export function isDigit(letter: string): boolean {
  return letter >= '0' && letter <= '9';
}
