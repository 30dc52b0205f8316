/** Parses the statements in the body of a function. Source: sections 4.3, 11.3, 11.4 and 11.5 of the PTX ISA. */
import { rewrite } from '../diagnostics/fix.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { missingSpace, parseDeclaration } from './declarations.ts';
import type { Linkage } from '../isa/directives.ts';
import { moduleDirectives, statementDirectives, isDeclaredSpace, isLinkage } from './directives.ts';
import { atInnerFunction, parseInnerFunction } from './function-header.ts';
import { parseInstruction } from './instructions.ts';
import { parseParameters } from './parameters.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type {
  Block,
  Declaration,
  InlinedAt,
  InnerFunction,
  IntermediateLocation,
  KnownLines,
  Label,
  LocationDirective,
  NameOperand,
  Parameter,
  PragmaDirective,
  PrototypeDirective,
  Statement,
  TargetsDirective,
} from './tree.ts';
import { parseTuning } from './tuning.ts';
import { parseStrings, readCount } from './values.ts';

/** Parses statements up to the `}` of their scope, the end of the text, or a directive that starts an item. */
export function parseStatements(r: Reader): readonly Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    const { start } = r;
    const part = readPart(r);
    if (part === 'close') return statements;
    if (part === 'open') statements.push(finishBlock(r, start));
    else if (part !== null) statements.push(part);
  }
}

/**
 * Reads the next part of a body: a statement, the start of a block, or the end of the scope. The `{` of a block is
 * skipped, but the `}` of the scope is not. Returns null after an error that makes the statement unusable.
 */
export function readPart(r: Reader): Exclude<Statement, Block> | 'open' | 'close' | null {
  const { start } = r;
  if (r.kind === Token.RightBrace || r.kind === Token.End) return 'close';
  if (r.atFunction() && !atInnerFunction(r)) return 'close';
  if (r.kind === Token.LeftBrace) return openBlock(r) ? 'open' : null;
  const statement = readKnown(r) ?? parseStatement(r);
  if (r.failed) r.recover(start);
  return statement;
}

function readKnown(r: Reader): KnownLines | null {
  if (r.lines === null) return null;
  if (r.kind !== Token.Name && r.kind !== Token.At && r.kind !== Token.Dotted) return null;
  return r.lines.read(parseStatement);
}

function parseStatement(r: Reader): Exclude<Statement, Block> | null {
  switch (r.kind) {
    case Token.Name:
      return atLabel(r) ? parseLabeled(r) : parseInstruction(r);
    case Token.At:
      return parseInstruction(r);
    case Token.Dotted:
      return parseDirective(r);
    default:
      return r.unexpected('a statement');
  }
}

/**
 * Whether a `:` follows the current name. In most cases, the character after the name is enough to tell that there is
 * no `:`.
 */
function atLabel(r: Reader): boolean {
  const next = r.source.charCodeAt(r.end);
  if (next === Token.Colon) return true;
  if (next === 0x2e || next === Token.Semicolon) return false;
  const { start, previousEnd } = r;
  r.next();
  const found = r.kind === Token.Colon;
  r.rewind(start, previousEnd);
  return found;
}

function parseLabeled(r: Reader): Label | TargetsDirective | PrototypeDirective | null {
  const start = r.start;
  const name = r.text();
  r.next();
  const end = r.end;
  r.next();
  if (r.kind !== Token.Dotted) return { kind: 'label', start, end, name };
  const directive = r.text();
  if (directive === '.branchtargets' || directive === '.calltargets') return parseTargets(r, start, name, directive);
  if (directive === '.callprototype') return parsePrototype(r, start, name);
  return { kind: 'label', start, end, name };
}

function parseTargets(
  r: Reader,
  start: number,
  label: string,
  directive: '.branchtargets' | '.calltargets',
): TargetsDirective | null {
  const names: NameOperand[] = [];
  do {
    r.next();
    if (r.kind !== Token.Name) return r.unexpected(directive === '.calltargets' ? 'a function name' : 'a label');
    names.push({ kind: 'name', start: r.start, end: r.end, name: r.text() });
    r.next();
  } while (r.kind === Token.Comma);
  const end = r.expectSemicolon("','");
  return end < 0 ? null : { kind: 'targets', start, end, directive, label, names };
}

const noParameters: readonly Parameter[] = [];

function parsePrototype(r: Reader, start: number, label: string): PrototypeDirective | null {
  r.next();
  const results = r.kind === Token.LeftParen ? parseParameters(r, 'prototype') : noParameters;
  if (results === null || !r.expect(Token.Underscore, "'_'")) return null;
  const parameters = r.kind === Token.LeftParen ? parseParameters(r, 'prototype') : noParameters;
  if (parameters === null) return null;
  const noreturn = r.kind === Token.Dotted && r.text() === '.noreturn' && r.accept(Token.Dotted);
  const tuning = parseTuning(r, 'prototype');
  if (tuning === null) return null;
  const end = r.expectSemicolon(noreturn || parameters.length > 0 ? '' : "'('");
  return end < 0 ? null : { kind: 'prototype', start, end, label, results, parameters, noreturn, tuning };
}

type Directive = Declaration | LocationDirective | IntermediateLocation | PragmaDirective | InnerFunction;

function parseDirective(r: Reader): Directive | null {
  const directive = r.text();
  if (isDeclaredSpace(directive)) return parseDeclaration(r, null, r.start);
  switch (directive) {
    case '.loc':
      return parseLocation(r);
    case '.loc_intermediate':
      return parseIntermediateLocation(r);
    case '.pragma':
      return parsePragma(r);
    case '.align':
    case '.attribute':
      return parseDeclaration(r, null, r.start);
    case '.branchtargets':
    case '.calltargets':
    case '.callprototype':
      return r.unexpected('a label before this directive', { help: `give it a label: L: ${directive} …;` });
    case '.func':
      return parseInnerFunction(r, null, r.start);
    default:
      return isLinkage(directive) ? parseLinked(r, directive) : unknownDirective(r, directive);
  }
}

/** Parses a directive that begins with a linkage. Inside functions, only declarations of functions may have one. */
function parseLinked(r: Reader, linkage: Linkage): InnerFunction | Declaration | null {
  const { start, previousEnd } = r;
  r.next();
  if (r.kind === Token.Dotted && r.text() === '.func' && linkage !== '.common')
    return parseInnerFunction(r, linkage, start);
  r.rewind(start, previousEnd);
  return unknownDirective(r, linkage);
}

/**
 * Reports an unknown directive. If it is similar to a directive that starts a declaration, parses the declaration as if
 * that directive had been written.
 */
function unknownDirective(r: Reader, directive: string): Declaration | null {
  if (moduleDirectives.has(directive))
    return r.unexpected('a statement', { help: `${directive} belongs outside functions` });
  if (/^\.(v\d|[bsuf]\d|pred)/.test(directive)) {
    return missingSpace(r, 'begin the declaration with .reg, .shared, .local or .param');
  }
  const near = nearestWord(directive, statementDirectives);
  if (near === null) return r.unexpected('a statement');
  r.unexpected('a statement', { help: `did you mean ${near}?`, fixes: [rewrite(r.span(), near)] });
  if (!isDeclaredSpace(near)) return null;
  r.failed = false;
  return parseDeclaration(r, null, r.start, near);
}

/** Reads `{`. A block that is nested too deeply is reported and skipped. */
function openBlock(r: Reader): boolean {
  if (r.enter()) {
    r.next();
    return true;
  }
  r.failed = false;
  r.skipBraces();
  return false;
}

function finishBlock(r: Reader, start: number): Block {
  const statements = parseStatements(r);
  const end = closeBlock(r);
  return { kind: 'block', start, end, statements };
}

/** Reads the `}` of a block and returns where it ends. */
export function closeBlock(r: Reader): number {
  r.leave();
  const { end } = r;
  closeScope(r);
  return end;
}

/** Reads the `}` of a block or body; reports an error if the current token is something else. */
export function closeScope(r: Reader): void {
  if (!r.accept(Token.RightBrace)) r.unexpectedEnd("'}'");
}

/** `.pragma "…", "…";` */
export function parsePragma(r: Reader): PragmaDirective | null {
  const start = r.start;
  const strings = parseStrings(r);
  if (strings === null) return null;
  const end = r.expectSemicolon("','");
  return end < 0 ? null : { kind: 'pragma', start, end, strings };
}

function parseLocation(r: Reader): LocationDirective | null {
  const start = r.start;
  r.next();
  const place = parsePlace(r);
  if (place === null) return null;
  const inlined = r.kind === Token.Comma ? parseInlined(r) : null;
  if (r.failed) return null;
  return { kind: 'loc', start, end: r.previousEnd, file: place[0], line: place[1], column: place[2], inlined };
}

function parseIntermediateLocation(r: Reader): IntermediateLocation | null {
  const start = r.start;
  r.next();
  const place = parsePlace(r);
  if (place === null) return null;
  const [file, line, column] = place;
  return { kind: 'intermediate-loc', start, end: r.previousEnd, file, line, column };
}

function parsePlace(r: Reader): readonly [number, number, number] | null {
  const file = readCount(r, 'a file number');
  const line = file === null ? null : readCount(r, 'a line');
  const column = line === null ? null : readCount(r, 'a column');
  return file === null || line === null || column === null ? null : [file, line, column];
}

/** Parses `, function_name L+4, inlined_at 1 20 7`. */
function parseInlined(r: Reader): InlinedAt | null {
  r.next();
  if (r.text() !== 'function_name') return r.unexpected("'function_name'");
  r.next();
  if (r.kind !== Token.Name && r.kind !== Token.Dotted) return r.unexpected('a label');
  const functionName = r.text();
  r.next();
  const functionOffset = r.accept(Token.Plus) ? readCount(r, 'an offset') : 0;
  if (functionOffset === null || !r.expect(Token.Comma, "','")) return null;
  if (r.text() !== 'inlined_at') return r.unexpected("'inlined_at'");
  r.next();
  const place = parsePlace(r);
  if (place === null) return null;
  return { functionName, functionOffset, file: place[0], line: place[1], column: place[2] };
}
