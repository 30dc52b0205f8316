/** Parses a module's debugging directives, which are kept as text. Source: PTX ISA 11.5. */
import { moduleDirectives, statementDirectives } from './directives.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { DebugItem } from './tree.ts';
import { integerTokenValue, readCount } from './values.ts';

/** Parses `.file 1 "a.cu"`, optionally followed by a time stamp and a size. */
export function parseFile(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  const index = readCount(r, 'the file number');
  if (index === null) return null;
  if (r.kind !== Token.String) return r.unexpected('the file name in quotes');
  const name = r.source.slice(r.start + 1, r.end - 1);
  r.next();
  const stamped = r.kind === Token.Comma;
  for (let extra = 0; extra < 2 && r.accept(Token.Comma); extra++) {
    if (r.kind !== Token.Integer) return r.unexpected('an integer');
    integerTokenValue(r);
    r.next();
  }
  return item(r, start, '.file', { index, name, stamped });
}

/** Parses `.section .debug_info { label: .b8 1, 2 … }`. */
export function parseSection(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (r.kind !== Token.Dotted) return r.unexpected('a section name, with its dot');
  r.next();
  if (r.kind !== Token.LeftBrace) return r.unexpected("'{'");
  r.next();
  while (r.kind !== Token.RightBrace) {
    r.skipNumbers();
    if (r.kind === Token.RightBrace) break;
    const isLine = r.kind === Token.Name ? parseLabel(r) : parseData(r);
    if (!isLine) return skipSection(r);
  }
  r.next();
  return item(r, start, '.section', null);
}

/** After an error, skips past the `}` of the section. */
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

const dataTypes: ReadonlySet<string> = new Set(['.b8', '.b16', '.b32', '.b64']);

/** Parses `.b32 1, -2, label+4, label-label, .debug_str`. */
function parseData(r: Reader): boolean {
  if (r.kind !== Token.Dotted || !dataTypes.has(r.text())) {
    r.unexpected(r.kind === Token.Dotted ? [...dataTypes].join(', ') : "a label, a type or '}'");
    return false;
  }
  do {
    r.next();
    if (!parseDatum(r)) return false;
  } while (r.kind === Token.Comma);
  return true;
}

function parseDatum(r: Reader): boolean {
  if (r.kind === Token.Name || (r.kind === Token.Dotted && isSection(r.text()))) {
    r.next();
    if (r.accept(Token.Plus)) return expectInteger(r);
    return r.accept(Token.Minus) ? r.expect(Token.Name, 'a label') : true;
  }
  r.accept(Token.Minus);
  return expectInteger(r);
}

/** Whether a dotted word can name a section: types and directives cannot. */
function isSection(word: string): boolean {
  return !/^\.(v\d|[bsuf]\d|pred$)/.test(word) && !statementDirectives.has(word) && !moduleDirectives.has(word);
}

function expectInteger(r: Reader): boolean {
  if (r.kind === Token.Integer && r.smallInteger() < 0) integerTokenValue(r);
  return r.expect(Token.Integer, 'an integer or a label');
}

/** Parses `@@DWARF …`, the notation used before PTX 2.0. The rest of the line is not interpreted. */
export function parseDwarf(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (r.startsLine() || !opensAssembly(r)) return r.unexpected('an assembler directive or a label');
  while (r.kind !== Token.End && !r.startsLine()) {
    if (r.kind === Token.OpenComment || r.kind === Token.OpenString) return r.unexpected('the rest of a line');
    r.next();
  }
  return item(r, start, '@@DWARF', null);
}

/** Whether the current token is a dotted word, which may be `.4byte`, or a label. */
function opensAssembly(r: Reader): boolean {
  if (r.source[r.start] === '.') return true;
  return r.accept(Token.Name) && r.kind === Token.Colon;
}

function item(r: Reader, start: number, directive: DebugItem['directive'], file: DebugItem['file']): DebugItem {
  const end = r.previousEnd;
  return { kind: 'debug', start, end, directive, text: r.source.slice(start, end), file };
}
