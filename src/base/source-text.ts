import { requireText } from './require-text.ts';
import { requireArgument } from './require.ts';
import { number, whole } from './rules.ts';
import { leadingCount } from './leading-count.ts';
import type { Position } from './span.ts';
import { wordAt } from './typed-reads.ts';

const place = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

/** A source text with an index of its lines; the index is built when the first position is requested. */
export class SourceText {
  readonly name: string;
  readonly text: string;
  private starts: Uint32Array | null = null;

  constructor(text: string, name = '<input>') {
    requireText(text, 'a text');
    this.text = text;
    this.name = name;
  }

  /** The line and column of a UTF-16 offset; `\n`, `\r\n` and a lone `\r` each end a line. */
  position(offset: number): Position {
    requireArgument('an offset', offset, place);
    const starts = this.lineStarts();
    const line = leadingCount(starts.length, (i) => wordAt(starts, i) <= offset);
    return { line, column: offset - wordAt(starts, line - 1) + 1 };
  }

  /** The text of a line (1-based) without its line break; empty if there is no such line. */
  line(line: number): string {
    requireArgument('the number of a line', line, number);
    const starts = this.lineStarts();
    const start = starts[line - 1];
    if (start === undefined) return '';
    const end = starts[line] ?? this.text.length;
    return this.text.slice(start, end).replace(/[\r\n]+$/, '');
  }

  /** The offset at which a line (1-based) starts; the end of the text if there is no such line. */
  lineStart(line: number): number {
    requireArgument('the number of a line', line, number);
    return this.lineStarts()[line - 1] ?? this.text.length;
  }

  private lineStarts(): Uint32Array {
    this.starts ??= indexLines(this.text);
    return this.starts;
  }
}

function indexLines(text: string): Uint32Array {
  return text.includes('\r') ? indexAnyLineEnds(text) : indexNewlines(text);
}

/**
 * Finds the starts of the lines in text that does not contain `\r`. Few texts contain `\r`, and the built-in search is
 * fast.
 */
function indexNewlines(text: string): Uint32Array {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return Uint32Array.from(starts);
}

function indexAnyLineEnds(text: string): Uint32Array {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  return Uint32Array.from(starts);
}

/** The code point at an offset in the text. */
export function codePointAt(text: string, offset: number): number {
  const found = text.codePointAt(offset);
  if (found === undefined) throw new Error(`no character at offset ${offset}; the length is ${text.length}`);
  return found;
}
