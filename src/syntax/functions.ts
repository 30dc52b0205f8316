/**
 * Parses `.entry` and `.func`: the header, the tuning directives, and the body. Source: sections 11.2 and 11.4 of the
 * PTX ISA.
 */
import { parseAttributes } from './attributes.ts';
import { startsItem, tuningRules } from './directives.ts';
import { parseParameters } from './parameters.ts';
import type { Reader } from './reader.ts';
import { closeScope, parseStatements } from './statements.ts';
import { Token } from './tokens.ts';
import type { Linkage } from '../isa/directives.ts';
import type { FunctionItem, Parameter, Statement, TuningDirective } from './tree.ts';
import { parseTuning } from './tuning.ts';

/** The parts of a function before its body. */
interface Header {
  name: string;
  nameStart: number;
  nameEnd: number;
  attributes: string[];
  results: readonly Parameter[];
  parameters: readonly Parameter[];
  tuning: readonly TuningDirective[];
  noreturn: boolean;
}

/**
 * Parses a function; the current token must be its `.entry` or `.func`. After a mistake in the header, only the parts
 * that could not be parsed are left out of the result, and the body is still parsed. If the function has no name,
 * reports an error and returns null.
 */
export function parseFunction(
  r: Reader,
  linkage: Linkage | null,
  start: number,
  entry: boolean,
  bodies: BodyParser,
): FunctionItem | null {
  const header: Header = {
    name: '',
    nameStart: r.end,
    nameEnd: r.end,
    attributes: [],
    results: [],
    parameters: [],
    tuning: [],
    noreturn: false,
  };
  r.next();
  if (!parseHeader(r, header, entry ? 'entry' : 'func')) skipHeader(r);
  const body = r.kind === Token.LeftBrace ? bodies(r) : null;
  if (body === null) r.accept(Token.Semicolon);
  if (header.name === '') return null;
  return {
    kind: 'function',
    start,
    end: r.previousEnd,
    entry,
    linkage,
    name: header.name,
    nameStart: header.nameStart,
    nameEnd: header.nameEnd,
    attributes: header.attributes,
    results: header.results,
    parameters: header.parameters,
    tuning: header.tuning,
    noreturn: header.noreturn,
    body,
    lines: r.lines,
  };
}

function parseHeader(r: Reader, header: Header, owner: 'entry' | 'func'): boolean {
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
  const tuning = parseTuning(r, owner);
  if (tuning === null) return false;
  header.tuning = tuning;
  // A function may end here without a body, and so may a kernel without tuning directives. A kernel with tuning
  // directives must have a body.
  const mayEnd = isFunc || tuning.length === 0;
  // In ptxas 13.0, only a prototype can have a `.pragma` here.
  const mayHaveBody = !isFunc || tuning.every(({ name }) => name !== '.pragma');
  if ((mayHaveBody && r.kind === Token.LeftBrace) || (mayEnd && r.kind === Token.Semicolon)) return true;
  // nvcc 2 to 4 emitted prototypes without a `;`.
  if (isFunc && (r.kind === Token.End || (r.kind === Token.Dotted && startsItem(r.text())))) return true;
  const expected = [...(mayHaveBody ? ["'{'"] : []), ...(mayEnd ? ["';'"] : [])];
  r.unexpected(expected.join(' or '));
  return false;
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
function skipHeader(r: Reader): void {
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

/**
 * Parses the body of a function; the current token is its `{`. A body parser may also skip just the `{` and leave the
 * statements to its caller.
 */
export type BodyParser = (r: Reader) => readonly Statement[];

/** Parses a whole body. */
export function parseBody(r: Reader): readonly Statement[] {
  r.next();
  const statements = parseStatements(r);
  closeScope(r);
  return statements;
}
