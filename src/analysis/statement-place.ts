/** Finds the role of an offset in a statement that is still being written. */
import { elementAt } from '../base/element-at.ts';
import { partLimit } from '../isa/notation.ts';
import { ofOneLine, type Word, wordsBefore } from './words.ts';

export type StatementPlace =
  /**
   * The offset is in a mnemonic, or where a mnemonic can begin. `beginning` is the part of the mnemonic before its last
   * dot, and `start` is the offset of the remaining part.
   */
  | { readonly kind: 'mnemonic'; readonly beginning: string; readonly start: number; readonly isFirst: boolean }
  | {
      readonly kind: 'operand';
      readonly mnemonic: string;
      readonly mnemonicStart: number;
      /** Number of the operand. */
      readonly index: number;
      /** The innermost bracket that is open at the offset, and the number of commas between it and the offset. */
      readonly inside: '[' | '{' | '(' | null;
      readonly element: number;
      /** The start of the name that is being written. */
      readonly start: number;
    }
  /** The offset is after the `@` that begins a guard. */
  | { readonly kind: 'guard'; readonly start: number }
  /**
   * The offset is after a directive. `words` contains the words of the directive as they are written, and `start` is
   * the offset of the word that is being typed.
   */
  | { readonly kind: 'directive'; readonly words: readonly string[]; readonly start: number }
  | { readonly kind: 'none' };

const none: StatementPlace = { kind: 'none' };

/**
 * The maximum number of words in a statement. Longer statements are not read, because an initializer can have millions
 * of words.
 */
const mostWords = 16_384;

/**
 * Returns the role of an offset in a piece of text. The text must not begin in the middle of a statement; `words` are
 * the words of the text.
 */
export function statementPlace(text: string, words: readonly Word[], offset: number): StatementPlace {
  const before = wordsBefore(words, offset);
  const last = words[before - 1];
  if (last?.kind === 'comment' && offset <= last.end) return none;
  const start = startAfterSemicolon(text, words, before);
  if (start === null) return none;
  const statement = statementBefore(text, words, start, before);
  const [first] = statement;
  const isOver = first === undefined || isNewLine(text, statement, offset);
  if (isOver) return beginningAt(text, offset);
  if (first.kind === 'directive') return directivePlace(text, statement, offset);
  const opcode = statement.find(({ kind }) => kind === 'opcode');
  if (opcode !== undefined) {
    const written = text.slice(opcode.start, offset);
    if (/^[A-Za-z]\w*(?:\.[\w:]*)*$/.test(written)) return mnemonicPlace(written, opcode.start);
    return operandPlace(text, statement, opcode, offset);
  }
  if (first.kind !== 'guard') return beginningAt(text, offset);
  const guard = /^@!?([\w$%]*)$/.exec(text.slice(first.start, offset));
  return guard === null ? beginningAt(text, offset) : { kind: 'guard', start: offset - (guard[1] ?? '').length };
}

/**
 * The words before `words[end]` that belong to the same statement, without comments. Reading starts at `words[start]`,
 * which must begin a statement.
 */
function statementBefore(text: string, words: readonly Word[], start: number, end: number): readonly Word[] {
  let statement = new Statement(text, start);
  for (let i = statement.start; i < end; i++) {
    const word = elementAt(words, i);
    if (word.kind === 'comment') continue;
    const mark = word.kind === 'punctuation' ? text[word.start] : '';
    const endsHere = (mark === ':' && statement.isLabel) || (mark === '{' && !statement.takesLists);
    if (endsHere || (mark === '}' && statement.lists === 0)) statement = new Statement(text, i + 1);
    else if (startsLate(text, statement.first, word)) statement = new Statement(text, i, word);
    else statement.add(word, mark);
  }
  const own = words.slice(statement.start, end);
  return own.length === statement.count ? own : own.filter(({ kind }) => kind !== 'comment');
}

/** The index of the first word after the last semicolon before `words[end]`; null if the semicolon is too far away. */
function startAfterSemicolon(text: string, words: readonly Word[], end: number): number | null {
  let count = 0;
  for (let i = end; i > 0; i--) {
    const { kind, start } = elementAt(words, i - 1);
    if (kind === 'punctuation' && text[start] === ';') return i;
    if (kind !== 'comment' && ++count > mostWords) return null;
  }
  return 0;
}

/** The words of a statement that have been read so far. */
class Statement {
  /** The index of the first word. */
  readonly start: number;
  first: Word | null = null;
  /** Open braces of lists. */
  lists = 0;
  /** The number of words, without comments. */
  count = 0;
  private readonly text: string;
  private hasOpcode = false;
  private isHeader = false;

  constructor(text: string, start: number, first: Word | null = null) {
    this.text = text;
    this.start = start;
    if (first !== null) this.add(first, '');
  }

  /** Whether the statement consists of a single word, which is the name of a label. */
  get isLabel(): boolean {
    return this.count === 1 && this.first?.kind === 'label';
  }

  /** Whether a brace opens a list rather than a block. */
  get takesLists(): boolean {
    return this.hasOpcode || (this.first?.kind === 'directive' && !this.isHeader);
  }

  add(word: Word, mark: string | undefined): void {
    this.first ??= word;
    this.count++;
    if (mark === '{') this.lists++;
    else if (mark === '}') this.lists--;
    else if (word.kind === 'opcode') this.hasOpcode = true;
    else if (word.kind === 'directive') this.isHeader ||= headers.has(this.text.slice(word.start, word.end));
  }
}

/** Directives that are followed by a block or a table. */
const headers: ReadonlySet<string> = new Set(['.entry', '.func', '.section']);

/**
 * Whether a word begins a new statement even though no semicolon precedes it. This is possible because some directives
 * end at the end of their line: the word either is one of these directives or follows one.
 */
function startsLate(text: string, first: Word | null, { kind, start, end }: Word): boolean {
  if (first?.kind !== 'directive') return false;
  if (kind === 'directive' && ofOneLine.has(text.slice(start, end))) return true;
  const begins = kind === 'opcode' || kind === 'label' || kind === 'guard' || kind === 'directive';
  return begins && ofOneLine.has(text.slice(first.start, first.end));
}

/** Given a statement without a semicolon, guesses whether it ends before the line that contains the offset. */
function isNewLine(text: string, statement: readonly Word[], offset: number): boolean {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  if (!/^\s*(?:@!?[\w$%.]+\s+)?(?:[a-z]\w*(?:\.[\w:]*)*)?$/.test(text.slice(lineStart, offset))) return false;
  const last = statement[wordsBefore(statement, lineStart) - 1];
  if (last === undefined) return false;
  return !'.,([{|+'.includes(text.charAt(last.end - 1)) && last.kind !== 'opcode';
}

function beginningAt(text: string, offset: number): StatementPlace {
  const written = /\.?[\w$%]*(?:\.[\w:]*)*$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[0] ?? '';
  if (written.startsWith('.')) return { kind: 'directive', words: [], start: offset - written.length };
  return /^(?:[A-Za-z]\w*(?:\.[\w:]*)*)?$/.test(written) ? mnemonicPlace(written, offset - written.length) : none;
}

function mnemonicPlace(written: string, start: number): StatementPlace {
  const dot = written.lastIndexOf('.');
  if (dot < 0) return { kind: 'mnemonic', beginning: '', start, isFirst: true };
  return { kind: 'mnemonic', beginning: written.slice(0, dot), start: start + dot, isFirst: false };
}

/**
 * The maximum number of words of a directive that are returned. Only the first words of a directive determine what can
 * follow.
 */
const mostDirectiveWords = 64;

function directivePlace(text: string, statement: readonly Word[], offset: number): StatementPlace {
  const last = statement.at(-1);
  const isWriting = last !== undefined && last.end >= offset && last.kind !== 'punctuation';
  const before = isWriting ? statement.slice(0, -1) : statement;
  const words = before.slice(0, mostDirectiveWords).map(({ start, end }) => text.slice(start, end));
  return { kind: 'directive', words, start: isWriting ? last.start : offset };
}

function operandPlace(text: string, statement: readonly Word[], opcode: Word, offset: number): StatementPlace {
  const parts = statement.filter(({ kind }) => kind === 'opcode' || kind === 'modifier' || kind === 'type');
  // Mnemonics with more parts than `partLimit` are not resolved, so any further parts make no difference.
  const read = parts.slice(0, partLimit + 1);
  const mnemonic = read.map(({ start, end }) => text.slice(start, end)).join('');
  const open: { mark: '[' | '{' | '('; elements: number }[] = [];
  let index = 0;
  for (const { kind, start } of statement) {
    const mark = text[start];
    if (kind !== 'punctuation' || start < opcode.start) continue;
    if (mark === '[' || mark === '{' || mark === '(') open.push({ mark, elements: 0 });
    else if (mark === ']' || mark === '}' || mark === ')') open.pop();
    else if (mark === ',') {
      const around = open.at(-1);
      if (around === undefined) index++;
      else around.elements++;
    }
  }
  const around = open.at(-1);
  const name = /[\w$%]*(?:\.\w*)?$/.exec(text.slice(Math.max(0, offset - 300), offset))?.[0] ?? '';
  return {
    kind: 'operand',
    mnemonic,
    mnemonicStart: opcode.start,
    index,
    inside: around?.mark ?? null,
    element: around?.elements ?? 0,
    start: offset - name.length,
  };
}
