/** Parses the headers of `.entry` and `.func`. Source: sections 11.2 and 11.4 of the PTX ISA. */
import { rewrite } from '../diagnostics/fix.ts';
import type { Linkage } from '../isa/directives.ts';
import { parseAttributes } from './attributes.ts';
import { isDeclaredSpace, isLinkage, startsItem, tuningRules } from './directives.ts';
import { parseParameters } from './parameters.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { InnerFunction, Parameter, TuningDirective } from './tree.ts';
import { parseTuning, startsStatement } from './tuning.ts';

/** The parts of a function before its body. */
export interface Header {
  name: string;
  nameStart: number;
  nameEnd: number;
  attributes: string[];
  results: readonly Parameter[];
  parameters: readonly Parameter[];
  tuning: readonly TuningDirective[];
  noreturn: boolean;
}

/** A header before any part of it has been read. */
export function emptyHeader(r: Reader): Header {
  return {
    name: '',
    nameStart: r.end,
    nameEnd: r.end,
    attributes: [],
    results: [],
    parameters: [],
    tuning: [],
    noreturn: false,
  };
}

/**
 * If the current token is a state space before `.entry` or `.func`, with or without a linkage between them, reports and
 * skips it, so that the function is read as usual.
 */
export function refuseFunctionSpace(r: Reader): void {
  if (r.kind !== Token.Dotted || !isDeclaredSpace(r.text())) return;
  const { start, previousEnd } = r;
  r.next();
  const end = r.start;
  if (r.kind === Token.Dotted && isLinkage(r.text())) r.next();
  const isFunction = r.text() === '.entry' || r.text() === '.func';
  r.rewind(start, previousEnd);
  if (!isFunction) return;
  r.unexpected("'.entry' or '.func'", {
    help: 'kernels and functions have no state space',
    fixes: [rewrite({ start, end }, '', 'certain')],
  });
  r.failed = false;
  r.next();
}

/**
 * Parses the declaration of a function inside a body; the current token must be its `.func`. Such declarations are not
 * documented, but Dr.Jit emits them, and ptxas 13.0 accepts them if they have no body.
 */
export function parseInnerFunction(r: Reader, linkage: Linkage | null, start: number): InnerFunction | null {
  const header = emptyHeader(r);
  r.next();
  if (!parseSignature(r, header, 'func')) return null;
  if (r.kind === Token.LeftBrace)
    return r.unexpected("';'", { help: 'a function with a body cannot be declared inside another function' });
  const end = r.expectSemicolon('');
  return end < 0 ? null : { kind: 'function', start, end, entry: false, linkage, ...header, body: null, lines: null };
}

/**
 * Whether the current `.func`, or linkage before a `.func`, begins a declaration without a body. Otherwise, the token
 * begins a function with a body.
 */
export function atInnerFunction(r: Reader): boolean {
  const { start, previousEnd } = r;
  const isFunc = r.text() === '.func';
  if (!isFunc) r.next();
  const mayDeclare = isFunc || r.text() === '.func';
  while (!ends.has(r.kind)) r.next();
  const isDeclaration = mayDeclare && r.kind === Token.Semicolon;
  r.rewind(start, previousEnd);
  return isDeclaration;
}

const ends: ReadonlySet<number> = new Set([Token.Semicolon, Token.LeftBrace, Token.RightBrace, Token.End]);

/**
 * Parses a header up to the body or the `;`. If only the opening brace of the body is missing, reports this and returns
 * `lacks-brace`.
 */
export function parseHeader(
  r: Reader,
  header: Header,
  owner: 'entry' | 'func',
): 'complete' | 'lacks-brace' | 'mistaken' {
  if (!parseSignature(r, header, owner)) return 'mistaken';
  const isFunc = owner === 'func';
  const tuning = parseTuning(r, owner);
  if (tuning === null) return 'mistaken';
  header.tuning = tuning;
  // The body may be missing, unless the function is a kernel with tuning directives.
  const mayEnd = isFunc || tuning.length === 0;
  // In ptxas 13.0, the header of a `.func` can contain a `.pragma` only if the `.func` is a prototype.
  const mayHaveBody = !isFunc || tuning.every(({ name }) => name !== '.pragma');
  if ((mayHaveBody && r.kind === Token.LeftBrace) || (mayEnd && r.kind === Token.Semicolon)) return 'complete';
  // nvcc 2 to 4 emitted prototypes without a `;`.
  if (isFunc && (r.kind === Token.End || (r.kind === Token.Dotted && startsItem(r.text())))) return 'complete';
  const expected = [...(mayHaveBody ? ["'{'"] : []), ...(mayEnd ? ["';'"] : [])];
  r.unexpected(expected.join(' or '));
  return startsStatement(r) ? 'lacks-brace' : 'mistaken';
}

/** Parses what precedes the tuning directives; false after a mistake. */
function parseSignature(r: Reader, header: Header, owner: 'entry' | 'func'): boolean {
  const isFunc = owner === 'func';
  if (isFunc && !parseFunctionAttributes(r, header.attributes)) return false;
  if (isFunc && r.kind === Token.LeftParen) {
    const results = parseParameters(r, owner);
    if (results === null) return false;
    header.results = results;
  }
  if (r.kind !== Token.Name) {
    r.unexpected(isFunc ? "'(' or the function name" : 'the kernel name');
    return false;
  }
  header.nameStart = r.start;
  header.nameEnd = r.end;
  header.name = r.text();
  r.next();
  if (r.kind === Token.LeftParen) {
    const parameters = parseParameters(r, owner);
    if (parameters === null) return false;
    header.parameters = parameters;
  }
  header.noreturn = isFunc && r.kind === Token.Dotted && r.text() === '.noreturn' && r.accept(Token.Dotted);
  return true;
}

function parseFunctionAttributes(r: Reader, attributes: string[]): boolean {
  while (r.kind === Token.Dotted && r.text() === '.attribute') {
    if (!parseAttributes(r, attributes, 'func')) return false;
  }
  return true;
}

/**
 * After a mistake in a header, skips to the body of the function, to its `;`, or to a token that appears to start the
 * next item.
 */
export function skipHeader(r: Reader): void {
  r.failed = false;
  if (
    r.accept(Token.Semicolon) &&
    r.kind !== Token.LeftBrace &&
    !(r.kind === Token.Dotted && tuningRules.has(r.text()))
  )
    return;
  while (r.kind !== Token.End && r.kind !== Token.LeftBrace && r.kind !== Token.Semicolon) {
    if (r.atFunction()) return;
    r.next();
  }
}
