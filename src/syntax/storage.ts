/**
 * Parses the parts of a declaration that apply to all of its names, and the dimensions of a single name. Source: PTX
 * ISA 5.1 to 5.4.
 */
import { parseAttributes } from './attributes.ts';
import { isDeclaredSpace } from './directives.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { TypePart, Variable } from './tree.ts';
import { integerTokenValue, readCount } from './values.ts';
import type { DeclaredSpace } from '../isa/directives.ts';

/**
 * The parts of a declaration that come before its type. These parts may be in any order. Each part may be repeated,
 * except for the state space.
 */
export interface Storage {
  space: DeclaredSpace | null;
  spaceStart: number;
  spaceEnd: number;
  bank: number | null;
  align: number | null;
  attributes: string[];
}

/**
 * Parses the parts of a declaration that come before its type. If `assumedSpace` is not null, the current token is read
 * as this state space.
 */
export function parseStorage(r: Reader, assumedSpace: DeclaredSpace | null = null): Storage | null {
  const storage: Storage = {
    space: null,
    spaceStart: r.start,
    spaceEnd: r.start,
    bank: null,
    align: null,
    attributes: [],
  };
  if (assumedSpace !== null && !takeSpace(r, storage, assumedSpace)) return null;
  while (r.kind === Token.Dotted) {
    const word = r.text();
    if (isDeclaredSpace(word)) {
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

function takeSpace(r: Reader, storage: Storage, word: DeclaredSpace): boolean {
  if (storage.space !== null) r.report('PTX1040', r.span(), { found: `'${word}'`, first: `'${storage.space}'` });
  storage.space = word;
  storage.spaceStart = r.start;
  storage.spaceEnd = r.end;
  r.next();
  if (word !== '.const' || r.kind !== Token.LeftBracket) return true;
  r.next();
  storage.bank = readCount(r, 'a constant bank number');
  return storage.bank !== null && r.expect(Token.RightBracket, "']'");
}

/** Parses `.v4 .f32`; null after an error. */
export function parseType(r: Reader): TypePart | null {
  let vector: '.v2' | '.v4' | null = null;
  if (r.kind === Token.Dotted) {
    const word = r.text();
    if (word === '.v2' || word === '.v4') {
      vector = word;
      r.next();
    } else if (/^\.v\d+$/.test(word)) {
      return r.unexpected("'.v2', '.v4' or a type", {
        help: 'vector variables have 2 or 4 elements',
        section: '5.4.2',
      });
    }
  }
  if (r.kind !== Token.Dotted) return r.unexpected('a type');
  const part: TypePart = { type: r.text(), typeStart: r.start, typeEnd: r.end, vector };
  r.next();
  return part;
}

/** Parses `[4]`, or `[]` as the first dimension, and adds it to `dimensions`. */
export function parseDimension(r: Reader, dimensions: (number | null)[]): boolean {
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

/** `[2][]`. */
export function printDimensions({ dimensions }: Pick<Variable, 'dimensions'>): string {
  return dimensions.map((size) => `[${size ?? ''}]`).join('');
}
