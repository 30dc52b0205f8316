/** Classifies the words of PTX text by their role in a statement, without looking up names. */
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import { opcodeIn } from '../isa/notation.ts';
import { isTypeName } from '../isa/types.ts';
import { Lexer } from '../syntax/lexer.ts';
import { Token } from '../syntax/tokens.ts';

export const wordKinds = [
  'comment',
  'string',
  'number',
  'opcode',
  'modifier',
  'type',
  'directive',
  /** The name of a register, variable, function or anything else that can be declared. */
  'name',
  /** `.x` after a name. */
  'member',
  /** The name of a label, before its colon. */
  'label',
  /** The `@` that begins a guard. */
  'guard',
  'punctuation',
  /** A character that cannot begin any token. */
  'wrong',
] as const;

export type WordKind = (typeof wordKinds)[number];

export interface Word {
  readonly kind: WordKind;
  readonly start: number;
  readonly end: number;
}

/** Directives that end at the end of the line rather than at a semicolon. */
export const ofOneLine: ReadonlySet<string> = new Set([
  '.version',
  '.target',
  '.address_size',
  '.file',
  '.loc',
  '.loc_intermediate',
]);

/** The number of words that start before an offset. The words must be sorted by position. */
export function wordsBefore(words: readonly Word[], offset: number): number {
  return leadingCount(words.length, (i) => elementAt(words, i).start < offset);
}

/** Reads the words of a piece of text that does not begin in the middle of a statement. */
export function wordsIn(source: string, isStart: boolean): readonly Word[] {
  return new WordReader(source, isStart).read();
}

type Place =
  | 'start'
  | 'operands'
  | 'directive'
  | 'line'
  /** A word between `.entry` or `.func` and the body. */
  | 'header'
  | 'section';

class WordReader {
  private readonly source: string;
  private readonly lexer: Lexer;
  private readonly words: Word[] = [];
  private place: Place = 'start';
  /** Open braces of lists. */
  private lists = 0;
  /**
   * Whether an unclosed string makes the rest of the statement unreadable. In that case, the next statement begins at
   * the start of a line.
   */
  private isBroken = false;

  constructor(source: string, isStart: boolean) {
    this.source = source;
    this.lexer = new Lexer(source, isStart);
  }

  read(): readonly Word[] {
    const { lexer } = this;
    lexer.next();
    this.readGap(0, lexer.start);
    while (lexer.kind !== Token.End) {
      if (this.place === 'line' && lexer.startsLine() && !this.endsInComma()) this.place = 'start';
      if (this.isBroken && lexer.startsLine() && this.opensStatement()) this.begin();
      this.readToken();
      this.readGap(this.words.at(-1)?.end ?? 0, lexer.start);
    }
    return this.words;
  }

  private opensStatement(): boolean {
    const { kind } = this.lexer;
    return kind === Token.Name || kind === Token.Dotted || kind === Token.At || kind === Token.Dwarf;
  }

  private endsInComma(): boolean {
    const last = this.words.findLast(({ kind }) => kind !== 'comment');
    return last !== undefined && this.source[last.start] === ',';
  }

  /** Reads the comments between two tokens. */
  private readGap(start: number, end: number): void {
    if (end - start < 2) return;
    const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
    const gap = this.source.slice(start, end);
    for (let found = comment.exec(gap); found !== null; found = comment.exec(gap)) {
      this.add('comment', start + found.index, start + found.index + found[0].trimEnd().length);
    }
  }

  private add(kind: WordKind, start: number, end: number): void {
    this.words.push({ kind, start, end });
  }

  private take(kind: WordKind): void {
    const { lexer } = this;
    this.add(kind, lexer.start, lexer.end);
    lexer.next();
  }

  private readToken(): void {
    const { lexer } = this;
    switch (lexer.kind) {
      case Token.Name:
        return this.place === 'start' ? this.readFirstName() : this.take('name');
      case Token.Dotted:
        return this.readDotted();
      case Token.Integer:
      case Token.Float:
      case Token.HexSingle:
      case Token.HexDouble:
      case Token.WarpSize:
        return this.take('number');
      case Token.OpenString:
        this.isBroken = true;
        return this.take('string');
      case Token.String:
        return this.take('string');
      case Token.OpenComment:
        return this.take('comment');
      case Token.Dwarf:
        this.place = 'line';
        return this.take('directive');
      case Token.At:
        return this.place === 'start' ? this.readGuard() : this.take('punctuation');
      case Token.BadCharacter:
      case Token.BadNumber:
        return this.take('wrong');
      default:
        return this.readMark();
    }
  }

  /** Reads a label, or an opcode with its modifiers and types. */
  private readFirstName(): void {
    const { lexer } = this;
    const { start, end, previousEnd } = lexer;
    lexer.next();
    if (lexer.kind === Token.Colon) return this.add('label', start, end);
    lexer.rewind(start, previousEnd);
    const mnemonic = lexer.mnemonic();
    this.place = 'operands';
    let words = opcodeIn(mnemonic).split('.').length;
    const part = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\.?[^\s./]+/g;
    const text = this.source.slice(start, lexer.mnemonicEnd);
    for (let found = part.exec(text); found !== null; found = part.exec(text)) {
      const [one] = found;
      const at = start + found.index;
      if (one.startsWith('/')) this.add('comment', at, at + one.trimEnd().length);
      else if (words-- > 0) this.add('opcode', at, at + one.length);
      else this.add(isTypeName(one) ? 'type' : 'modifier', at, at + one.length);
    }
  }

  private readDotted(): void {
    const { lexer } = this;
    const text = lexer.text();
    if (this.place === 'operands') return this.take('member');
    if (this.place === 'start' || ofOneLine.has(text)) {
      this.place = ofOneLine.has(text) ? 'line' : text === '.section' ? 'section' : 'directive';
    }
    if (text === '.entry' || text === '.func') this.place = 'header';
    this.take(isTypeName(text) ? 'type' : 'directive');
  }

  /** Reads a guard: `@%p` or `@!%p`. */
  private readGuard(): void {
    const { lexer } = this;
    this.take('guard');
    if (lexer.kind === Token.Exclamation) this.take('punctuation');
    if (lexer.kind !== Token.Name && lexer.kind !== Token.Percent) return;
    this.take('name');
    if (lexer.kind === Token.Dotted) this.take('member');
  }

  private readMark(): void {
    const { lexer, place } = this;
    const { kind } = lexer;
    this.take('punctuation');
    if (kind === Token.Semicolon) this.begin();
    else if (kind === Token.LeftBrace) {
      if (place === 'operands' || place === 'directive') this.lists++;
      else if (place !== 'section') this.begin();
    } else if (kind === Token.RightBrace) {
      if (this.lists > 0) this.lists--;
      else this.begin();
    }
  }

  private begin(): void {
    this.place = 'start';
    this.lists = 0;
    this.isBroken = false;
  }
}
