/** Parses the parameters of kernels, functions and prototypes. Source: sections 5.1.6, 7.1 and 11.2 of the PTX ISA. */
import { rewrite } from '../diagnostics/fix.ts';
import type { Reader } from './reader.ts';
import { parseDimension, parseStorage, parseType } from './storage.ts';
import { Token } from './tokens.ts';
import type { Parameter, PointerAttributes } from './tree.ts';
import { readCount } from './values.ts';
import type { Span } from '../base/span.ts';
import type { DeclaredSpace } from '../isa/directives.ts';

/**
 * The construct that the parameters belong to. Only the parameters of kernels and prototypes can be described as
 * pointers.
 */
export type ParameterOwner = 'entry' | 'func' | 'prototype';

/**
 * Parses a parameter such as `.param .u64 .ptr .global .align 16 name`, `.reg .b32 name` or `.param .align 8 .b8
 * name[16]`.
 */
function parseParameter(r: Reader, owner: ParameterOwner): Parameter | null {
  const start = r.start;
  const storage = parseStorage(r);
  if (storage === null) return null;
  if (storage.space === null) return r.unexpected("'.param' or '.reg'");
  const space = storage.space === '.reg' ? '.reg' : '.param';
  if (storage.space !== space) reportSpace(r, storage.space, { start: storage.spaceStart, end: storage.spaceEnd });
  const part = parseType(r);
  if (part === null) return null;
  const pointer = r.kind === Token.Dotted ? parsePointer(r, owner) : noPointer;
  if (pointer === null) return null;
  if (r.kind !== Token.Name && r.kind !== Token.Underscore) return r.unexpected('the parameter name');
  const nameStart = r.start;
  const name = r.text();
  r.next();
  const dimensions: (number | null)[] = [];
  if (r.kind === Token.LeftBracket && !parseLength(r, dimensions)) return null;
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
    attributes: storage.attributes,
  };
}

/**
 * Reports a parameter whose state space is neither `.param` nor `.reg`. Such a parameter is then treated as if it were
 * in `.param`.
 */
function reportSpace(r: Reader, space: DeclaredSpace, span: Span): void {
  const parameters = { found: `'${space}'`, near: space, expected: "'.param' or '.reg'" };
  r.report('PTX1001', span, parameters);
}

/**
 * Parses the length of an array. ptxas reads it as a 32-bit number, with or without a sign. It treats a length of 2^63
 * or more as a negative number, and keeps only the low 32 bits.
 */
function parseLength(r: Reader, dimensions: (number | null)[]): boolean {
  const { start } = r;
  if (!parseDimension(r, dimensions)) return false;
  const [length = null] = dimensions;
  if (length === null || length < 2 ** 32 || length >= 2 ** 63) return true;
  const span = { start: start + 1, end: r.previousEnd - 1 };
  r.report('PTX1010', span, { constant: `'${r.source.slice(span.start, span.end).trim()}'`, bits: '32' });
  return true;
}

/**
 * Parses a parameter list in parentheses, which may be empty. Invalid parameters are left out. If the closing
 * parenthesis is missing, reports an error and returns null.
 */
export function parseParameters(r: Reader, owner: ParameterOwner): readonly Parameter[] | null {
  const parameters: Parameter[] = [];
  r.next();
  if (r.accept(Token.RightParen)) return parameters;
  for (;;) {
    const parameter = parseParameter(r, owner);
    if (parameter !== null) parameters.push(parameter);
    else if (!skipParameter(r)) return null;
    const isSeparated = acceptSemicolon(r);
    if (r.accept(Token.RightParen)) return parameters;
    if (isSeparated || r.accept(Token.Comma)) continue;
    r.unexpected("',' or ')'");
    // If the next token starts another parameter, parsing continues as if the missing comma were there.
    if (r.kind !== Token.Dotted) return skipParameter(r) && r.accept(Token.RightParen) ? parameters : null;
    r.failed = false;
  }
}

/**
 * If a `;` is written where a comma is expected, and another parameter or the end of the list follows it, reports and
 * skips the `;`.
 */
function acceptSemicolon(r: Reader): boolean {
  if (r.kind !== Token.Semicolon) return false;
  const [span, previousEnd] = [r.span(), r.previousEnd];
  r.next();
  const isLast = r.kind === Token.RightParen;
  if (!isLast && !(r.kind === Token.Dotted && ['.param', '.reg'].includes(r.text()))) {
    r.rewind(span.start, previousEnd);
    return false;
  }
  const fixes = [rewrite(span, isLast ? '' : ',', 'certain')];
  const parameters = { near: ';', found: "';'", expected: "',' or ')'" };
  r.report('PTX1001', span, parameters, { help: "separate parameters with ','", fixes });
  return true;
}

/** After an error, skips to the `,` or `)` after a parameter. Returns false if something else comes first. */
function skipParameter(r: Reader): boolean {
  while (r.kind !== Token.Comma && r.kind !== Token.RightParen) {
    const isOver = r.kind === Token.LeftBrace || r.kind === Token.Semicolon || r.kind === Token.End;
    if (isOver || r.atFunction()) return false;
    r.next();
  }
  r.failed = false;
  return true;
}

interface PointerPart {
  readonly attributes: PointerAttributes | null;
  readonly align: number | null;
}

const noPointer: PointerPart = { attributes: null, align: null };

const pointerSpaces = ['.const', '.global', '.local', '.shared'] as const;

/** Parses `.ptr .space .align N` after a parameter's type, or `.align N` alone. */
function parsePointer(r: Reader, owner: ParameterOwner): PointerPart | null {
  const span = r.span();
  const first = r.text();
  if (first !== '.ptr' && first !== '.align') return r.unexpected('the parameter name');
  if (owner === 'func') r.report('PTX1042', span, { found: `'${first}'` });
  if (first === '.ptr') r.next();
  const word = first === '.ptr' && r.kind === Token.Dotted ? r.text() : '';
  const space = pointerSpaces.find((name) => name === word) ?? null;
  if (space !== null) r.next();
  let align: number | null = null;
  if (r.kind === Token.Dotted && r.text() === '.align') {
    r.next();
    align = readCount(r, 'an alignment');
    if (align === null) return null;
  }
  return first === '.ptr' ? { attributes: { space, align }, align: null } : { attributes: null, align };
}
