/**
 * Parses the operands of any instruction. The notation is defined in sections 6.2 to 6.4 of the PTX ISA. Operands must
 * have the forms that ptxas accepts. An offset can only be added, so a negative offset is written `a+-4`. Only the
 * first operand may be `_` or a pair of results. A `0f` constant cannot have a sign.
 */
import { rewrite } from '../diagnostics/fix.ts';
import { continuesConstant, parseConstant, parseIntegerConstant } from './constants.ts';
import { toBigInt } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type {
  AddressOperand,
  ListOperand,
  MemberOperand,
  NameOperand,
  OffsetOperand,
  Operand,
  PairOperand,
  UnaryOperand,
  VectorOperand,
} from './tree.ts';

/** Parses the operands of an instruction up to its `;`; null after an error. */
export function parseOperands(r: Reader): readonly Operand[] | null {
  const { gathered } = r;
  let count = 0;
  do {
    const operand = parseOperand(r, count === 0);
    if (operand === null) return null;
    gathered[count++] = operand;
  } while (r.accept(Token.Comma));
  return gathered.slice(0, count);
}

/**
 * Parses the operands of `call`, the only opcode with its own grammar: `(results), name, (arguments), targets`. Only
 * the name is required.
 */
export function parseCallOperands(r: Reader): readonly Operand[] | null {
  const operands: Operand[] = [];
  if (r.kind === Token.LeftParen) {
    const results = parseList(r);
    if (results === null || !r.expect(Token.Comma, "','")) return null;
    operands.push(results);
  }
  if (r.kind !== Token.Name) return r.unexpected('a function name or a register');
  operands.push(readName(r));
  let hasList = false;
  while (r.kind === Token.Comma && operands.length < 4) {
    r.next();
    const isList = r.kind === Token.LeftParen && !hasList;
    if (!isList && r.kind !== Token.Name) return r.unexpected(hasList ? 'a label' : "'(' or a label");
    const operand = isList ? parseList(r) : readName(r);
    if (operand === null) return null;
    operands.push(operand);
    if (!isList) break;
    hasList = true;
  }
  return operands;
}

function parseOperand(r: Reader, isFirst: boolean): Operand | null {
  switch (r.kind) {
    case Token.Name:
      return parseNamed(r, isFirst);
    case Token.Integer:
    case Token.Float:
    case Token.HexSingle:
    case Token.HexDouble:
    case Token.WarpSize:
    case Token.LeftParen:
    case Token.Plus:
    case Token.Tilde:
      return parseConstantOperand(r);
    case Token.LeftBracket:
      return parseAddress(r);
    case Token.LeftBrace: {
      const vector = parseVector(r);
      return vector !== null && isFirst && r.kind === Token.Bar ? parsePair(r, vector, false) : vector;
    }
    case Token.Minus:
    case Token.Exclamation:
      return parseUnary(r);
    case Token.Underscore: {
      if (!isFirst) return r.unexpected("an operand ('_' is only for results)");
      const sink: Operand = { kind: 'sink', start: r.start, end: r.end };
      r.next();
      return r.kind === Token.Bar ? parsePair(r, sink, false) : sink;
    }
    default:
      return r.unexpected('an operand');
  }
}

function parseNamed(r: Reader, isFirst: boolean): Operand | null {
  const name = readName(r);
  switch (r.kind) {
    case Token.Comma:
    case Token.Semicolon:
      return name;
    case Token.Dotted:
      return readMember(r, name);
    case Token.Plus:
      return parseOffset(r, name);
    case Token.LeftBracket:
      return parseSubscript(r, name);
    case Token.Bar:
      return isFirst ? parsePair(r, name, true) : r.unexpected("',' or ';'");
    case Token.Minus:
      return unexpectedMinus(r);
    default:
      return name;
  }
}

function readName(r: Reader): NameOperand {
  const name: NameOperand = { kind: 'name', start: r.start, end: r.end, name: r.text() };
  r.next();
  return name;
}

function readMember(r: Reader, base: NameOperand): MemberOperand {
  const member: MemberOperand = { kind: 'member', start: base.start, end: r.end, base: base.name, member: r.text() };
  r.next();
  return member;
}

function unexpectedMinus(r: Reader): null {
  return r.unexpected("'+'", {
    help: 'write a negative offset as name+-4',
    fixes: [rewrite(r.span(), '+-', 'certain')],
  });
}

/** Parses `name+imm`, outside brackets. */
function parseOffset(r: Reader, base: NameOperand): OffsetOperand | null {
  r.next();
  const offset = parseIntegerConstant(r, 'an offset');
  if (offset === null) return null;
  const { start } = base;
  return { kind: 'offset', start, end: r.previousEnd, base, offset: offset.value, subscript: false, index: null };
}

/** Parses `name[imm]`, `name[reg]`, `name[reg+imm]`. */
function parseSubscript(r: Reader, base: NameOperand): OffsetOperand | null {
  r.next();
  const index = r.kind === Token.Name ? readName(r) : null;
  let offset = 0n;
  if (index === null || r.accept(Token.Plus)) {
    const constant = parseIntegerConstant(r, 'an index');
    if (constant === null) return null;
    offset = constant.value;
  }
  if (r.kind === Token.Minus) return unexpectedMinus(r);
  const end = r.end;
  if (!r.expect(Token.RightBracket, "']'")) return null;
  return { kind: 'offset', start: base.start, end, base, offset, subscript: true, index };
}

/** Parses `first|second`. The second operand may be `_` only if the first one is a name. */
function parsePair(r: Reader, first: Operand, maySink: boolean): PairOperand | null {
  r.next();
  const end = r.end;
  let second: Operand;
  if (r.kind === Token.Name) second = readName(r);
  else if (r.kind === Token.Underscore && maySink) {
    second = { kind: 'sink', start: r.start, end };
    r.next();
  } else return r.unexpected(maySink ? "a name or '_'" : 'a name');
  return { kind: 'pair', start: first.start, end, first, second };
}

function parseUnary(r: Reader): Operand | null {
  const { start, previousEnd } = r;
  const operator = r.kind === Token.Minus ? '-' : '!';
  r.next();
  if (r.kind !== Token.Name) {
    r.rewind(start, previousEnd);
    return parseConstantOperand(r);
  }
  const name = readName(r);
  const operand = operator === '-' && r.kind === Token.Dotted ? readMember(r, name) : name;
  const unary: UnaryOperand = { kind: 'unary', start, end: operand.end, operator, operand };
  return unary;
}

function parseConstantOperand(r: Reader): Operand | null {
  const { start, previousEnd } = r;
  const small = r.smallInteger();
  if (small >= 0) {
    const end = r.end;
    r.next();
    if (!continuesConstant(r.kind)) return { kind: 'integer', start, end, value: toBigInt(small), unsigned: false };
    r.rewind(start, previousEnd);
  }
  const constant = parseConstant(r);
  if (constant === null) return null;
  const end = r.previousEnd;
  if (constant.kind === 'float') return { kind: 'float', start, end, form: constant.form, bits: constant.bits };
  return { kind: 'integer', start, end, value: constant.value, unsigned: constant.unsigned };
}

/** Parses `[name]`, `[name+imm]`, `[imm]`, `[name, name, {…}]`. */
function parseAddress(r: Reader): AddressOperand | null {
  const start = r.start;
  r.next();
  const base = r.kind === Token.Name ? readName(r) : null;
  let offset = 0n;
  if (base === null || r.accept(Token.Plus)) {
    if (base !== null && r.kind === Token.Name) return unexpectedIndex(r);
    const constant = parseIntegerConstant(r, 'an address');
    if (constant === null) return null;
    offset = constant.value;
  }
  const rest = r.kind === Token.Comma && r.previousEnd === base?.end ? parseAddressRest(r) : noOperands;
  if (rest === null) return null;
  if (r.kind === Token.Minus) return unexpectedMinus(r);
  const end = r.end;
  if (!r.expect(Token.RightBracket, rest.length === 0 ? "'+' or ']'" : "',' or ']'")) return null;
  return { kind: 'address', start, end, base, offset, rest };
}

function unexpectedIndex(r: Reader): null {
  return r.unexpected('a constant offset', {
    help: 'only a constant can be added inside the brackets; add the registers first, for example with add.s64',
  });
}

const noOperands: readonly Operand[] = [];

/**
 * Parses the rest of an address after its base: a sampler (`, name`), coordinates (`, {…}`), or both (`, name, {…}`).
 * Offsets (`, {…}`) may follow.
 */
function parseAddressRest(r: Reader): readonly Operand[] | null {
  const rest: Operand[] = [];
  const most = (): number => (rest[0]?.kind === 'vector' ? 1 : 3);
  while (rest.length < most() && r.accept(Token.Comma)) {
    const mayName = rest.length === 0;
    if (r.kind !== Token.LeftBrace && !(mayName && r.kind === Token.Name)) {
      return r.unexpected(mayName ? "a name or '{'" : "'{'");
    }
    const part = r.kind === Token.Name ? readName(r) : parseVector(r);
    if (part === null) return null;
    rest.push(part);
  }
  return rest;
}

/** Parses `{a, b}`, which may contain names, vector elements, constants and `_`. */
function parseVector(r: Reader): VectorOperand | null {
  const start = r.start;
  const elements: Operand[] = [];
  r.openBraces++;
  do {
    r.next();
    const element = parseElement(r);
    if (element === null) return null;
    elements.push(element);
  } while (r.kind === Token.Comma);
  const end = r.end;
  if (!r.expect(Token.RightBrace, "',' or '}'")) return null;
  r.openBraces--;
  return { kind: 'vector', start, end, elements };
}

function parseElement(r: Reader): Operand | null {
  if (r.kind === Token.Name) {
    const name = readName(r);
    return r.kind === Token.Dotted ? readMember(r, name) : name;
  }
  return parseSinkOrConstant(r);
}

function parseSinkOrConstant(r: Reader): Operand | null {
  if (r.kind !== Token.Underscore) return parseConstantOperand(r);
  const sink: Operand = { kind: 'sink', start: r.start, end: r.end };
  r.next();
  return sink;
}

/** Parses `(a, b)` in a call, which may contain names, constants and `_`, or be empty. */
function parseList(r: Reader): ListOperand | null {
  const start = r.start;
  const elements: Operand[] = [];
  r.next();
  while (r.kind !== Token.RightParen) {
    const element = r.kind === Token.Name ? readName(r) : parseSinkOrConstant(r);
    if (element === null) return null;
    elements.push(element);
    if (!r.accept(Token.Comma)) break;
    if (r.kind === Token.RightParen) return r.unexpected('an argument');
  }
  const end = r.end;
  if (!r.expect(Token.RightParen, "',' or ')'")) return null;
  return { kind: 'list', start, end, elements };
}
