/** Semantic tokens in the protocol's encoding. */
import type { SemanticToken, TokenKind } from '../analysis/semantic-tokens.ts';
import type { OpenDocument, Position } from './open-document.ts';

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

/**
 * Five numbers for each token: its line and character relative to the previous token, its length, its type, and its
 * modifiers.
 */
export function encodeTokens(open: OpenDocument, start: number, end: number): readonly number[] {
  const data: number[] = [];
  let last: Position = { line: 0, character: 0 };
  const add = (offset: number, length: number, { kind, isDeclaration }: SemanticToken): void => {
    const { line, character } = open.position(offset);
    const from = line === last.line ? last.character : 0;
    data.push(line - last.line, character - from, length, tokenTypes.indexOf(kinds[kind]), isDeclaration ? 1 : 0);
    last = { line, character };
  };
  for (const token of open.document.navigation.tokens(start, end)) {
    const { kind } = token;
    if (kind !== 'comment' && kind !== 'string') add(token.start, token.end - token.start, token);
    // A token must lie on one line, but a comment may span several lines.
    else
      for (const part of open.document.slice(token.start, token.end).matchAll(/[^\r\n]+/g))
        add(token.start + part.index, part[0].length, token);
  }
  return data;
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
