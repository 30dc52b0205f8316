/** Determines the meaning of each word of a document, so that editors can color it. */
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { findRegister } from '../isa/find-register.ts';
import { findDeclaredTarget } from '../isa/targets.ts';
import type { ChunkList } from './chunk-list.ts';
import type { Declared, Names } from './names.ts';
import type { References } from './references.ts';
import type { Word } from './words.ts';

export type TokenKind =
  | 'comment'
  | 'string'
  | 'number'
  | 'opcode'
  | 'modifier'
  | 'type'
  | 'directive'
  | 'guard'
  | 'register'
  | 'special register'
  | 'element'
  | 'variable'
  | 'parameter'
  | 'label'
  | 'function'
  | 'target';

export interface SemanticToken extends Span {
  readonly kind: TokenKind;
  readonly isDeclaration: boolean;
}

/** The tokens that start between two offsets, in the order of the text. Undeclared names have no token. */
export function* semanticTokens(
  list: ChunkList,
  names: Names,
  references: References,
  { start, end }: Span,
): Generator<SemanticToken> {
  for (let i = list.at(start).index; i < list.chunks.length; i++) {
    const chunk = elementAt(list.chunks, i);
    if (chunk.start >= end && i > 0) return;
    for (const word of references.wordsOf(chunk)) {
      const at = chunk.start + word.start;
      if (at < start) continue;
      if (at >= end) return;
      const found = meaning(word, chunk.text, at, names);
      if (found === null) continue;
      const { kind, isDeclaration } = found;
      yield { kind, isDeclaration, start: at, end: chunk.start + word.end };
    }
  }
}

type Meaning = Omit<SemanticToken, 'start' | 'end'>;

function meaning(word: Word, text: string, at: number, names: Names): Meaning | null {
  const { kind } = word;
  switch (kind) {
    case 'comment':
    case 'string':
    case 'number':
    case 'opcode':
    case 'modifier':
    case 'type':
    case 'directive':
    case 'guard':
      return { kind, isDeclaration: false };
    case 'member':
      return { kind: 'element', isDeclaration: false };
    case 'label':
      return { kind: 'label', isDeclaration: true };
    case 'name':
      return meaningOfName(text.slice(word.start, word.end), at, names);
    case 'punctuation':
    case 'wrong':
      return null;
  }
}

function meaningOfName(name: string, at: number, names: Names): Meaning | null {
  const found = names.resolve(name, at);
  if (found !== null) return { kind: kindOf(found.declared), isDeclaration: found.declared.start === at };
  const family = names.scopeAt(at)?.familyAt(at) ?? null;
  if (family !== null) return { kind: 'register', isDeclaration: true };
  if (findRegister(name) !== undefined) return { kind: 'special register', isDeclaration: false };
  return findDeclaredTarget(name) !== undefined ? { kind: 'target', isDeclaration: false } : null;
}

function kindOf({ symbol }: Declared): TokenKind {
  switch (symbol.kind) {
    case 'register':
    case 'function':
    case 'label':
      return symbol.kind;
    case 'targets':
    case 'prototype':
      return 'label';
    case 'variable':
      return symbol.space.endsWith('parameter') ? 'parameter' : 'variable';
  }
}
