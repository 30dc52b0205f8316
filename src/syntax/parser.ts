/**
 * Parses PTX text into a tree. The parser has no knowledge of instructions and types: it accepts everything that the
 * grammar allows. The grammar is the one that ptxas uses, so the parser accepts and rejects the same text as the parser
 * of ptxas. Source: chapters 4, 5 and 11 and sections 6.2 to 6.4 and 7.1 of the PTX ISA.
 */
import { rewrite } from '../diagnostics/fix.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { parseDwarf, parseFile } from './debug.ts';
import { parseDeclaration } from './declarations.ts';
import { declaredSpaces, moduleDirectives, isLinkage, isDeclaredSpace } from './directives.ts';
import { foreignText } from './foreign-text.ts';
import { refuseFunctionSpace } from './function-header.ts';
import { type BodyParser, parseBody, parseFunction } from './functions.ts';
import { parseInstruction as parseInstructionAt } from './instructions.ts';
import { TextLines } from './known-lines.ts';
import { Lexer } from './lexer.ts';
import type { LineShapes } from './line-shapes.ts';
import { Reader } from './reader.ts';
import { parseIntermediateSource } from './intermediate-source.ts';
import { parseSection } from './section.ts';
import { parsePragma } from './statements.ts';
import { Token } from './tokens.ts';
import type { Linkage } from '../isa/directives.ts';
import type { AliasItem, FunctionItem, Instruction, Item, NameOperand } from './tree.ts';
import { readCount } from './values.ts';

/** The result of parsing: all syntax errors in the text, and everything that could be parsed in spite of them. */
export interface ParsedModule {
  readonly items: readonly Item[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ParsedInstruction {
  /** Null if the text is not an instruction. In that case, `diagnostics` contains the reason. */
  readonly instruction: Instruction | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses the items of a module one at a time, so that a caller can discard each item before the next one is parsed.
 * Calls `report` with each syntax error, in source order, and then continues parsing, up to a limit of 1000 errors.
 * Never throws. If `shapes` is given, lines whose shapes are known are not parsed. Instead, the body contains them as
 * `KnownLines`, which the caller must process before it asks for the next item.
 */
export function* parseItems(
  source: string,
  report: (diagnostic: Diagnostic) => void,
  shapes: LineShapes | null = null,
): Generator<Item, void, undefined> {
  const r = new Reader(source, report);
  if (isNoModule(r)) return;
  if (shapes !== null) r.lines = new TextLines(r, shapes);
  const order = new HeaderOrder();
  while (r.kind !== Token.End) {
    const start = r.start;
    r.lines?.begin();
    order.check(r);
    const item = r.failed ? null : parseItem(r, parseBody);
    if (item !== null) yield item;
    if (r.failed) recoverItem(r, start);
  }
  order.finish(r);
  if (r.foreign >= 0 && !r.foreignReported) r.reportForeign(r.foreign);
}

/** Reports a single error if the text is empty or in another language. */
function isNoModule(r: Reader): boolean {
  if (r.kind === Token.Dotted) return false;
  const isEmpty = r.kind === Token.End;
  const foreign = isEmpty ? null : foreignText(r.source);
  if (!isEmpty && foreign === null) return false;
  const found = foreign?.found ?? 'nothing: the text is empty';
  r.report('PTX1030', r.span(), { found }, { help: foreign?.help ?? null });
  return true;
}

/** All items of a module and all its syntax errors. */
export function parseModule(source: string): ParsedModule {
  const diagnostics: Diagnostic[] = [];
  const items = [...parseItems(source, (diagnostic) => diagnostics.push(diagnostic))];
  return { items, diagnostics };
}

/** Parses text that consists of one instruction, whose `;` may be missing. */
export function parseInstruction(source: string): ParsedInstruction {
  const diagnostics: Diagnostic[] = [];
  const text = endsInSemicolon(source) ? source : `${source}\n;`;
  const r = new Reader(text, (diagnostic) => diagnostics.push(diagnostic));
  if (r.kind !== Token.Name && r.kind !== Token.At) r.unexpected('an instruction');
  const instruction = r.failed ? null : parseInstructionAt(r);
  const isAlone = instruction !== null && r.kind === Token.End;
  if (instruction !== null && !isAlone && diagnostics.length === 0) r.unexpected('the end');
  if (r.foreign >= 0 && !r.foreignReported) r.reportForeign(r.foreign);
  return { instruction: isAlone ? instruction : null, diagnostics };
}

function endsInSemicolon(source: string): boolean {
  const lexer = new Lexer(source);
  let last: number;
  do {
    last = lexer.kind;
    lexer.next();
  } while (lexer.kind !== Token.End);
  return last === Token.Semicolon;
}

/** Parses the item that starts with the current token; null after an error. */
export function parseItem(r: Reader, bodies: BodyParser): Item | null {
  if (r.kind === Token.Dwarf) return parseDwarf(r);
  if (r.kind !== Token.Dotted) return unexpectedAtModule(r);
  const start = r.start;
  refuseFunctionSpace(r);
  const directive = r.text();
  if (!isLinkage(directive)) return parseDirective(r, directive, null, start, bodies);
  r.next();
  while (r.kind === Token.Dotted && isLinkage(r.text())) {
    r.unexpected('one linkage only');
    r.failed = false;
    r.next();
  }
  refuseFunctionSpace(r);
  const next = r.kind === Token.Dotted ? r.text() : '';
  const isFunction = (next === '.entry' || next === '.func') && directive !== '.common';
  if (isFunction || isDeclaredSpace(next) || next === '.align' || next === '.attribute') {
    return parseDirective(r, next, directive, start, bodies);
  }
  if (next !== '' && directive !== '.common') return parseMisspelled(r, next, directive, start, bodies);
  return r.unexpected(directive === '.common' ? 'a state space' : "'.entry', '.func' or a state space");
}

/** The function at the start of `source`, including its whole body; null if `source` does not start with a function. */
export function parseFunctionText(source: string): FunctionItem | null {
  const item = parseItem(new Reader(source, () => {}), parseBody);
  return item?.kind === 'function' ? item : null;
}

function parseDirective(
  r: Reader,
  directive: string,
  linkage: Linkage | null,
  start: number,
  bodies: BodyParser,
): Item | null {
  switch (directive) {
    case '.entry':
    case '.func':
      return parseFunction(r, linkage, start, directive === '.entry', bodies);
    case '.version':
      return parseVersion(r);
    case '.target':
      return parseTarget(r);
    case '.address_size':
      return parseAddressSize(r);
    case '.file':
      return parseFile(r);
    case '.section':
      return parseSection(r);
    case '.nv_intermediate_source_section':
      return parseIntermediateSource(r);
    case '.pragma':
      return parsePragma(r);
    case '.alias':
      return parseAlias(r);
    default:
      return parseOtherDirective(r, directive, linkage, start, bodies);
  }
}

function parseOtherDirective(
  r: Reader,
  directive: string,
  linkage: Linkage | null,
  start: number,
  bodies: BodyParser,
): Item | null {
  const declares = isDeclaredSpace(directive) || directive === '.align' || directive === '.attribute';
  if (declares || /^\.(v[24]$|[bsuf]\d|pred$)/.test(directive)) return parseDeclaration(r, linkage, start);
  return parseMisspelled(r, directive, linkage, start, bodies);
}

/**
 * Reports a word that is not a directive. If it is clear which directive was meant, parsing continues as if that
 * directive had been written.
 */
function parseMisspelled(
  r: Reader,
  word: string,
  linkage: Linkage | null,
  start: number,
  bodies: BodyParser,
): Item | null {
  const expected = linkage === null ? 'a module directive' : "'.entry', '.func' or a state space";
  const near = nearestWord(word, [...moduleDirectives, ...declaredSpaces, '.pragma']);
  if (near === null) return r.unexpected(expected);
  r.unexpected(expected, { help: `did you mean ${near}?`, fixes: [rewrite(r.span(), near)] });
  if (near === '.entry' || near === '.func') {
    r.failed = false;
    return parseFunction(r, linkage, start, near === '.entry', bodies);
  }
  if (!isDeclaredSpace(near)) return null;
  r.failed = false;
  return parseDeclaration(r, linkage, start, near);
}

function unexpectedAtModule(r: Reader): null {
  const help = r.kind === Token.Name ? 'instructions and labels belong in the body of a function' : null;
  return r.unexpected('a module directive', { help });
}

function parseVersion(r: Reader): Item | null {
  const start = r.start;
  r.next();
  const [, major, digits] = /^0*(\d{1,4})\.(\d{1,4})0*$/.exec(r.kind === Token.Float ? r.text() : '') ?? [];
  if (digits === undefined) return r.unexpected('a version such as 8.7');
  const end = r.end;
  r.next();
  return { kind: 'version', start, end, major: Number(major), minor: Number(digits) };
}

/** Maximum number of names in a `.target` directive; any realistic directive has at most three. */
const mostTargets = 128;

function parseTarget(r: Reader): Item | null {
  const start = r.start;
  const names: NameOperand[] = [];
  do {
    r.next();
    if (r.kind !== Token.Name) return r.unexpected('a target such as sm_90');
    if (names.length === mostTargets) return r.unexpected(`at most ${mostTargets} targets in one directive`);
    names.push({ kind: 'name', start: r.start, end: r.end, name: r.text() });
    r.next();
  } while (r.kind === Token.Comma);
  return { kind: 'target', start, end: r.previousEnd, names };
}

function parseAddressSize(r: Reader): Item | null {
  const start = r.start;
  r.next();
  const size = readCount(r, '32 or 64');
  return size === null ? null : { kind: 'address_size', start, end: r.previousEnd, size };
}

function parseAlias(r: Reader): AliasItem | null {
  const start = r.start;
  r.next();
  const name = r.text();
  if (!r.expect(Token.Name, 'a function name') || !r.expect(Token.Comma, "','")) return null;
  const target = r.text();
  if (!r.expect(Token.Name, 'a function name')) return null;
  const end = r.expectSemicolon('');
  return end < 0 ? null : { kind: 'alias', start, end, name, target };
}

/**
 * Recovers after an error in an item. If the text does not start with a directive, everything up to the next line that
 * starts with a directive is skipped. If there is a mistake within an item, the rest of the item is skipped, up to its
 * `;` or to the next directive.
 */
export function recoverItem(r: Reader, start: number): void {
  const isStray = r.start === start && r.kind !== Token.Dotted;
  if (!isStray) {
    r.recover(start);
    if (r.kind !== Token.LeftBrace) return;
  }
  r.failed = false;
  while (r.kind !== Token.End) {
    if (r.kind === Token.Dotted && r.startsLine() && startsItem(r.text())) return;
    if (r.kind === Token.Dwarf && r.start !== start) return;
    const wasBrace = r.kind === Token.RightBrace;
    r.next();
    if (wasBrace && r.kind === Token.Dotted) return;
  }
}

function startsItem(directive: string): boolean {
  return moduleDirectives.has(directive) || directive === '.global' || directive === '.const';
}

/**
 * What is expected next: one of the header directives, an item of the module's body, or nothing in particular
 * (`unknown`) because a directive was missing.
 */
export type HeaderStage = 'version' | 'target' | 'address_size' | 'body' | 'unknown';

/**
 * Checks the order: `.version`, then one or more `.target`, then optionally `.address_size`. No other item may come
 * before these directives, and they may not occur again later.
 */
export class HeaderOrder {
  stage: HeaderStage;

  constructor(stage: HeaderStage = 'version') {
    this.stage = stage;
  }

  /** Reports the item at the current token if the order of directives does not allow it. */
  check(r: Reader): void {
    if (r.kind !== Token.Dotted) {
      if (this.stage === 'version' && r.kind === Token.Name) this.missing(r, 'PTX1030');
      return;
    }
    const directive = r.text();
    switch (this.stage) {
      case 'version':
        if (directive === '.version') this.stage = 'target';
        else this.missing(r, 'PTX1030');
        return;
      case 'target':
        if (directive === '.target') this.stage = 'address_size';
        else this.missing(r, 'PTX1031');
        return;
      case 'address_size':
        if (directive === '.target') return;
        this.stage = 'body';
        if (directive !== '.address_size') this.checkBody(r, directive);
        return;
      case 'body':
        return this.checkBody(r, directive);
      default:
    }
  }

  /**
   * Reports a header directive that is still missing at the end of the text. If the text contains no items at all, the
   * missing directive is `.version`.
   */
  finish(r: Reader): void {
    if (this.stage === 'version') this.missing(r, 'PTX1030');
    else if (this.stage === 'target') this.missing(r, 'PTX1031');
  }

  private missing(r: Reader, code: 'PTX1030' | 'PTX1031'): void {
    r.report(code, r.span(), { found: r.describe() });
    this.stage = 'unknown';
    if (r.kind === Token.Name) r.failed = true;
  }

  private checkBody(r: Reader, directive: string): void {
    if (directive !== '.version' && directive !== '.target' && directive !== '.address_size') return;
    const found = `'${directive}'`;
    r.report('PTX1001', r.span(), { found, near: directive, expected: 'it at the start of the module' });
  }
}
