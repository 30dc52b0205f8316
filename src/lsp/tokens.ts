/** Semantic tokens in the protocol's encoding. */
import type { Document } from '../analysis/document.ts';
import type { SemanticToken, TokenKind } from '../analysis/semantic-tokens.ts';
import type { OpenDocument } from './open-document.ts';

const kinds: Readonly<Record<TokenKind, string>> = {
  comment: 'comment',
  string: 'string',
  number: 'number',
  opcode: 'keyword',
  modifier: 'modifier',
  type: 'type',
  directive: 'macro',
  guard: 'operator',
  register: 'variable',
  'special register': 'enumMember',
  element: 'property',
  variable: 'variable',
  parameter: 'parameter',
  label: 'label',
  function: 'function',
  target: 'enumMember',
};

export const tokenTypes: readonly string[] = [...new Set(Object.values(kinds))];
export const tokenModifiers: readonly string[] = ['declaration'];

const typeOf = new Map<TokenKind, number>();
for (const kind of Object.keys(kinds).filter(isKind)) typeOf.set(kind, tokenTypes.indexOf(kinds[kind]));

function isKind(name: string): name is TokenKind {
  return Object.hasOwn(kinds, name);
}

/**
 * Five numbers for each token: its line and character relative to the previous token, its length, its type, and its
 * modifiers.
 */
export function encodeTokens({ document }: OpenDocument, start: number, end: number): readonly number[] {
  const tokens = new TokenEncoder(document, start);
  for (const token of document.navigation.tokens(start, end)) tokens.add(token);
  return tokens.data;
}

/** The number of characters that are read from the document at once. */
const windowLength = 65_536;

class TokenEncoder {
  readonly data: number[] = [];
  private readonly document: Document;
  /** A part of the text, and the offset at which it begins. */
  private window = '';
  private windowStart = 0;
  private at: number;
  private line: number;
  private lineStart: number;
  private lastLine = 0;
  private lastCharacter = 0;

  constructor(document: Document, start: number) {
    const { line, column } = document.position(start);
    this.document = document;
    this.at = start;
    this.line = line - 1;
    this.lineStart = start - (column - 1);
  }

  add({ kind, start, end, isDeclaration }: SemanticToken): void {
    const type = typeOf.get(kind) ?? 0;
    this.goTo(start);
    if (kind !== 'comment' && kind !== 'string') return this.push(end - start, type, isDeclaration);
    // A token must lie on one line, but a comment may span several lines.
    for (const part of this.document.slice(start, end).matchAll(/[^\r\n]+/g)) {
      this.goTo(start + part.index);
      this.push(part[0].length, type, isDeclaration);
    }
  }

  private push(length: number, type: number, isDeclaration: boolean): void {
    const { line, lastLine, lastCharacter } = this;
    const character = this.at - this.lineStart;
    const from = line === lastLine ? lastCharacter : 0;
    this.data.push(line - lastLine, character - from, length, type, isDeclaration ? 1 : 0);
    this.lastLine = line;
    this.lastCharacter = character;
  }

  /** Goes to an offset, and counts the line ends on the way. */
  private goTo(offset: number): void {
    for (; this.at < offset; this.at++) {
      const character = this.characterAt(this.at);
      const isLineEnd = character === '\n' || (character === '\r' && this.characterAt(this.at + 1) !== '\n');
      if (!isLineEnd) continue;
      this.line++;
      this.lineStart = this.at + 1;
    }
  }

  private characterAt(offset: number): string | undefined {
    if (offset >= this.windowStart + this.window.length) {
      this.windowStart = offset;
      this.window = this.document.slice(offset, offset + windowLength);
    }
    return this.window[offset - this.windowStart];
  }
}

/**
 * The edit that turns one list of numbers into another. The numbers that both lists have in common at the start and at
 * the end are kept, and the edit replaces everything in between.
 */
export function tokenEdits(old: readonly number[], fresh: readonly number[]): readonly object[] {
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  if (start === old.length && start === fresh.length) return [];
  return [{ start, deleteCount: old.length - start - end, data: fresh.slice(start, fresh.length - end) }];
}
