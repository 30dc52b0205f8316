/** Parses debugging sections, `.section .debug_info { label: .b8 1, 2 … }`. Source: PTX ISA 11.5.2. */
import { debugItem } from './debug.ts';
import { moduleDirectives, statementDirectives } from './directives.ts';
import { readInteger } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { DebugItem, DebugMisfit } from './tree.ts';
import { integerTokenValue } from './values.ts';

export function parseSection(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (r.kind !== Token.Dotted) return r.unexpected('a section name, with its dot');
  r.next();
  if (r.kind !== Token.LeftBrace) return r.unexpected("'{'");
  r.next();
  const misfits: DebugMisfit[] = [];
  while (r.kind !== Token.RightBrace) {
    r.skipNumbers();
    if (r.kind === Token.RightBrace) break;
    const isLine = r.kind === Token.Name ? parseLabel(r) : parseData(r, misfits);
    if (!isLine) return skipSection(r);
  }
  r.next();
  return debugItem(r, start, { directive: '.section', misfits });
}

/** After an error, skips the rest of the section, including its `}`. */
function skipSection(r: Reader): null {
  let open = 1;
  while (open > 0 && r.kind !== Token.End && !r.atFunction()) {
    if (r.kind === Token.LeftBrace) open++;
    if (r.kind === Token.RightBrace) open--;
    r.next();
  }
  r.failed = false;
  return null;
}

function parseLabel(r: Reader): boolean {
  r.next();
  return r.expect(Token.Colon, "':'");
}

interface DataType {
  readonly least: bigint;
  readonly most: bigint;
  /** Whether a label or the name of a section may be written in place of a number. */
  readonly holdsPlaces: boolean;
}

/**
 * The types of data. If a number has no sign, ptxas checks only its low 32 bits, so .b32 and .b64 accept every such
 * number.
 */
const dataTypes: ReadonlyMap<string, DataType> = new Map([
  ['.b8', { least: -0x80n, most: 0xffn, holdsPlaces: false }],
  ['.b16', { least: -0x8000n, most: 0xffffn, holdsPlaces: false }],
  ['.b32', { least: -0x8000_0000n, most: 0xffff_ffffn, holdsPlaces: true }],
  ['.b64', { least: -0x8000_0000_0000_0000n, most: 0xffff_ffffn, holdsPlaces: true }],
]);

/**
 * Parses a type and its data: either one or more numbers, as in `.b8 1, -2`, or a single label or section, as in
 * `.b32 label+4`.
 */
function parseData(r: Reader, misfits: DebugMisfit[]): boolean {
  const word = r.text();
  if (r.kind !== Token.Dotted) {
    r.unexpected("a label, a type or '}'");
    return false;
  }
  const type = dataTypes.get(word);
  const span = r.span();
  r.next();
  const isPlace = r.kind === Token.Name || (r.kind === Token.Dotted && isSection(r.text()));
  if (type === undefined || (isPlace && !type.holdsPlaces)) misfits.push({ ...span, type: word, value: null });
  if (isPlace) return parsePlace(r);
  for (;;) {
    const start = r.start;
    const value = parseNumber(r);
    if (value === null) return false;
    if (type !== undefined && (value < type.least || value > type.most))
      misfits.push({ start, end: r.previousEnd, type: word, value: String(value) });
    if (!r.accept(Token.Comma)) return true;
  }
}

/** Parses `label`, `label+4`, `label-label` or `.debug_str`. */
function parsePlace(r: Reader): boolean {
  r.next();
  if (r.accept(Token.Plus)) {
    if (r.kind === Token.Integer) integerTokenValue(r);
    return r.expect(Token.Integer, 'an integer');
  }
  return r.accept(Token.Minus) ? r.expect(Token.Name, 'a label') : true;
}

/** Whether a dotted word can be the name of a section; types and directives cannot. */
function isSection(word: string): boolean {
  return !/^\.(v\d|[bsuf]\d|pred$)/.test(word) && !statementDirectives.has(word) && !moduleDirectives.has(word);
}

/**
 * Skips a number and returns its value; if the number has no sign, returns only its low 32 bits. Null after an error.
 */
function parseNumber(r: Reader): bigint | null {
  const isNegative = r.accept(Token.Minus);
  if (r.kind !== Token.Integer || (isNegative && readInteger(r.text()).unsigned))
    return r.unexpected(isNegative ? 'a number without U, below 2^63' : 'an integer or a label');
  const value = integerTokenValue(r);
  r.next();
  return isNegative ? -value : BigInt.asUintN(32, value);
}
