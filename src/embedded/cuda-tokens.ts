/** Splits CUDA C++ into words, strings and punctuation marks. Comments and directives are skipped. */
import { matchAt } from '../base/match-at.ts';
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { insideQuotes, literalEnd } from './literal-text.ts';

export interface CudaToken extends Span {
  readonly kind: 'word' | 'string' | 'mark';
  /**
   * For a string, the span of its text between the quotes; null for other tokens. Raw strings have no escape sequences.
   */
  readonly content: (Span & { readonly raw: boolean }) | null;
  /** Whether the token is subject to preprocessor conditions that may depend on the target. */
  readonly isConditional: boolean;
  /** The number of preprocessor conditions that begin or end before the token. */
  readonly branch: number;
}

const spaces = /\s+/y;
const wordEnd = /[\w$]*/y;
const number = /\.?\d(?:[\w.']|[eEpP][+-])*/y;
const rawOpening = /(?:u8|[LuU])?R"([^()\\\s]{0,16})\(/y;
const opening = /(?:u8|[LuU])?"/y;

/** The end of the match that begins at `start`; `start` itself if there is no match. */
function endOf(pattern: RegExp, source: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(source) ? pattern.lastIndex : start;
}

/**
 * The tokens of a file. They are stored in parallel lists, because a file has many tokens, and only the tokens in `asm`
 * statements are examined in detail.
 */
export class CudaTokens {
  private readonly source: string;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly conditional: boolean[] = [];
  private readonly branches: number[] = [];
  /** For each opening bracket, the index of the token that closes it; -1 for all other tokens. */
  private readonly closing: number[] = [];

  constructor(source: string) {
    this.source = source;
    this.read(new Conditions());
  }

  get length(): number {
    return this.starts.length;
  }

  text(index: number): string {
    return this.source.slice(this.starts[index], this.ends[index]);
  }

  at(index: number): CudaToken {
    const start = elementAt(this.starts, index);
    const isConditional = elementAt(this.conditional, index);
    const branch = elementAt(this.branches, index);
    return { start, end: elementAt(this.ends, index), ...kindAt(this.source, start), isConditional, branch };
  }

  /** Whether a token is the word that begins an `asm` statement. */
  isAsm(index: number): boolean {
    const start = elementAt(this.starts, index);
    const mayBe = this.source.startsWith('asm', start) || this.source.startsWith('__asm', start);
    return mayBe && /^(?:asm|__asm__|__asm)$/.test(this.text(index));
  }

  /** The index of the token that closes the round or curly bracket at the given index; -1 if there is none. */
  closingOf(index: number): number {
    return elementAt(this.closing, index);
  }

  private read(conditions: Conditions): void {
    const { source } = this;
    const open: number[] = [];
    let isLineStart = true;
    for (let at = 0; at < source.length; ) {
      const gap = Math.min(gapEnd(source, at), source.length);
      if (gap > at) {
        isLineStart ||= source[at] !== '\\' && source.slice(at, gap).includes('\n');
        at = gap;
      } else if (isLineStart && source[at] === '#') {
        at = Math.min(afterDirective(source, at + 1, conditions), source.length);
        isLineStart = source[at - 1] === '\n';
      } else {
        isLineStart = false;
        const end = tokenEnd(source, at);
        if (source[at] !== "'") this.add(at, end, conditions, open);
        at = end;
      }
    }
  }

  private add(start: number, end: number, { isUncertain, branch }: Conditions, open: number[]): void {
    const index = this.starts.length;
    this.starts.push(start);
    this.ends.push(end);
    this.conditional.push(isUncertain);
    this.branches.push(branch);
    this.closing.push(-1);
    const mark = this.source[start];
    if (mark === '(' || mark === '{') open.push(index);
    else if (mark === ')' || mark === '}') {
      const opened = open.pop();
      if (opened !== undefined) this.closing[opened] = index;
    }
  }
}

/** The end of the white space or comment that begins at `start`; `start` itself if there is none. */
function gapEnd(source: string, start: number): number {
  const character = source[start];
  const next = source[start + 1];
  if (character === '/' && next === '/') return logicalLineEnd(source, start) - 1;
  if (character === '/' && next === '*') {
    const end = source.indexOf('*/', start + 2);
    return end < 0 ? source.length : end + 2;
  }
  if (character === '\\') return start + (next === '\n' ? 2 : next === '\r' && source[start + 2] === '\n' ? 3 : 0);
  return endOf(spaces, source, start);
}

/** The offset after the end of a logical line, which may extend over several lines that end with backslashes. */
function logicalLineEnd(source: string, start: number): number {
  for (let at = start; ; ) {
    const end = source.indexOf('\n', at);
    if (end < 0) return source.length + 1;
    if (!/\\\r?$/.test(source.slice(Math.max(at, end - 2), end))) return end + 1;
    at = end + 1;
  }
}

function tokenEnd(source: string, start: number): number {
  const character = source[start] ?? '';
  if (/[A-Za-z_$"]/.test(character)) return literalAt(source, start)?.end ?? endOf(wordEnd, source, start);
  if (character === "'") return literalEnd(source, start + 1, "'", true);
  if (/[\d.]/.test(character)) return Math.max(endOf(number, source, start), start + 1);
  return start + 1;
}

/** The kind of the token that begins at `start`. */
function kindAt(source: string, start: number): Pick<CudaToken, 'kind' | 'content'> {
  const literal = literalAt(source, start);
  if (literal !== null) return { kind: 'string', content: literal.content };
  return { kind: /[A-Za-z_$]/.test(source[start] ?? '') ? 'word' : 'mark', content: null };
}

interface Literal {
  readonly end: number;
  readonly content: NonNullable<CudaToken['content']>;
}

/** The string literal that begins at `start`; null if there is none. */
function literalAt(source: string, start: number): Literal | null {
  if (!/["LRuU]/.test(source[start] ?? '')) return null;
  const raw = matchAt(rawOpening, source, start);
  if (raw !== null) return rawLiteral(source, start + raw[0].length, `)${raw[1] ?? ''}"`);
  const inner = endOf(opening, source, start);
  if (inner === start) return null;
  const end = literalEnd(source, inner, '"', true);
  return { end, content: { ...insideQuotes(source, inner, end, '"'), raw: false } };
}

function rawLiteral(source: string, inner: number, closing: string): Literal {
  const found = source.indexOf(closing, inner);
  if (found < 0) return { end: source.length, content: { start: inner, end: source.length, raw: true } };
  return { end: found + closing.length, content: { start: inner, end: found, raw: true } };
}

/** Preprocessor conditions that do not depend on the target, such as include guards. */
const harmless = /^\s*(?:ifndef|if\s*!\s*defined)\b.*(?:_H_*|_HPP_*|_CUH_*|_INCLUDED_*|_GUARD_*)\)?\s*$|__cplusplus\b/i;

/** The preprocessor conditions that apply at a position in a file. */
class Conditions {
  /** For each condition, whether it may depend on the target. */
  private readonly uncertain: boolean[] = [];
  private count = 0;
  /** The number of directives so far that begin, divide or end a condition. */
  branch = 0;

  get isUncertain(): boolean {
    return this.count > 0;
  }

  /** Reads a directive, without its `#`. */
  read(name: string, text: string): void {
    if (/^(?:if|el|endif)/.test(name)) this.branch++;
    if (name.startsWith('if')) this.push(!harmless.test(text));
    else if (name === 'endif') this.pop();
    else if (name.startsWith('el') && this.uncertain.length > 0) {
      this.pop();
      this.push(true);
    }
  }

  private push(isUncertain: boolean): void {
    this.uncertain.push(isUncertain);
    if (isUncertain) this.count++;
  }

  private pop(): void {
    if (this.uncertain.pop() === true) this.count--;
  }
}

/** Maximum number of characters that are read from a directive. */
const longestCondition = 2000;

/**
 * The offset at which to continue after the `#` of a directive. For `#define`, this is the start of the macro's body;
 * otherwise, it is the end of the line.
 */
function afterDirective(source: string, start: number, conditions: Conditions): number {
  const end = logicalLineEnd(source, start);
  const text = source.slice(start, Math.min(end, start + longestCondition));
  const name = /^\s*(\w+)/.exec(text)?.[1] ?? '';
  if (name === 'define') return start + (/^\s*define\s+\w+(?:\([^)]*\))?/.exec(text)?.[0].length ?? text.length);
  conditions.read(name, text);
  return end;
}
