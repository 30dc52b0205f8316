/** Parses debugging sections, `.section .debug_info { label: .b8 1, 2 … }`. Source: PTX ISA 11.5.2. */
import type { Span } from '../base/span.ts';
import type { SectionPart } from '../isa/directives.ts';
import { debugItem } from './debug.ts';
import { moduleDirectives, statementDirectives } from './directives.ts';
import { readInteger } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { DebugItem, DebugMisfit, SectionLabel } from './tree.ts';
import { integerTokenValue } from './values.ts';

export function parseSection(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (r.kind !== Token.Dotted) return r.unexpected('a section name, with its dot');
  r.next();
  if (r.kind !== Token.LeftBrace) return r.unexpected("'{'");
  r.next();
  const data: SectionData = { misfits: [], parts: new Map(), labels: [] };
  while (r.kind !== Token.RightBrace) {
    r.skipNumbers();
    if (r.kind === Token.RightBrace) break;
    const isLine = r.kind === Token.Name ? parseLabel(r, data) : parseData(r, data);
    if (!isLine) return skipSection(r);
  }
  r.next();
  const parts = [...data.parts].map(([part, span]) => ({ part, ...span }));
  return debugItem(r, start, { directive: '.section', misfits: data.misfits, parts, labels: data.labels });
}

/** What is known about a section so far: its mistakes, its labels, and the parts that some versions do not allow. */
interface SectionData {
  readonly misfits: DebugMisfit[];
  readonly labels: SectionLabel[];
  /** For each part that not all versions allow, the place where it first occurs. */
  readonly parts: Map<SectionPart, Span>;
}

function notePart({ parts }: SectionData, part: SectionPart, span: Span): void {
  if (!parts.has(part)) parts.set(part, span);
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

function parseLabel(r: Reader, data: SectionData): boolean {
  notePart(data, 'label in .section', r.span());
  data.labels.push({ name: r.text(), ...r.span() });
  r.next();
  return r.expect(Token.Colon, "':'");
}

interface DataType {
  readonly least: bigint;
  readonly most: bigint;
  /** Whether 0 may have a minus sign. */
  readonly hasMinusZero: boolean;
  /** Whether a label or the name of a section may be written in place of a number. */
  readonly holdsPlaces: boolean;
}

/**
 * The types of data. If a number has no sign, ptxas checks only its low 32 bits, so .b32 and .b64 accept every such
 * number.
 */
const dataTypes: ReadonlyMap<string, DataType> = new Map([
  ['.b8', { least: -0x80n, most: 0xffn, hasMinusZero: false, holdsPlaces: false }],
  ['.b16', { least: -0x8000n, most: 0xffffn, hasMinusZero: false, holdsPlaces: false }],
  ['.b32', { least: -0x8000_0000n, most: 0xffff_ffffn, hasMinusZero: false, holdsPlaces: true }],
  ['.b64', { least: -0x8000_0000_0000_0000n, most: 0xffff_ffffn, hasMinusZero: true, holdsPlaces: true }],
]);

/**
 * Parses a type and its data: either one or more numbers, as in `.b8 1, -2`, or a single label or section, as in
 * `.b32 label+4`.
 */
function parseData(r: Reader, data: SectionData): boolean {
  const word = r.text();
  if (r.kind !== Token.Dotted) {
    r.unexpected("a label, a type or '}'");
    return false;
  }
  const type = dataTypes.get(word);
  const span = r.span();
  r.next();
  const isPlace = r.kind === Token.Name || (r.kind === Token.Dotted && isSection(r.text()));
  if (type === undefined || (isPlace && !type.holdsPlaces)) data.misfits.push({ ...span, type: word, value: null });
  if (isPlace) return parsePlace(r, data);
  for (;;) {
    const start = r.start;
    const isNegative = r.accept(Token.Minus);
    const value = parseNumber(r, isNegative);
    if (value === null) return false;
    const place = { start, end: r.previousEnd };
    if (isNegative) notePart(data, 'negative number in .section', place);
    if (type !== undefined && !fits(value, isNegative, type))
      data.misfits.push({ ...place, type: word, value: String(value) });
    if (!r.accept(Token.Comma)) return true;
  }
}

function fits(value: bigint, isNegative: boolean, { least, most, hasMinusZero }: DataType): boolean {
  return value >= least && value <= most && (value !== 0n || !isNegative || hasMinusZero);
}

/** Parses `label`, `label+4`, `label-label` or `.debug_str`. */
function parsePlace(r: Reader, data: SectionData): boolean {
  const { start } = r;
  r.next();
  if (r.accept(Token.Plus)) {
    if (r.kind === Token.Integer) integerTokenValue(r);
    if (!r.expect(Token.Integer, 'an integer')) return false;
    notePart(data, 'label with an offset in .section', { start, end: r.previousEnd });
    return true;
  }
  if (!r.accept(Token.Minus)) return true;
  if (!r.expect(Token.Name, 'a label')) return false;
  notePart(data, 'difference of labels in .section', { start, end: r.previousEnd });
  return true;
}

/** Whether a dotted word can be the name of a section; types and directives cannot. */
function isSection(word: string): boolean {
  return !/^\.(v\d|[bsuf]\d|pred$)/.test(word) && !statementDirectives.has(word) && !moduleDirectives.has(word);
}

/**
 * Skips the digits of a number and returns its value; if the number has no sign, returns only its low 32 bits. Null
 * after an error.
 */
function parseNumber(r: Reader, isNegative: boolean): bigint | null {
  if (r.kind !== Token.Integer || (isNegative && readInteger(r.text()).unsigned))
    return r.unexpected(isNegative ? 'a number without U, below 2^63' : 'an integer or a label');
  const value = integerTokenValue(r);
  r.next();
  return isNegative ? -value : BigInt.asUintN(32, value);
}
