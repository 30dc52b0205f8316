/** Declarations of variables. Source: PTX ISA 5.4 and 11.6. */
import { parseInitializer } from './initializers.ts';
import type { Reader } from './reader.ts';
import { parseDimension, parseStorage, parseType } from './storage.ts';
import { Token } from './tokens.ts';
import type { DeclaredSpace, Linkage } from '../isa/directives.ts';
import type { Declaration, Initializer, TypePart, Variable } from './tree.ts';
import { readCount } from './values.ts';

/**
 * Parses a declaration such as `.space .align 8 .v2 .type name, name;`. The current token must be the first of its
 * dotted words. After an error, returns the part that was parsed before it, so that the names in this part are known;
 * null if nothing was parsed. If the first word is a misspelled state space, `assumedSpace` is the state space that was
 * probably meant.
 */
export function parseDeclaration(
  r: Reader,
  linkage: Linkage | null,
  start: number,
  assumedSpace: DeclaredSpace | null = null,
): Declaration | null {
  const storage = parseStorage(r, assumedSpace);
  if (storage === null) return null;
  const { space, spaceStart, spaceEnd, bank, attributes } = storage;
  if (space === null) {
    return missingSpace(r, 'begin it with .reg, .shared, .global, .local, .const or .param');
  }
  const part = parseType(r);
  if (part === null) return null;
  const variables: Variable[] = [];
  let mistakes = 0;
  while (r.kind !== Token.Semicolon) {
    const variable = parseVariable(r, part, storage.align);
    if (variable !== null) variables.push(variable);
    else if (++mistakes === mostMistakes || !skipVariable(r)) break;
    if (!r.accept(Token.Comma)) break;
    if (r.kind === Token.Semicolon) r.unexpected('a name');
  }
  const end = r.failed ? r.previousEnd : r.expectSemicolon("','");
  return {
    kind: 'declaration',
    start,
    end: end < 0 ? r.previousEnd : end,
    linkage,
    space,
    spaceStart,
    spaceEnd,
    bank,
    attributes,
    nameless: variables.length === 0 ? part : null,
    variables,
  };
}

/**
 * After this many mistakes in a list of names, the rest of the list is skipped, because it may not be a list of names.
 */
const mostMistakes = 2;

/**
 * If the current token is the type of a declaration, reports that the declaration has no state space. If the token is
 * anything else, reports a syntax error.
 */
export function missingSpace(r: Reader, help: string): null {
  const span = r.span();
  const vector = r.kind === Token.Dotted && /^\.v\d/.test(r.text());
  if (vector) r.next();
  if (r.kind !== Token.Dotted) return r.unexpected('a type');
  r.next();
  do if (!r.expect(Token.Name, 'a name')) return null;
  while (r.accept(Token.Comma));
  if (![Token.Semicolon, Token.LeftBracket, Token.Equals, Token.Less].some((kind) => r.kind === kind)) {
    return r.unexpected("',' or ';'");
  }
  r.failed = true;
  r.report('PTX1041', span, {}, { help });
  return null;
}

/**
 * After an error in one of the names in a list, skips to the next `,` or `;`. Returns false if there is none before the
 * end of the text, the next `{` or the next statement.
 */
function skipVariable(r: Reader): boolean {
  if (r.openBraces > 0) return false;
  while (r.kind !== Token.Comma && r.kind !== Token.Semicolon) {
    if (r.kind === Token.End || r.kind === Token.LeftBrace || r.atStatement()) return false;
    r.next();
  }
  r.failed = false;
  return true;
}

function parseVariable(r: Reader, part: TypePart, align: number | null): Variable | null {
  if (r.kind !== Token.Name) return unexpectedForName(r);
  const start = r.start;
  const nameEnd = r.end;
  const name = r.text();
  r.next();
  let count: number | null = null;
  const dimensions: (number | null)[] = [];
  if (r.kind === Token.Less) {
    r.next();
    count = readCount(r, 'the number of registers');
    if (count === null || !r.expect(Token.Greater, "'>'")) return null;
  } else {
    while (r.kind === Token.LeftBracket) if (!parseDimension(r, dimensions)) return null;
  }
  let initializer: Initializer | null = null;
  if (count === null && r.accept(Token.Equals)) {
    initializer = parseInitializer(r);
    if (initializer === null) return null;
  }
  return {
    start,
    end: r.previousEnd,
    name,
    nameStart: start,
    nameEnd,
    count,
    dimensions,
    initializer,
    type: part.type,
    typeStart: part.typeStart,
    typeEnd: part.typeEnd,
    vector: part.vector,
    align,
    pointer: null,
  };
}

function unexpectedForName(r: Reader): null {
  if (r.kind !== Token.Dotted) return r.unexpected('a name');
  const word = r.text();
  if (word === '.align')
    return r.unexpected('a name', { help: ".align belongs before the type: '.align 8 .b32 name'" });
  if (word === '.v2' || word === '.v4') return r.unexpected('a name', { help: `${word} belongs before the type` });
  return r.unexpected('a name');
}
