/** The text of string literals, with the position of each character in the source file. */
import type { Span } from '../base/span.ts';

/** Text that is assembled from parts of a source file, with the position of each character in the source. */
export class MappedText {
  text = '';
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  /** Adds characters that all come from one span of the source, such as an escape sequence. */
  add(text: string, start: number, end: number): void {
    this.text += text;
    for (let i = 0; i < text.length; i++) {
      this.starts.push(start);
      this.ends.push(end);
    }
  }

  /** Adds characters that appear unchanged in the source. */
  addPlain(text: string, start: number): void {
    this.text += text;
    for (let i = 0; i < text.length; i++) {
      this.starts.push(start + i);
      this.ends.push(start + i + 1);
    }
  }

  /** Adds a part of another MappedText, with the positions of its characters. */
  addPart(other: MappedText, from: number, to: number): void {
    this.text += other.text.slice(from, to);
    for (let i = from; i < to; i++) {
      this.starts.push(other.starts[i] ?? 0);
      this.ends.push(other.ends[i] ?? 0);
    }
  }

  /**
   * Returns the span of the source that the given span of the text comes from. Positions outside the text are clamped
   * to the start or end of the text.
   */
  source({ start, end }: Span): Span {
    const last = this.text.length - 1;
    if (last < 0) return { start: 0, end: 0 };
    const first = Math.min(Math.max(start, 0), last);
    const from = this.starts[first] ?? 0;
    if (start > last) return { start: this.ends[last] ?? 0, end: this.ends[last] ?? 0 };
    if (end <= start) return { start: from, end: from };
    return { start: from, end: this.ends[Math.min(end - 1, last)] ?? from };
  }

  /**
   * Returns the offset in this text of the character that comes from offset `source` of the source file; -1 if no
   * character of this text comes from there.
   */
  offsetOf(source: number): number {
    for (let i = 0; i < this.text.length; i++) {
      if ((this.ends[i] ?? 0) > source) return (this.starts[i] ?? 0) <= source ? i : -1;
    }
    return this.ends.at(-1) === source ? this.text.length : -1;
  }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  v: '\v',
  f: '\f',
  a: '\u0007',
  b: '\b',
  '0': '\0',
};

/** Adds the text between two quotes, and decodes the escape sequences that C++ and Python have in common. */
export function addUnescaped(mapped: MappedText, source: string, start: number, end: number): void {
  const text = source.slice(start, end);
  let at = 0;
  for (const found of text.matchAll(/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|([0-7]{1,3})|(\r\n|[^]))/g)) {
    mapped.addPlain(text.slice(at, found.index), start + at);
    const from = start + found.index;
    at = found.index + found[0].length;
    const [, hex, unicode, octal, other = ''] = found;
    const code = hex ?? unicode;
    const isLineEnd = other.startsWith('\n') || other.startsWith('\r');
    if (code !== undefined) mapped.add(String.fromCharCode(Number.parseInt(code, 16)), from, start + at);
    else if (octal !== undefined) mapped.add(String.fromCharCode(Number.parseInt(octal, 8)), from, start + at);
    // A backslash at the end of a line joins that line with the next line.
    else if (!isLineEnd) mapped.add(simpleEscapes[other] ?? other, from, start + at);
  }
  mapped.addPlain(text.slice(at), start + at);
}

/**
 * Finds the end of a literal whose text begins at `start`: the offset after its closing quote. If there is no closing
 * quote, the literal ends at the end of the line or, if it may span several lines, at the end of the source.
 */
export function literalEnd(source: string, start: number, quote: string, ofOneLine: boolean): number {
  const [first] = quote;
  for (let i = start; i < source.length; i++) {
    const character = source[i];
    if (character === '\\') i += source[i + 1] === '\r' && source[i + 2] === '\n' ? 2 : 1;
    else if (character === first && source.startsWith(quote, i)) return i + quote.length;
    else if (ofOneLine && character === '\n') return i;
  }
  return source.length;
}

/** The span between the quotes of a literal; without a closing quote, it extends to the end of the literal. */
export function insideQuotes(source: string, start: number, end: number, quote: string): Span {
  const isClosed = end - quote.length >= start && source.startsWith(quote, end - quote.length);
  return { start, end: isClosed ? end - quote.length : end };
}
