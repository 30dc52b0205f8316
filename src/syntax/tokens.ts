/**
 * The kinds of PTX tokens, and tables for recognizing them. The kind of a one-character token is its character code;
 * the numbers of the other kinds start at 128. Source: sections 4.3 to 4.5 of the PTX ISA, as ptxas interprets them.
 */
import { byteAt } from '../base/typed-reads.ts';

// `as const` is left out on purpose: with it, TypeScript would narrow the type of a reader's `kind` after a comparison,
// and would not notice that `next()` changes `kind`.
export const Token = {
  End: 0,
  Percent: 0x25,
  Ampersand: 0x26,
  LeftParen: 0x28,
  RightParen: 0x29,
  Star: 0x2a,
  Plus: 0x2b,
  Comma: 0x2c,
  Minus: 0x2d,
  Slash: 0x2f,
  Colon: 0x3a,
  Semicolon: 0x3b,
  Less: 0x3c,
  Equals: 0x3d,
  Greater: 0x3e,
  Question: 0x3f,
  At: 0x40,
  Exclamation: 0x21,
  LeftBracket: 0x5b,
  RightBracket: 0x5d,
  Caret: 0x5e,
  Underscore: 0x5f,
  LeftBrace: 0x7b,
  Bar: 0x7c,
  RightBrace: 0x7d,
  Tilde: 0x7e,

  ShiftLeft: 128,
  ShiftRight: 129,
  LessEqual: 130,
  GreaterEqual: 131,
  EqualEqual: 132,
  NotEqual: 133,
  AndAnd: 134,
  OrOr: 135,

  /** `[A-Za-z][\w$]*` or `[_$%][\w$]+`. */
  Name: 140,
  /** A dot and a word, including its `::` parts: `.reg`, `.shared::cta`. */
  Dotted: 141,
  Integer: 142,
  /** A decimal float: `1.`, `.5`, `1e3`. */
  Float: 143,
  /** `0f` and 8 digits. */
  HexSingle: 144,
  /** `0d` and 16 digits. */
  HexDouble: 145,
  String: 146,
  WarpSize: 147,
  /** `@@DWARF`. */
  Dwarf: 148,

  /** A character that cannot begin a token. */
  BadCharacter: 160,
  /** A number that is followed, without a space, by characters that cannot be part of it. */
  BadNumber: 161,
  OpenString: 162,
  OpenComment: 163,
};

/** The kind of token that starts with a given character, as stored in {@link starts}. */
export const Start = {
  nothing: 0,
  space: 1,
  single: 2,
  letter: 3,
  sigil: 4,
  digit: 5,
  dot: 6,
  slash: 7,
  operator: 8,
  quote: 9,
  at: 10,
  hash: 11,
} as const;

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';

/** For each character code below 128, the kind of token that starts with it. */
export const starts: Uint8Array = makeStarts();

/** Sets of characters. Each set is one bit in the entries of {@link classes}. */
export const CharClass = { word: 1, name: 2, digit: 4, hex: 8, octal: 16, binary: 32, blank: 64 } as const;

/** For each character code below 128, the sets to which the character belongs. */
export const classes: Uint8Array = makeClasses();

function makeStarts(): Uint8Array {
  const table = new Uint8Array(128);
  const fill = (characters: string, start: number): void => {
    for (const c of characters) table[c.charCodeAt(0)] = start;
  };
  // ptxas treats control-Z as white space, but not vertical tab or NUL.
  fill(' \t\n\r\f\x1a', Start.space);
  fill('()*+,-:;?[]^{}~', Start.single);
  fill(letters, Start.letter);
  fill('_$%', Start.sigil);
  fill(digits, Start.digit);
  fill('.', Start.dot);
  fill('/', Start.slash);
  fill('<>=!&|', Start.operator);
  fill('"', Start.quote);
  fill('@', Start.at);
  fill('#', Start.hash);
  return table;
}

function makeClasses(): Uint8Array {
  const table = new Uint8Array(128);
  const add = (characters: string, charClass: number): void => {
    for (const character of characters) {
      const c = character.charCodeAt(0);
      table[c] = byteAt(table, c) | charClass;
    }
  };
  add(`_${letters}${digits}`, CharClass.word);
  add(`_$${letters}${digits}`, CharClass.name);
  add(digits, CharClass.digit);
  add(`${digits}abcdefABCDEF`, CharClass.hex);
  add('01234567', CharClass.octal);
  add('01', CharClass.binary);
  add(' \t', CharClass.blank);
  return table;
}

/** The kind of the operator that two characters form; 0 if they do not form an operator. */
export function pairedOperator(first: number, second: number): number {
  if (second === Token.Equals) {
    if (first === Token.Less) return Token.LessEqual;
    if (first === Token.Greater) return Token.GreaterEqual;
    if (first === Token.Equals) return Token.EqualEqual;
    if (first === Token.Exclamation) return Token.NotEqual;
  }
  if (first !== second) return 0;
  if (first === Token.Less) return Token.ShiftLeft;
  if (first === Token.Greater) return Token.ShiftRight;
  if (first === Token.Ampersand) return Token.AndAnd;
  return first === Token.Bar ? Token.OrOr : 0;
}
