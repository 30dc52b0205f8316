import { toAscii } from './ascii.ts';
import { NameTable } from './names.ts';
import { CharClass, classes, pairedOperator, Start, starts, Token } from './tokens.ts';

const newline = 10;
const carriageReturn = 13;
const quote = 0x22;
const star = 0x2a;
const dot = 0x2e;
const slash = 0x2f;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const firstLetter = 0x41;
const unsignedSuffix = 0x55;
const capitalW = 0x57;
const leftBracket = 0x5b;
const rightBracket = 0x5d;
const lowerB = 0x62;
const lowerD = 0x64;
const lowerE = 0x65;
const lowerF = 0x66;
const lowerX = 0x78;
const rightBrace = 0x7d;
const byteOrderMark = 0xfeff;

/**
 * Matches `# 12 "file.cu"` and `#line 12 "file.cu"`. These are the only preprocessor lines that ptxas accepts, and it
 * ignores them.
 */
const lineMarker: RegExp = /#[ \t]*(?:line[ \t]+)?\d+[ \t]+"[^"\n]*"[ \t\d]*(?=[\r\n]|$)/y;

/**
 * Reads PTX token by token. The fields `kind`, `start` and `end` describe the current token, and {@link next} advances
 * to the next one. No objects are created for tokens, and the text of a token is extracted only when it is requested.
 */
export class Lexer {
  readonly source: string;
  kind: number = Token.End;
  start = 0;
  end = 0;
  /** End of the token before the current one. */
  previousEnd = 0;
  /** The end of the mnemonic that was most recently read by {@link mnemonic}. */
  mnemonicEnd = 0;
  /**
   * True if the lexer has come across an unterminated string or comment, which it can detect only by examining all of
   * the remaining text.
   */
  metOpenEnd = false;
  /** The offset of the first character that ptxas rejects even in a comment (NUL, or anything outside ASCII), or -1. */
  readonly foreign: number;
  /** The character codes, followed by some NULs. */
  readonly bytes: Uint8Array;
  private readonly names: NameTable;
  private hash = 0;

  /** `isStart` is true if `source` is the start of a module, where a byte order mark is allowed. */
  constructor(source: string, isStart = true) {
    this.source = source;
    const { bytes, foreign } = toAscii(source);
    this.bytes = bytes;
    this.names = new NameTable(source, bytes);
    this.foreign = foreign;
    if (isStart && source.charCodeAt(0) === byteOrderMark) this.end = 1;
  }

  /** Advances to the next token. At the end of the text, further calls have no effect. */
  next(): void {
    const bytes = this.bytes;
    let at = this.end;
    this.previousEnd = at;
    for (;;) {
      const c = bytes[at] ?? 0;
      switch (starts[c]) {
        case Start.space:
          at++;
          break;
        case Start.single:
          this.kind = c;
          this.start = at;
          this.end = at + 1;
          return;
        case Start.letter:
        case Start.sigil:
          return this.readName(at, c);
        case Start.dot:
          return this.readDotted(at);
        case Start.digit:
          return this.readNumber(at);
        default: {
          const after = this.readRare(at, c);
          if (after < 0) return;
          at = after;
        }
      }
    }
  }

  /**
   * Goes back to an earlier token and makes it the current one again. The token starts at `start`, and the token before
   * it ends at `previousEnd`.
   */
  rewind(start: number, previousEnd: number): void {
    this.end = start;
    this.next();
    this.previousEnd = previousEnd;
  }

  /** Skips to the first token after `end`. This is used when other code has already read the text up to that point. */
  goOn(end: number): void {
    this.end = end;
    this.next();
  }

  /**
   * Stops reading and ignores the rest of the text: from now on, the current token is the one that marks the end of the
   * text.
   */
  stop(): void {
    const { length } = this.source;
    this.take(Token.End, length, length);
  }

  /**
   * The current token's text. If the text is a name that is in the cache, the string object from the cache is returned.
   */
  text(): string {
    if (this.kind === Token.Name || this.kind === Token.Dotted) return this.names.text(this.start, this.end, this.hash);
    return this.source.slice(this.start, this.end);
  }

  /**
   * Reads the dot-separated parts of an opcode, which must be the current token. Unlike other dotted words, they may
   * start with a digit (`.1d`). Returns the opcode together with its parts as one string. White space may precede a dot
   * but not follow one. Afterwards, the token after the mnemonic is current, and {@link mnemonicEnd} is the end of the
   * mnemonic.
   */
  mnemonic(): string {
    const from = this.start;
    const end = this.skipParts(this.end, this.hash);
    let text = this.names.text(from, end, this.hash);
    this.end = end;
    this.mnemonicEnd = end;
    this.next();
    while (this.bytes[this.start] === dot) {
      const after = this.skipParts(this.start, 0);
      if (after === this.start) break;
      text += this.source.slice(this.start, after);
      this.end = after;
      this.mnemonicEnd = after;
      this.next();
    }
    return text;
  }

  /** The value of the current token if it is a plain decimal integer of at most 9 digits, otherwise -1. */
  smallInteger(): number {
    const bytes = this.bytes;
    const { start, end } = this;
    if (this.kind !== Token.Integer || end - start > 9 || (bytes[start] === zero && end - start > 1)) return -1;
    let value = 0;
    for (let i = start; i < end; i++) {
      const c = bytes[i] ?? 0;
      if (c > nine) return -1;
      value = value * 10 + (c - zero);
    }
    return value;
  }

  /**
   * Skips consecutive lines such as `.b8 12`, each of which consists of a dotted word and one plain integer. The
   * current token must be the first dotted word. This is worth a special case, because debug sections contain hundreds
   * of thousands of such lines.
   */
  skipNumbers(): void {
    const { bytes } = this;
    let at = this.start;
    while (bytes[at] === dot) {
      const end = this.endOfNumberLine(at);
      let next = end;
      while (starts[bytes[next] ?? 0] === Start.space) next++;
      // If anything else follows, the list of numbers may continue on the next line.
      const isOver = bytes[next] === dot || bytes[next] === rightBrace || (this.classAt(next) & CharClass.name) !== 0;
      if (end < 0 || !isOver) break;
      at = next;
    }
    if (at > this.start) this.goOn(at);
  }

  /** Returns the end of the number in a line such as `.b8 12`, or -1 if the line has a different form. */
  private endOfNumberLine(start: number): number {
    const word = this.run(start + 1, CharClass.word);
    const digits = this.run(word, CharClass.blank);
    const end = this.run(digits, CharClass.digit);
    const isCanonical = end > digits && end <= digits + 9 && (this.bytes[digits] !== zero || end === digits + 1);
    if (digits === word || !isCanonical || this.bytes[end] !== newline) return -1;
    const width = this.bitsOfType(start + 1, word);
    return width > 0 && this.decimal(digits, end) < 2 ** width ? end : -1;
  }

  /** The width of the type `b8`, `b16`, `b32` or `b64` in bits; 0 for any other word. */
  private bitsOfType(start: number, end: number): number {
    if (this.bytes[start] !== lowerB || this.bytes[start + 1] === zero || end - start > 3) return 0;
    const width = this.decimal(start + 1, end);
    return width === 8 || width === 16 || width === 32 || width === 64 ? width : 0;
  }

  /** Returns the value of a short sequence of decimal digits. */
  private decimal(start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end; at++) value = value * 10 + (this.bytes[at] ?? 0) - zero;
    return value;
  }

  /** Whether there is a line break between the previous token and the current one. */
  startsLine(): boolean {
    for (let i = this.previousEnd; i < this.start; i++) {
      const c = this.bytes[i];
      if (c === newline || c === carriageReturn) return true;
    }
    return false;
  }

  /** Whether the character at `at` may occur in a name. */
  isNameAt(at: number): boolean {
    return (this.classAt(at) & CharClass.name) !== 0;
  }

  /** Whether the character at `at` is white space within a line. */
  isBlankAt(at: number): boolean {
    const c = this.bytes[at] ?? 0;
    return starts[c] === Start.space && c !== newline;
  }

  private take(kind: number, start: number, end: number): void {
    this.kind = kind;
    this.start = start;
    this.end = end;
  }

  private readName(start: number, first: number): void {
    const bytes = this.bytes;
    let hash = first;
    let at = start + 1;
    let c = bytes[at] ?? 0;
    while (((classes[c] ?? 0) & CharClass.name) !== 0) {
      hash = (Math.imul(hash, 31) + c) | 0;
      c = bytes[++at] ?? 0;
    }
    this.hash = hash;
    this.kind = Token.Name;
    this.start = start;
    this.end = at;
    if (at === start + 1) this.kind = loneCharacter(first);
    else if (at === start + 7 && first === capitalW && this.source.startsWith('WARP_SZ', start)) {
      this.kind = Token.WarpSize;
    }
  }

  private readDotted(start: number): void {
    const charClass = this.classAt(start + 1);
    if ((charClass & CharClass.digit) !== 0) return this.readNumber(start);
    if ((charClass & CharClass.word) === 0) return this.take(Token.BadCharacter, start, start + 1);
    this.take(Token.Dotted, start, this.skipPart(start, 0));
  }

  private classAt(at: number): number {
    return classes[this.bytes[at] ?? 0] ?? 0;
  }

  /**
   * Skips a sequence of `.word` parts that starts at `start` and has no gaps, and returns its end. `hash` is the hash
   * of the text before these parts. The hash of that text together with the words of the parts is stored in
   * `this.hash`.
   */
  private skipParts(start: number, hash: number): number {
    this.hash = hash;
    let at = start;
    while (this.bytes[at] === dot) {
      const after = this.skipPart(at, this.hash);
      if (after === at + 1) break;
      at = this.bytes[after] === leftBracket ? this.skipBank(at, after) : after;
    }
    return at;
  }

  /**
   * Returns the end of the bank number in a part such as `.const[2]`. The word `.const` extends from `start` to `end`.
   * Returns `end` if there is no bank number.
   */
  private skipBank(start: number, end: number): number {
    const digits = this.run(end + 1, CharClass.digit);
    const isBank = digits > end + 1 && digits <= end + 3 && this.bytes[digits] === rightBracket;
    return isBank && this.source.slice(start, end) === '.const' ? digits + 1 : end;
  }

  /**
   * Skips one part, such as `.word::word`, and returns its end. If no word follows the dot, returns the position just
   * after the dot.
   */
  private skipPart(start: number, hash: number): number {
    const bytes = this.bytes;
    let at = start + 1;
    for (;;) {
      const c = bytes[at] ?? 0;
      if (((classes[c] ?? 0) & CharClass.word) === 0) {
        const joined = c === colon && bytes[at + 1] === colon && (this.classAt(at + 2) & CharClass.word) !== 0;
        if (!joined || at === start + 1) break;
        at++;
      }
      hash = (Math.imul(hash, 31) + c) | 0;
      at++;
    }
    this.hash = hash;
    return at;
  }

  private readNumber(start: number): void {
    const second = (this.bytes[start + 1] ?? 0) | 0x20;
    if (this.bytes[start] !== zero || second < lowerB) this.readDecimal(start);
    else if (second === lowerX) this.readRadix(start, CharClass.hex);
    else if (second === lowerB) this.readRadix(start, CharClass.binary);
    else if (second === lowerF) this.readHexFloat(start, Token.HexSingle, 8);
    else if (second === lowerD) this.readHexFloat(start, Token.HexDouble, 16);
    else this.readDecimal(start);
    const end = this.run(this.end, CharClass.name);
    if (end !== this.end) this.take(Token.BadNumber, start, end);
  }

  private readRadix(start: number, digits: number): void {
    const end = this.run(start + 2, digits);
    if (end === start + 2) return this.take(Token.BadNumber, start, end);
    this.take(Token.Integer, start, this.bytes[end] === unsignedSuffix ? end + 1 : end);
  }

  private readHexFloat(start: number, kind: number, digits: number): void {
    const end = this.run(start + 2, CharClass.hex);
    this.take(end - start === digits + 2 ? kind : Token.BadNumber, start, end);
  }

  private readDecimal(start: number): void {
    const bytes = this.bytes;
    const whole = this.run(start, CharClass.digit);
    let end = bytes[whole] === dot ? this.run(whole + 1, CharClass.digit) : whole;
    if (((bytes[end] ?? 0) | 0x20) === lowerE) {
      const sign = bytes[end + 1];
      const exponent = sign === Token.Plus || sign === Token.Minus ? end + 2 : end + 1;
      const after = this.run(exponent, CharClass.digit);
      if (after > exponent) end = after;
    }
    if (end !== whole) return this.take(Token.Float, start, end);
    const octal = bytes[start] === zero && end > start + 1;
    if (octal && this.run(start, CharClass.octal) !== end) return this.take(Token.BadNumber, start, end);
    this.take(Token.Integer, start, bytes[end] === unsignedSuffix ? end + 1 : end);
  }

  /**
   * Returns the end of the sequence of characters that starts at `at` and contains only characters of the given class.
   */
  private run(at: number, charClass: number): number {
    const bytes = this.bytes;
    while (((classes[bytes[at] ?? 0] ?? 0) & charClass) !== 0) at++;
    return at;
  }

  /**
   * Handles a character that only a few kinds of tokens start with. Either reads a token and returns -1, or returns the
   * position at which to look for the next token.
   */
  private readRare(start: number, first: number): number {
    switch (starts[first]) {
      case Start.slash:
        return this.skipComment(start);
      case Start.hash:
        return this.skipLineMarker(start);
      case Start.quote:
        this.readString(start);
        break;
      case Start.at: {
        const isDwarf = this.source.startsWith('@@DWARF', start);
        this.take(isDwarf ? Token.Dwarf : Token.At, start, start + (isDwarf ? 7 : 1));
        break;
      }
      case Start.operator: {
        const paired = pairedOperator(first, this.bytes[start + 1] ?? 0);
        this.take(paired === 0 ? first : paired, start, start + (paired === 0 ? 1 : 2));
        break;
      }
      default:
        if (start >= this.source.length) this.take(Token.End, start, start);
        else this.take(Token.BadCharacter, start, start + 1);
    }
    return -1;
  }

  /**
   * Returns the position after the comment that starts at `start`. If there is no comment at `start`, reads a token and
   * returns -1.
   */
  private skipComment(start: number): number {
    const second = this.bytes[start + 1];
    if (second === slash) {
      // As in ptxas, only a line feed ends the comment; a carriage return alone does not.
      const end = this.bytes.indexOf(newline, start + 2);
      return end < 0 ? this.source.length : end + 1;
    }
    if (second === star) {
      const end = this.source.indexOf('*/', start + 2);
      if (end >= 0) return end + 2;
      this.metOpenEnd = true;
      this.take(Token.OpenComment, start, this.source.length);
    } else this.take(Token.Slash, start, start + 1);
    return -1;
  }

  private skipLineMarker(start: number): number {
    lineMarker.lastIndex = start;
    if (lineMarker.test(this.source)) return lineMarker.lastIndex;
    this.take(Token.BadCharacter, start, start + 1);
    return -1;
  }

  /**
   * A string has no escapes and may span several lines. If its closing quote is missing, the string is assumed to end
   * at the end of its first line.
   */
  private readString(start: number): void {
    const end = this.bytes.indexOf(quote, start + 1);
    if (end >= 0) return this.take(Token.String, start, end + 1);
    this.metOpenEnd = true;
    const line = this.bytes.indexOf(newline, start);
    this.take(Token.OpenString, start, line < 0 ? this.source.length : line);
  }
}

function loneCharacter(c: number): number {
  if (c >= firstLetter && c !== Token.Underscore) return Token.Name;
  return c === Token.Percent || c === Token.Underscore ? c : Token.BadCharacter;
}
