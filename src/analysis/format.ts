/**
 * Formats a document the way nvcc prints modules: one statement per line, labels at the start of a line, and a tab
 * between the mnemonic and its operands. Only white space changes. Comments, debug sections, and line breaks within
 * lists are preserved.
 */
import { elementAt } from '../base/element-at.ts';
import type { Edit } from '../diagnostics/fix.ts';
import { nestingLimit } from '../syntax/reader.ts';
import { pairedOperator } from '../syntax/tokens.ts';
import type { ChunkList } from './chunk-list.ts';
import type { References } from './references.ts';
import { ofOneLine, type WordKind } from './words.ts';

interface PlacedWord {
  readonly kind: WordKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The edits that format a document; empty if it is already formatted. */
export function formatEdits(list: ChunkList, references: References): readonly Edit[] {
  const lineEnd = /\r\n|\n/.exec(elementAt(list.chunks, 0).text)?.[0] ?? '\n';
  const formatter = new Formatter(lineEnd);
  const edits: Edit[] = [];
  let end = 0;
  for (const chunk of list.chunks) {
    for (const { kind, start, end: wordEnd } of references.wordsOf(chunk)) {
      const word = {
        kind,
        text: chunk.text.slice(start, wordEnd),
        start: chunk.start + start,
        end: chunk.start + wordEnd,
      };
      const gap = list.slice(end, word.start);
      const wanted = formatter.gapBefore(word, gap);
      if (wanted !== gap) edits.push({ span: { start: end, end: word.start }, text: wanted });
      ({ end } = word);
    }
  }
  const rest = list.slice(end, list.length);
  if (end > 0 && /^\s*$/.test(rest) && rest !== lineEnd)
    edits.push({ span: { start: end, end: list.length }, text: lineEnd });
  return edits;
}

/** Code that is nested too deeply to be checked is not indented any further. */
function indentOf(depth: number): string {
  return '\t'.repeat(Math.min(depth, nestingLimit));
}

type Place = 'start' | 'label' | 'guard' | 'mnemonic' | 'operands' | 'directive' | 'line' | 'header' | 'section';

class Formatter {
  private readonly lineEnd: string;
  private place: Place = 'start';
  /** The number of functions and blocks that are open. */
  private depth = 0;
  /** The number of brackets that are open in the current statement. */
  private brackets = 0;
  /** The first word of the current statement. */
  private first = '';
  private previous: PlacedWord | null = null;
  /** The last word that is not a comment. */
  private code: PlacedWord | null = null;

  constructor(lineEnd: string) {
    this.lineEnd = lineEnd;
  }

  /** The white space that belongs before the next word. */
  gapBefore(word: PlacedWord, gap: string): string {
    const wanted = this.wanted(word, gap);
    this.previous = word;
    if (word.kind !== 'comment') {
      this.follow(word);
      this.code = word;
    }
    return wanted;
  }

  private wanted(word: PlacedWord, gap: string): string {
    const { previous } = this;
    const hasLineEnd = /[\r\n]/.test(gap);
    if (/\S/.test(gap)) {
      // Keeps the line markers of a preprocessor.
      if (this.place === 'line' && hasLineEnd) this.begin();
      return gap;
    }
    if (previous === null) return '';
    if (this.place === 'line' && hasLineEnd && this.code?.text !== ',') this.begin();
    if (this.place === 'section' || (this.place === 'line' && this.isDebug())) return gap;
    if (word.kind === 'comment') return hasLineEnd ? this.newLine(gap, this.indent(word)) : ' ';
    if (previous.text.startsWith('//')) return this.newLine(gap, this.indent(word));
    if (this.place === 'start') {
      const isBesideComment = previous.kind === 'comment' && !hasLineEnd;
      return isBesideComment ? ' ' : this.newLine(gap, this.indent(word));
    }
    const isBody = this.place === 'header' && word.text === '{';
    const isAfterLabel = this.place === 'label' && this.code?.text === ':' && word.kind !== 'directive';
    if (isBody || isAfterLabel) return this.newLine('', this.indent(word));
    if (hasLineEnd && this.place !== 'mnemonic') return this.newLine('', this.indent(word));
    return previous.kind === 'comment' ? ' ' : this.space(previous, word);
  }

  /** A line break, preceded by an empty line if the text had one there. */
  private newLine(gap: string, indent: string): string {
    const lines = gap.split(/\r\n|\n|\r/).length - 1;
    return this.lineEnd.repeat(lines > 1 && this.place === 'start' ? 2 : 1) + indent;
  }

  private indent({ kind, text }: PlacedWord): string {
    if (this.place === 'header') return this.brackets > 0 && text !== ')' ? '\t' : '';
    if (this.place !== 'start' && this.place !== 'label') return indentOf(this.depth + 1);
    if (kind === 'label') return '';
    return indentOf(text === '}' ? Math.max(0, this.depth - 1) : this.depth);
  }

  private space(previous: PlacedWord, word: PlacedWord): string {
    if (word.kind === 'member') return '';
    if (this.place === 'mnemonic') return isPart(word) ? '' : word.text === ';' ? '' : ' \t';
    if (this.place === 'guard') return word.kind === 'opcode' ? ' ' : '';
    if (/^[,;)\]}<>:]$/.test(word.text) || (previous.text === '<' && this.place === 'directive')) return '';
    if (previous.text === ',' || word.text === '=' || previous.text === '=' || previous.text === ':') return ' ';
    const [before, after] = [previous.text.charCodeAt(previous.text.length - 1), word.text.charCodeAt(0)];
    const joins = previous.kind === 'punctuation' && word.kind === 'punctuation' && wouldJoin(before, after);
    if (joins) return ' ';
    const isClosing = /^[)\]}>]$/.test(previous.text);
    if (isMark(word)) {
      const isList = word.text === '{' || word.text === '(' || word.text === '[';
      return isList && (isClosing || previous.kind === 'directive' || previous.kind === 'type') && word.text !== '['
        ? ' '
        : '';
    }
    if (isMark(previous) && !isClosing) return '';
    return this.first === '.reg' && previous.kind === 'type' && word.kind === 'name' ? ' \t' : ' ';
  }

  /** Debug information is not reformatted. */
  private isDebug(): boolean {
    return this.first === '.file' || this.first === '@@DWARF';
  }

  private begin(): void {
    this.place = 'start';
    this.brackets = 0;
    this.first = '';
  }

  private follow(word: PlacedWord): void {
    const { kind, text } = word;
    if (this.place === 'start') this.first = text;
    if (kind === 'punctuation') return this.followMark(text);
    switch (kind) {
      case 'label':
        this.place = 'label';
        return;
      case 'guard':
        this.place = 'guard';
        return;
      case 'opcode':
        this.place = 'mnemonic';
        return;
      case 'directive':
      case 'type':
      case 'modifier':
        this.followDotted(text);
        return;
      default:
        if (this.place === 'mnemonic') this.place = 'operands';
    }
  }

  private followDotted(text: string): void {
    if (text === '.entry' || text === '.func') this.place = 'header';
    else if (this.place === 'start' || this.place === 'label') {
      this.first = text;
      this.place = text === '.section' ? 'section' : ofOneLine.has(text) || text === '@@DWARF' ? 'line' : 'directive';
    }
  }

  private followMark(text: string): void {
    if (text === ':' && this.place === 'label') return;
    if (text === ';') return this.begin();
    if (this.place === 'mnemonic') this.place = 'operands';
    const isList = this.place === 'operands' || this.place === 'directive' || this.place === 'section';
    if (text === '{' && !isList) {
      this.begin();
      this.depth++;
    } else if (text === '}' && (!isList || this.brackets === 0)) {
      this.begin();
      this.depth = Math.max(0, this.depth - 1);
    } else if (/^[([{]$/.test(text)) this.brackets++;
    else if (/^[)\]}]$/.test(text)) {
      this.brackets = Math.max(0, this.brackets - 1);
      if (this.place === 'section' && this.brackets === 0) this.begin();
    }
  }
}

/** Punctuation that needs no space around it. `_` and `%` are excluded, because they are read as parts of names. */
function isMark({ kind, text }: PlacedWord): boolean {
  return kind === 'punctuation' && text !== '_' && text !== '%';
}

function isPart({ kind }: PlacedWord): boolean {
  return kind === 'opcode' || kind === 'modifier' || kind === 'type';
}

/** Whether two adjacent punctuation marks would be read as one operator or as the start of a comment. */
function wouldJoin(first: number, second: number): boolean {
  const slash = 0x2f;
  return pairedOperator(first, second) !== 0 || (first === slash && (second === slash || second === 0x2a));
}
