import { NameTable } from './names.ts';
import { CharClass, classes, pairedOperator, Start, starts, Token } from './tokens.ts';

const newline = 10;
const carriageReturn = 13;
const quote = 0x22;
const star = 0x2a;
const dot = 0x2e;
const slash = 0x2f;
const zero = 0x30;
const colon = 0x3a;
const firstLetter = 0x41;
const unsignedSuffix = 0x55;
const capitalW = 0x57;
const lastAscii = 0x7e;
const byteOrderMark = 0xfeff;

/** `# 12 "file.cu"` and `#line 12 "file.cu"`: all that ptxas knows of a preprocessor; it skips them. */
const lineMarker: RegExp = /#[ \t]*(?:line[ \t]+)?\d+[ \t]+"[^"\n]*"[ \t\d]*(?=[\r\n]|$)/y;

/**
 * Reads PTX token by token. The current token is `kind` from `start` to `end`; {@link next} moves on. No token is an
 * object, and a token's text is cut only when asked for.
 */
export class Lexer {
  readonly source: string;
  /** Where reading stops: the length of the text, or less once {@link stop} was called. */
  length: number;
  kind: number = Token.End;
  start = 0;
  end = 0;
  /** Where the token before the current one ended. */
  previousEnd = 0;
  /** Where the last {@link mnemonic} ended. */
  mnemonicEnd = 0;
  /** The first character that ptxas refuses even in a comment (NUL, anything beyond ASCII); -1 if there is none. */
  foreign = -1;
  private hash = 0;
  private readonly names: NameTable;

  constructor(source: string) {
    this.source = source;
    this.length = source.length;
    this.names = new NameTable(source);
    if (source.charCodeAt(0) === byteOrderMark) {
      this.foreign = 0;
      this.end = 1;
    }
  }

  /** Moves to the next token. At the end of the text it stays there. */
  next(): void {
    const source = this.source;
    const length = this.length;
    let at = this.end;
    this.previousEnd = at;
    while (at < length) {
      const c = source.charCodeAt(at);
      switch (c < 128 ? starts[c] : Start.nothing) {
        case Start.space:
          at++;
          break;
        case Start.letter:
        case Start.sigil:
          return this.readName(at, c);
        case Start.single:
          return this.take(c, at, at + 1);
        case Start.dot:
          return this.readDotted(at);
        case Start.digit:
          return this.readNumber(at);
        case Start.slash:
        case Start.hash: {
          const after = c === slash ? this.skipComment(at) : this.skipLineMarker(at);
          if (after < 0) return;
          at = after;
          break;
        }
        default:
          return this.readRare(at, c);
      }
    }
    this.take(Token.End, length, length);
  }

  /** Makes an earlier token, which began at `start`, the current one again. */
  rewind(start: number): void {
    this.end = start;
    this.next();
  }

  /** Lets nothing more be read: the current token becomes the end. */
  stop(): void {
    this.length = this.start;
    this.take(Token.End, this.start, this.start);
  }

  /** The current token's text. Equal names are one string object as long as the cache holds them. */
  text(): string {
    if (this.kind === Token.Name || this.kind === Token.Dotted) return this.names.text(this.start, this.end, this.hash);
    return this.source.slice(this.start, this.end);
  }

  /**
   * With an opcode as the current token: reads its dot-parts, which unlike other dotted words may start with a digit
   * (`.1d`), and returns them joined. White space may stand before a dot, not after one. Afterwards the token behind
   * the mnemonic is current and {@link mnemonicEnd} says where the mnemonic stopped.
   */
  mnemonic(): string {
    const from = this.start;
    const end = this.skipParts(this.end, this.hash);
    let text = this.names.text(from, end, this.hash);
    this.end = end;
    this.mnemonicEnd = end;
    this.next();
    while (this.source.charCodeAt(this.start) === dot && this.start < this.length) {
      const after = this.skipParts(this.start, 0);
      if (after === this.start) break;
      text += this.source.slice(this.start, after);
      this.end = after;
      this.mnemonicEnd = after;
      this.next();
    }
    return text;
  }

  /** The value of the current token if it is a plain decimal integer of at most 9 digits, else -1. */
  smallInteger(): number {
    const length = this.end - this.start;
    const first = this.source.charCodeAt(this.start);
    if (this.kind !== Token.Integer || length > 9 || (first === zero && length > 1)) return -1;
    let value = 0;
    for (let i = this.start; i < this.end; i++) {
      const digit = this.source.charCodeAt(i) - zero;
      if (digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  /** Whether a line ends between the previous token and the current one. */
  startsLine(): boolean {
    for (let i = this.previousEnd; i < this.start; i++) {
      const c = this.source.charCodeAt(i);
      if (c === newline || c === carriageReturn) return true;
    }
    return false;
  }

  private take(kind: number, start: number, end: number): void {
    this.kind = kind;
    this.start = start;
    this.end = end;
  }

  private readName(start: number, first: number): void {
    const source = this.source;
    const length = this.length;
    let hash = first;
    let at = start + 1;
    while (at < length) {
      const c = source.charCodeAt(at);
      if (c >= 128 || ((classes[c] as number) & CharClass.name) === 0) break;
      hash = (Math.imul(hash, 31) + c) | 0;
      at++;
    }
    this.hash = hash;
    this.take(Token.Name, start, at);
    if (at === start + 1) this.kind = loneCharacter(first);
    else if (at === start + 7 && first === capitalW && source.startsWith('WARP_SZ', start)) this.kind = Token.WarpSize;
  }

  private readDotted(start: number): void {
    const c = start + 1 < this.length ? this.source.charCodeAt(start + 1) : 0;
    const charClass = c < 128 ? (classes[c] as number) : 0;
    if ((charClass & CharClass.digit) !== 0) return this.readNumber(start);
    if ((charClass & CharClass.word) === 0) return this.take(Token.BadCharacter, start, start + 1);
    this.take(Token.Dotted, start, this.skipPart(start, 0));
  }

  /** The end of all `.word` parts from `start` on that follow without a gap; goes on with the `hash` of what precedes. */
  private skipParts(start: number, hash: number): number {
    this.hash = hash;
    let at = start;
    while (at < this.length && this.source.charCodeAt(at) === dot) {
      const after = this.skipPart(at, this.hash);
      if (after === at + 1) break;
      at = after;
    }
    return at;
  }

  /** The end of `.word::word…` at `start`, which is just behind the dot when no word follows it. */
  private skipPart(start: number, hash: number): number {
    const source = this.source;
    const length = this.length;
    let at = start + 1;
    while (at < length) {
      const c = source.charCodeAt(at);
      if (c === colon) {
        if (source.charCodeAt(at + 1) !== colon || !isWord(source.charCodeAt(at + 2)) || at === start + 1) break;
        at++;
      } else if (!isWord(c)) break;
      hash = (Math.imul(hash, 31) + c) | 0;
      at++;
    }
    this.hash = hash;
    return at;
  }

  private readNumber(start: number): void {
    const source = this.source;
    const second = source.charCodeAt(start + 1) | 0x20;
    const letter = source.charCodeAt(start) === zero ? String.fromCharCode(second) : '';
    if (letter === 'x' || letter === 'b') this.readRadix(start, letter === 'x' ? CharClass.hex : CharClass.binary);
    else if (letter === 'f' || letter === 'd') this.readHexFloat(start, letter === 'f' ? 8 : 16);
    else this.readDecimal(start);
    const end = this.run(this.end, CharClass.name);
    if (end !== this.end) this.take(Token.BadNumber, start, end);
  }

  private readRadix(start: number, digits: number): void {
    const end = this.run(start + 2, digits);
    if (end === start + 2) return this.take(Token.BadNumber, start, end);
    this.take(Token.Integer, start, this.source.charCodeAt(end) === unsignedSuffix ? end + 1 : end);
  }

  private readHexFloat(start: number, digits: number): void {
    const end = this.run(start + 2, CharClass.hex);
    const kind = digits === 8 ? Token.HexSingle : Token.HexDouble;
    this.take(end - start === digits + 2 ? kind : Token.BadNumber, start, end);
  }

  private readDecimal(start: number): void {
    const source = this.source;
    const whole = this.run(start, CharClass.digit);
    let end = source.charCodeAt(whole) === dot && whole < this.length ? this.run(whole + 1, CharClass.digit) : whole;
    if ((source.charCodeAt(end) | 0x20) === 0x65) {
      const sign = source.charCodeAt(end + 1);
      const exponent = sign === Token.Plus || sign === Token.Minus ? end + 2 : end + 1;
      const after = this.run(exponent, CharClass.digit);
      if (after > exponent) end = after;
    }
    if (end !== whole) return this.take(Token.Float, start, end);
    const octal = source.charCodeAt(start) === zero && end > start + 1;
    if (octal && this.run(start, CharClass.octal) !== end) return this.take(Token.BadNumber, start, end);
    this.take(Token.Integer, start, source.charCodeAt(end) === unsignedSuffix ? end + 1 : end);
  }

  /** The end of the characters of one class from `at` on. */
  private run(at: number, charClass: number): number {
    const source = this.source;
    while (at < this.length) {
      const c = source.charCodeAt(at);
      if (c >= 128 || ((classes[c] as number) & charClass) === 0) break;
      at++;
    }
    return at;
  }

  /** Behind the comment at `start`; -1 when there is none and a token was taken instead. */
  private skipComment(start: number): number {
    const second = this.source.charCodeAt(start + 1);
    if (second === slash) return this.skipLineComment(start + 2);
    if (second === star) return this.skipBlockComment(start, start + 2);
    this.take(Token.Slash, start, start + 1);
    return -1;
  }

  /** Only a line feed ends it: behind a lone carriage return ptxas reads on as comment. */
  private skipLineComment(from: number): number {
    const source = this.source;
    const length = this.length;
    for (let at = from; at < length; at++) {
      const c = source.charCodeAt(at);
      if (c === newline) return at + 1;
      if (c > lastAscii || c === 0) this.noteForeign(at);
    }
    return length;
  }

  private skipBlockComment(start: number, from: number): number {
    const source = this.source;
    const length = this.length;
    for (let at = from; at < length; at++) {
      const c = source.charCodeAt(at);
      if (c === star && source.charCodeAt(at + 1) === slash && at + 1 < length) return at + 2;
      if (c > lastAscii || c === 0) this.noteForeign(at);
    }
    this.take(Token.OpenComment, start, length);
    return -1;
  }

  private skipLineMarker(start: number): number {
    lineMarker.lastIndex = start;
    if (lineMarker.test(this.source)) return lineMarker.lastIndex;
    this.take(Token.BadCharacter, start, start + 1);
    return -1;
  }

  private readRare(start: number, first: number): void {
    if (first === quote) return this.readString(start);
    if (first === Token.At) {
      const isDwarf = this.source.startsWith('@@DWARF', start);
      return this.take(isDwarf ? Token.Dwarf : Token.At, start, start + (isDwarf ? 7 : 1));
    }
    const paired = pairedOperator(first, this.source.charCodeAt(start + 1));
    if (paired !== 0) return this.take(paired, start, start + 2);
    const known = first < 128 && starts[first] === Start.operator;
    if (!known && (first > lastAscii || first === 0)) this.noteForeign(start);
    this.take(known ? first : Token.BadCharacter, start, start + 1);
  }

  /** A string knows no escapes and may span lines; one that never closes is taken as far as its first line. */
  private readString(start: number): void {
    const source = this.source;
    let firstLine = -1;
    for (let at = start + 1; at < this.length; at++) {
      const c = source.charCodeAt(at);
      if (c === quote) return this.take(Token.String, start, at + 1);
      if (c === newline && firstLine < 0) firstLine = at;
      if (c > lastAscii || c === 0) this.noteForeign(at);
    }
    this.take(Token.OpenString, start, firstLine < 0 ? this.length : firstLine);
  }

  private noteForeign(at: number): void {
    if (this.foreign < 0) this.foreign = at;
  }
}

function loneCharacter(c: number): number {
  if (c >= firstLetter && c !== Token.Underscore) return Token.Name;
  return c === Token.Percent || c === Token.Underscore ? c : Token.BadCharacter;
}

function isWord(c: number): boolean {
  return c < 128 && ((classes[c] as number) & CharClass.word) !== 0;
}
