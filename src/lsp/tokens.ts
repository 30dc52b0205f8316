/** Semantic tokens in the protocol's encoding. */
import type { TokenKind } from '../analysis/semantic-tokens.ts';
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

/**
 * Five numbers for each token: its line and character relative to the previous token, its length, its type, and its
 * modifiers.
 */
export function encodeTokens({ document }: OpenDocument, start: number, end: number): readonly number[] {
  const data: number[] = [];
  const from = document.position(start);
  let line = from.line - 1;
  let lineStart = start - (from.column - 1);
  let [lastLine, lastCharacter, at] = [0, 0, start];
  const add = (character: number, length: number, type: number, modifiers: number): void => {
    data.push(line - lastLine, line === lastLine ? character - lastCharacter : character, length, type, modifiers);
    [lastLine, lastCharacter] = [line, character];
  };
  for (const token of document.navigation.tokens(start, end)) {
    const goTo = (offset: number): void => {
      for (const ended of document.slice(at, offset).matchAll(/\r\n|\n|\r/g)) {
        line++;
        lineStart = at + ended.index + ended[0].length;
      }
      at = offset;
    };
    goTo(token.start);
    const type = tokenTypes.indexOf(kinds[token.kind]);
    // A token must lie on one line, but a comment may span several lines.
    for (const part of document.slice(token.start, token.end).matchAll(/[^\r\n]+/g)) {
      goTo(token.start + part.index);
      add(at - lineStart, part[0].length, type, token.isDeclaration ? 1 : 0);
    }
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
