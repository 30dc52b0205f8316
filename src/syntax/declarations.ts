/** Variables and parameters. Source: PTX ISA 5.4, 7.1 and 11.6; order and numbers of parts as ptxas takes them. */
import { declaredSpaces } from './directives.ts';
import { parseInitializer } from './initializers.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type {
  Declaration,
  DeclaredSpace,
  Initializer,
  Linkage,
  Parameter,
  PointerAttributes,
  Variable,
} from './tree.ts';
import { integerTokenValue, readCount } from './values.ts';

/** What stands before the type: in any order, each repeatable but the space. */
interface Storage {
  space: string;
  spaceStart: number;
  spaceEnd: number;
  bank: number | null;
  align: number | null;
  attributes: string[];
}

/** What all names of one declaration share. */
interface TypePart {
  readonly type: string;
  readonly typeStart: number;
  readonly typeEnd: number;
  readonly vector: '.v2' | '.v4' | null;
}

/**
 * `.space .align 8 .v2 .type name, name;` with its first dotted word as the current token. After a complaint it returns
 * the declaration as far as it was read, so that the names before the mistake stay known; null if there are none. Where
 * the first word is a mistake for a state space, `assumedSpace` is that space.
 */
export function parseDeclaration(
  r: Reader,
  linkage: Linkage | null,
  start: number,
  assumedSpace = '',
): Declaration | null {
  const storage = parseStorage(r, assumedSpace);
  if (storage === null) return null;
  if (storage.space === '') {
    r.failed = true;
    r.report('PTX1041', r.span(), {}, { help: 'begin it with .reg, .shared, .global, .local, .const or .param' });
    return null;
  }
  const part = parseType(r);
  if (part === null) return null;
  const variables: Variable[] = [];
  while (r.kind !== Token.Semicolon) {
    const variable = parseVariable(r, part, storage.align);
    if (variable !== null) variables.push(variable);
    else if (!skipVariable(r)) break;
    if (!r.accept(Token.Comma)) break;
    if (r.kind === Token.Semicolon) r.unexpected('a name');
  }
  const end = r.failed ? r.previousEnd : r.expectSemicolon("','");
  const { spaceStart, spaceEnd, bank, attributes } = storage;
  const space = storage.space as DeclaredSpace;
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
    variables,
  };
}

/** `.param .u64 .ptr .global .align 16 name`, `.reg .b32 name`, `.param .align 8 .b8 name[16]`. */
export function parseParameter(r: Reader, owner: 'entry' | 'func' | 'prototype'): Parameter | null {
  const start = r.start;
  const storage = parseStorage(r);
  if (storage === null) return null;
  if (storage.space === '') return r.unexpected("'.param' or '.reg'");
  const space = storage.space === '.reg' ? '.reg' : '.param';
  if (storage.space !== space) reportSpace(r, storage);
  const part = parseType(r);
  if (part === null) return null;
  const pointer = r.kind === Token.Dotted ? parsePointer(r, owner) : noPointer;
  if (pointer === null) return null;
  if (r.kind !== Token.Name && r.kind !== Token.Underscore) return r.unexpected('the name of the parameter');
  const nameStart = r.start;
  const name = r.text();
  r.next();
  const dimensions: (number | null)[] = [];
  if (r.kind === Token.LeftBracket && !parseDimension(r, dimensions)) return null;
  return {
    start,
    end: r.previousEnd,
    name,
    nameStart,
    nameEnd: nameStart + name.length,
    count: null,
    dimensions,
    initializer: null,
    type: part.type,
    typeStart: part.typeStart,
    typeEnd: part.typeEnd,
    vector: part.vector,
    align: pointer.attributes === null ? (pointer.align ?? storage.align) : storage.align,
    pointer: pointer.attributes,
    space,
  };
}

/** Parameters live in `.param` or `.reg`; another space is taken for `.param`. */
function reportSpace(r: Reader, { space, spaceStart, spaceEnd }: Storage): void {
  const parameters = { found: `'${space}'`, near: space, expected: "'.param' or '.reg'" };
  r.report('PTX1001', { start: spaceStart, end: spaceEnd }, parameters);
}

/**
 * `(parameter, parameter)`, empty too. What is wrong with one parameter leaves that one out; null, after a complaint, where
 * the list does not end.
 */
export function parseParameters(r: Reader, owner: 'entry' | 'func' | 'prototype'): readonly Parameter[] | null {
  const parameters: Parameter[] = [];
  r.next();
  if (r.accept(Token.RightParen)) return parameters;
  for (;;) {
    const parameter = parseParameter(r, owner);
    if (parameter !== null) parameters.push(parameter);
    else if (!skipParameter(r)) return null;
    if (r.accept(Token.RightParen)) return parameters;
    if (r.accept(Token.Comma)) continue;
    r.unexpected("',' or ')'");
    // Only the comma is missing where the next parameter follows at once.
    if (r.kind !== Token.Dotted) return skipParameter(r) && r.accept(Token.RightParen) ? parameters : null;
    r.failed = false;
  }
}

/** After a complaint: to the `,` or `)` behind a parameter; false where something else comes first. */
function skipParameter(r: Reader): boolean {
  while (r.kind !== Token.Comma && r.kind !== Token.RightParen) {
    const isOver = r.kind === Token.LeftBrace || r.kind === Token.Semicolon || r.kind === Token.End;
    if (isOver || r.atFunction()) return false;
    r.next();
  }
  r.failed = false;
  return true;
}

/** `.attribute(.managed, .unified(19, 95))`, added to `attributes` without white space. */
export function parseAttributes(r: Reader, attributes: string[], owner: 'func' | 'variable'): boolean {
  r.next();
  if (!r.expect(Token.LeftParen, "'('")) return false;
  do {
    const text = r.kind === Token.Dotted ? r.text() : '';
    if (text !== '.unified' && (text !== '.managed' || owner === 'func')) {
      r.unexpected(owner === 'func' ? "'.unified'" : "'.managed' or '.unified'");
      return false;
    }
    r.next();
    const suffix = text === '.unified' ? parseUnifiedNumbers(r) : '';
    if (suffix === null) return false;
    attributes.push(text + suffix);
  } while (r.accept(Token.Comma));
  return r.expect(Token.RightParen, "',' or ')'");
}

function parseUnifiedNumbers(r: Reader): string | null {
  if (!r.expect(Token.LeftParen, "'('")) return null;
  const first = readUnified(r);
  if (first === null || !r.expect(Token.Comma, "','")) return null;
  const second = readUnified(r);
  if (second === null || !r.expect(Token.RightParen, "')'")) return null;
  return `(${first},${second})`;
}

function readUnified(r: Reader): string | null {
  if (r.kind !== Token.Integer) return r.unexpected('an integer');
  const value = integerTokenValue(r);
  r.next();
  return String(value);
}

function parseStorage(r: Reader, assumedSpace = ''): Storage | null {
  const storage: Storage = {
    space: '',
    spaceStart: r.start,
    spaceEnd: r.start,
    bank: null,
    align: null,
    attributes: [],
  };
  if (assumedSpace !== '' && !takeSpace(r, storage, assumedSpace)) return null;
  while (r.kind === Token.Dotted) {
    const word = r.text();
    if (declaredSpaces.has(word)) {
      if (!takeSpace(r, storage, word)) return null;
    } else if (word === '.align') {
      r.next();
      storage.align = readCount(r, 'an alignment');
      if (storage.align === null) return null;
    } else if (word === '.attribute') {
      if (!parseAttributes(r, storage.attributes, 'variable')) return null;
    } else break;
  }
  return storage;
}

function takeSpace(r: Reader, storage: Storage, word: string): boolean {
  if (storage.space !== '') r.report('PTX1040', r.span(), { found: `'${word}'`, first: `'${storage.space}'` });
  storage.space = word;
  storage.spaceStart = r.start;
  storage.spaceEnd = r.end;
  r.next();
  if (word !== '.const' || r.kind !== Token.LeftBracket) return true;
  r.next();
  storage.bank = readCount(r, 'the number of a constant bank');
  return storage.bank !== null && r.expect(Token.RightBracket, "']'");
}

function parseType(r: Reader): TypePart | null {
  let vector: '.v2' | '.v4' | null = null;
  if (r.kind === Token.Dotted) {
    const word = r.text();
    if (word === '.v2' || word === '.v4') {
      vector = word;
      r.next();
    } else if (/^\.v\d+$/.test(word)) {
      return r.unexpected("'.v2', '.v4' or a type", {
        help: 'variables are vectors of 2 or 4 elements',
        section: '5.4.2',
      });
    }
  }
  if (r.kind !== Token.Dotted) return r.unexpected('a type');
  const part: TypePart = { type: r.text(), typeStart: r.start, typeEnd: r.end, vector };
  r.next();
  return part;
}

/** After a complaint about one name of a list: to the `,` or `;` behind it; false where something else comes first. */
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
  if (r.accept(Token.Equals)) {
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
  if (word === '.align') return r.unexpected('a name', { help: ".align stands before the type: '.align 8 .b32 name'" });
  if (word === '.v2' || word === '.v4') return r.unexpected('a name', { help: `${word} stands before the type` });
  return r.unexpected('a name');
}

/** `[4]`, or `[]` as the first one, added to `dimensions`. */
function parseDimension(r: Reader, dimensions: (number | null)[]): boolean {
  r.next();
  if (r.kind === Token.RightBracket && dimensions.length === 0) {
    r.next();
    dimensions.push(null);
    return true;
  }
  if (r.kind !== Token.Integer && r.kind !== Token.WarpSize) {
    r.unexpected(dimensions.length === 0 ? "an integer or ']'" : 'an integer');
    return false;
  }
  dimensions.push(Number(integerTokenValue(r)));
  r.next();
  return r.expect(Token.RightBracket, "']'");
}

interface PointerPart {
  readonly attributes: PointerAttributes | null;
  readonly align: number | null;
}

const noPointer: PointerPart = { attributes: null, align: null };

const pointerSpaces: ReadonlySet<string> = new Set(['.const', '.global', '.local', '.shared']);

/** `.ptr .space .align N` behind a parameter's type, or `.align N` alone. */
function parsePointer(r: Reader, owner: 'entry' | 'func' | 'prototype'): PointerPart | null {
  const span = r.span();
  const first = r.text();
  if (first !== '.ptr' && first !== '.align') return r.unexpected('the name of the parameter');
  if (owner === 'func') r.report('PTX1042', span, { found: `'${first}'` });
  if (first === '.ptr') r.next();
  let space: PointerAttributes['space'] = null;
  if (first === '.ptr' && r.kind === Token.Dotted && pointerSpaces.has(r.text())) {
    space = r.text() as PointerAttributes['space'];
    r.next();
  }
  let align: number | null = null;
  if (r.kind === Token.Dotted && r.text() === '.align') {
    r.next();
    align = readCount(r, 'an alignment');
    if (align === null) return null;
  }
  return first === '.ptr' ? { attributes: { space, align }, align: null } : { attributes: null, align };
}
