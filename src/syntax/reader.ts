import { rewrite } from '../diagnostics/fix.ts';
import type { Span } from '../base/span.ts';
import type { Code, Parameters } from '../diagnostics/catalog.ts';
import { type Diagnostic, diagnose, type Extras } from '../diagnostics/diagnostic.ts';
import { isLinkage, moduleDirectives, statementDirectives } from './directives.ts';
import { Lexer } from './lexer.ts';
import { Token } from './tokens.ts';
import type { KnownLines, LineSource, Operand, Statement } from './tree.ts';
import { codePointAt } from '../base/source-text.ts';

/** After this many syntax errors, the rest of the text is not parsed, because it is probably not PTX. */
export const errorLimit = 1000;

/** Maximum nesting of scopes, initializers and constant expressions. */
export const nestingLimit = 256;

/** Skips lines that have the same shape as an earlier line (see known-lines.ts). */
export interface LineReader extends LineSource {
  /**
   * An offset in the text. Lines that begin at or after this offset are not skipped in this call of `read`, but only in
   * the next one.
   */
  limit: number;
  /** Begins an item. */
  begin(): void;
  /**
   * Starting at the current token, skips the lines whose shapes are known, and returns them. Null if the first line has
   * to be parsed.
   */
  read(parse: (r: Reader) => Statement | null): KnownLines | null;
}

/** A lexer that also reports errors. After an error, it can find a place at which parsing can continue. */
export class Reader extends Lexer {
  /**
   * True from the time of a syntax error until {@link recover} is called. In the meantime, the current statement cannot
   * be parsed any further.
   */
  failed = false;
  /**
   * The number of braces that are open within the statement being parsed. A `}` closes one of these braces if there are
   * any; otherwise, it closes a scope.
   */
  openBraces = 0;
  /**
   * A buffer that collects the operands of an instruction until it is known how many there are. It may still contain
   * operands of earlier instructions.
   */
  readonly gathered: Operand[] = [];
  /** Skips lines whose shapes are known. Null if every statement has to be parsed. */
  lines: LineReader | null = null;
  /** Number of errors so far. */
  findings = 0;
  private errors = 0;
  private depth = 0;
  private endComplaint = -1;
  private stopped = false;
  /**
   * Whether a character outside ASCII has already been reported. If so, the check at the end of the text does not
   * report another one.
   */
  foreignReported = false;
  private readonly sink: (diagnostic: Diagnostic) => void;

  constructor(source: string, sink: (diagnostic: Diagnostic) => void, isStart = true) {
    super(source, isStart);
    this.sink = sink;
    this.next();
  }

  /** Passes on a finding. When the number of errors reaches {@link errorLimit}, parsing stops. */
  report<C extends Code>(code: C, span: Span, parameters: Parameters<C>, extras: Extras = {}): void {
    this.findings++;
    if (this.stopped) return;
    const diagnostic = diagnose(code, span, parameters, extras);
    this.sink(diagnostic);
    if (diagnostic.severity !== 'error' || ++this.errors < errorLimit) return;
    this.sink(diagnose('PTX1021', span, { count: String(errorLimit) }));
    this.stopped = true;
    this.stop();
  }

  /** Reports an error at the current token. Always returns null, so that callers can write `return r.unexpected(…)`. */
  unexpected(expected: string, extras: Extras = {}): null {
    this.failed = true;
    const span = { start: this.start, end: this.end };
    const near = this.shortText();
    switch (this.kind) {
      case Token.BadCharacter:
        this.reportCharacter(near, span);
        break;
      case Token.OpenComment:
        this.endComplaint = this.end;
        this.report('PTX1003', { start: this.start, end: this.start + 2 }, {});
        break;
      case Token.OpenString:
        this.report('PTX1004', span, { near: '"' });
        break;
      case Token.BadNumber:
        this.report('PTX1005', span, { near, number: near, reason: whyNoNumber(near) });
        break;
      default:
        this.report('PTX1001', span, { near, found: this.describe(), expected }, extras);
    }
    return null;
  }

  /**
   * Reports that a closing brace is missing at the current token. If the closing braces of several scopes are missing
   * at the same place, only one error is reported. Parsing continues as if the brace were there.
   */
  unexpectedEnd(expected: string): void {
    if (this.start !== this.endComplaint) this.unexpected(expected);
    this.endComplaint = this.start;
    this.failed = false;
  }

  /** Describes the current token for messages: in quotes, or as `end of file`. */
  describe(): string {
    return this.kind === Token.End ? 'end of file' : `'${this.shortText()}'`;
  }

  /** If the current token is of the given kind, skips it and returns true; otherwise returns false. */
  accept(kind: number): boolean {
    if (this.kind !== kind) return false;
    this.next();
    return true;
  }

  /**
   * If the current token is of the given kind, skips it and returns true; otherwise reports an error and returns false.
   */
  expect(kind: number, expected: string): boolean {
    if (this.accept(kind)) return true;
    this.unexpected(expected);
    return false;
  }

  /**
   * Skips the `;` at the end of a statement and returns the offset at which the statement ended; returns -1 after an
   * error. If only the `;` is missing, an error is still reported, but the statement is treated as complete.
   */
  expectSemicolon(alternatives: string): number {
    if (this.kind === Token.Semicolon) {
      const end = this.end;
      this.next();
      return end;
    }
    if (this.kind !== Token.End && !this.atStatement() && !this.atDirective()) {
      this.unexpected(alternatives === '' ? "';'" : `${alternatives} or ';'`, this.helpForAssignment());
      return -1;
    }
    return this.missingSemicolon();
  }

  /** Reports a missing `;` at the end of the text that has been parsed, which is where the `;` should be. */
  private missingSemicolon(): number {
    const end = this.previousEnd;
    const span = { start: end, end };
    const found =
      this.startsLine() && this.kind !== Token.End ? `${this.describe()} on the next line` : this.describe();
    const extras = { help: "end the statement with ';'", fixes: [rewrite(span, ';', 'certain')] };
    this.report('PTX1001', span, { near: this.shortText(), found, expected: "';'" }, extras);
    return end;
  }

  /** Returns help that explains assignments if the current token is `=`, otherwise nothing. */
  helpForAssignment(): Extras {
    if (this.kind !== Token.Equals) return {};
    return { help: 'PTX has no assignments: an instruction names its result first, as in mov.u32 %r1, 5' };
  }

  /**
   * Enters a level of nesting, which {@link leave} ends. If the nesting would be too deep, reports an error and returns
   * false instead.
   */
  enter(): boolean {
    if (this.depth >= nestingLimit) {
      this.failed = true;
      this.report('PTX1020', this.span(), { limit: String(nestingLimit), near: this.shortText() });
      return false;
    }
    this.depth++;
    return true;
  }

  leave(): void {
    this.depth--;
  }

  /** Starts reading inside a body. `blocks` is the number of blocks that enclose the place where reading starts. */
  beginInside(blocks: number): void {
    this.depth = blocks;
  }

  span(): Span {
    return { start: this.start, end: this.end };
  }

  /**
   * Skips the rest of a statement after an error. `from` is the start of the statement. Stops just after the `;` of the
   * statement, before a brace that belongs to a scope, or before a label, directive or instruction that is the first on
   * its line.
   */
  recover(from: number): void {
    this.failed = false;
    if (this.start === from && this.kind !== Token.RightBrace) this.next();
    else this.stepBack(from);
    while (this.kind !== Token.End && !this.atStatement()) {
      const kind = this.kind;
      this.next();
      if (kind === Token.Semicolon) break;
      if (kind === Token.LeftBrace) this.openBraces++;
      if (kind === Token.RightBrace) this.openBraces--;
    }
    this.openBraces = 0;
  }

  /**
   * Goes back to the name before the current token if that name is the first word on its line and begins an
   * instruction. In this case, the previous line was incomplete, and the name was mistaken for an operand.
   */
  private stepBack(from: number): void {
    const { start, previousEnd } = this;
    let name = previousEnd;
    while (name > from && this.isNameAt(name - 1)) name--;
    let gap = name;
    while (gap > from && this.isBlankAt(gap - 1)) gap--;
    if (name === previousEnd || gap <= from || this.source[gap - 1] !== '\n') return;
    this.rewind(name, gap - 1);
    if (this.kind !== Token.Name || !this.opensStatement()) this.rewind(start, previousEnd);
  }

  /** Skips everything from the current token, which must be `{`, to just after the matching `}`. */
  skipBraces(): void {
    let open = 0;
    do {
      if (this.kind === Token.LeftBrace) open++;
      if (this.kind === Token.RightBrace) open--;
      this.next();
    } while (open > 0 && this.kind !== Token.End);
  }

  /** Skips everything from the current token, which must be `(`, to just after the matching `)`. */
  skipParentheses(): void {
    let open = 0;
    do {
      if (this.kind === Token.LeftParen) open++;
      if (this.kind === Token.RightParen) open--;
      this.next();
    } while (open > 0 && this.kind !== Token.End && this.kind !== Token.RightBrace);
  }

  /** Whether the current token is the first on its line and starts a function. If so, the item before it has ended. */
  atFunction(): boolean {
    if (this.kind !== Token.Dotted) return false;
    const word = this.text();
    if (!moduleDirectives.has(word) || !this.startsLine()) return false;
    if (word === '.entry' || word === '.func') return true;
    if (!isLinkage(word)) return false;
    const { start, previousEnd } = this;
    this.next();
    const next = this.kind === Token.Dotted ? this.text() : '';
    this.rewind(start, previousEnd);
    return next === '.entry' || next === '.func';
  }

  /**
   * Whether a statement may begin at the current token. This is the case if the token is a brace that belongs to a
   * scope, or if it is the first token on its line and looks like the start of a statement.
   */
  atStatement(): boolean {
    if (this.kind === Token.RightBrace) return this.openBraces === 0;
    if (this.kind === Token.LeftBrace) return !this.opensVector();
    if (!this.startsLine()) return false;
    if (this.kind === Token.At || this.kind === Token.Dwarf) return true;
    if (this.kind === Token.Dotted) return this.atDirective();
    return this.kind === Token.Name && this.opensStatement();
  }

  /**
   * Whether the current token begins a statement on a new line, so that the instruction before it has no operands and
   * lacks its `;`. A name before a `:`, or a dotted name before another name, cannot be an operand.
   */
  atNextStatement(): boolean {
    if (this.kind !== Token.Name || !this.startsLine()) return false;
    const { start, end, previousEnd } = this;
    this.mnemonic();
    const isOpcode = this.mnemonicEnd > end && this.source.charCodeAt(start) !== Token.Percent;
    const isStatement = this.kind === Token.Colon || (isOpcode && this.kind === Token.Name);
    this.rewind(start, previousEnd);
    return isStatement;
  }

  /** Whether the current token is a directive that begins a statement, wherever it is on its line. */
  private atDirective(): boolean {
    return this.kind === Token.Dotted && statementDirectives.has(this.text());
  }

  /**
   * Whether the current `{` opens a vector rather than a block: what follows it can occur in a vector, but cannot begin
   * a statement.
   */
  private opensVector(): boolean {
    const { start, previousEnd } = this;
    this.next();
    const first = this.kind;
    this.next();
    const second = this.kind;
    this.rewind(start, previousEnd);
    return first !== Token.At && (second === Token.Comma || second === Token.RightBrace);
  }

  /**
   * Decides, by looking at the next token, whether the current name begins a label or an instruction. The name must be
   * the first token on its line. If it does not begin a statement, it is an operand that belongs to the previous line.
   */
  private opensStatement(): boolean {
    const { start, end, previousEnd } = this;
    if (this.source.charCodeAt(start) === Token.Percent) return false;
    // This is an opcode, even if the part after the dot begins with a digit (`tex.1d`) or is missing.
    if (this.source[end] === '.') return true;
    this.next();
    const kind = this.kind;
    this.rewind(start, previousEnd);
    return kind === Token.Colon || kind === Token.Semicolon || kind === Token.Name || kind === Token.LeftParen;
  }

  /**
   * Reports a character that ptxas rejects everywhere, even in comments. Called at the end of the text if no such
   * character has been reported before.
   */
  reportForeign(at: number): void {
    const code = codePointAt(this.source, at);
    const span = { start: at, end: at + (code > 0xffff ? 2 : 1) };
    const line = String(lineOf(this.source, at));
    this.foreignReported = true;
    if (code === 0) return this.report('PTX1007', span, { line });
    const isMark = code === 0xfeff;
    const found = isMark ? 'a byte order mark' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    this.report('PTX1006', span, { found, line }, { fixes: isMark ? [rewrite(span, '', 'certain')] : [] });
  }

  private reportCharacter(near: string, span: Span): void {
    const code = this.source.charCodeAt(span.start);
    if (code === 0 || code > 0x7e) return this.reportForeign(span.start);
    const found = near === '.' ? "a '.' without a word directly after it" : `'${near}'`;
    const help = near === '.' ? 'write the dot and the word together, as in .b32' : null;
    this.report('PTX1002', span, { near, found }, { help });
  }

  private shortText(): string {
    const limit = 60;
    return this.end - this.start <= limit ? this.text() : `${this.source.slice(this.start, this.start + limit)}…`;
  }
}

function lineOf(source: string, offset: number): number {
  let line = 1;
  for (let i = source.indexOf('\n'); i >= 0 && i < offset; i = source.indexOf('\n', i + 1)) line++;
  return line;
}

function whyNoNumber(text: string): string {
  if (/^0x/i.test(text)) return '0x must be followed by hex digits';
  if (/^0b/i.test(text)) return '0b must be followed by 0s and 1s';
  if (/^0f/i.test(text)) return '0f must be followed by exactly 8 hex digits';
  if (/^0d/i.test(text)) return '0d must be followed by exactly 16 hex digits';
  if (/^0\d*$/.test(text)) return 'a leading 0 makes it octal, and octal numbers have no digits 8 and 9';
  if (/^\d+u$/.test(text)) return 'the suffix for unsigned integers is a capital U';
  if (/^[\d.]+([eE][+-]?\d+)?[fFlL]$/.test(text)) return 'floats take no suffix';
  return 'the digits run into a name';
}
