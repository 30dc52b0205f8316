/**
 * Parses constant expressions and evaluates them in the same pass. Integers have 64 bits and are either signed or
 * unsigned. Integers are never converted to floats, and floats are never converted to integers. Source: PTX ISA 4.5.4.
 */
import {
  applyBinary,
  applyUnary,
  type Constant,
  type FloatConstant,
  type IntegerConstant,
  integer,
  notInteger,
  type Operator,
  zero,
} from './fold.ts';
import { readDecimal, readHexFloat, readInteger } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import { byteAt } from '../base/typed-reads.ts';

const loneSingle = { help: 'a 0f constant cannot be part of an expression; use a decimal or 0d constant instead' };

/**
 * The precedence of each binary operator, indexed by its token; 0 for all other tokens. The operators have the same
 * order of precedence as in C.
 */
const precedence: Uint8Array = makePrecedence();

/** Whether a token of this kind continues the expression if it follows a complete constant. */
export function continuesConstant(kind: number): boolean {
  return precedence[kind] !== 0 || kind === Token.Question;
}

/** Parses an expression and returns its value; null after an error that ends the statement. */
export function parseConstant(r: Reader): Constant | null {
  const condition = parseBinary(r, 1);
  if (condition === null || r.kind !== Token.Question) return condition;
  const span = r.span();
  if (!r.enter()) return null;
  r.next();
  const yes = parseConstant(r);
  const no = yes !== null && r.expect(Token.Colon, "':'") ? parseConstant(r) : null;
  r.leave();
  if (yes === null || no === null) return null;
  if (condition.kind === 'float' || yes.kind === 'float' || no.kind === 'float') return notInteger(r, span, "'?:'");
  return condition.value !== 0n ? yes : no;
}

/**
 * Like `parseConstant`, but reports an error if the value is not an integer. `what` describes the constant in error
 * messages.
 */
export function parseIntegerConstant(r: Reader, what: string): IntegerConstant | null {
  const start = r.start;
  const constant = parseConstant(r);
  if (constant === null || constant.kind === 'integer') return constant;
  return notInteger(r, { start, end: r.previousEnd }, what);
}

function parseBinary(r: Reader, weakest: number): Constant | null {
  let left = parseUnary(r);
  while (left !== null) {
    const kind = r.kind;
    const strength = byteAt(precedence, kind);
    if (strength < weakest || strength === 0) return left;
    if (left.kind === 'float' && left.form === '0f') return r.unexpected('the end of the constant', loneSingle);
    const operator: Operator = { kind, text: r.text(), start: r.start, end: r.end };
    r.next();
    if (r.kind === Token.HexSingle) return r.unexpected('an integer or a decimal float', loneSingle);
    const right = parseBinary(r, strength + 1);
    if (right === null) return null;
    left = applyBinary(r, operator, left, right);
  }
  return left;
}

function parseUnary(r: Reader): Constant | null {
  const operator = r.kind;
  if (operator === Token.LeftParen) return parseParenthesis(r);
  const isOperator =
    operator === Token.Minus || operator === Token.Plus || operator === Token.Exclamation || operator === Token.Tilde;
  if (!isOperator) return parseLiteral(r);
  const span = r.span();
  if (!r.enter()) return null;
  r.next();
  const operand =
    r.kind === Token.HexSingle ? r.unexpected('an integer or a decimal float', loneSingle) : parseUnary(r);
  r.leave();
  return operand === null ? null : applyUnary(r, operator, span, operand);
}

/** Parses `(expression)`, or a cast: `(.s64)` or `(.u64)`, followed by an operand. */
function parseParenthesis(r: Reader): Constant | null {
  if (!r.enter()) return null;
  r.next();
  let constant: Constant | null = null;
  if (r.kind === Token.Dotted) constant = parseCast(r);
  else {
    const inner = parseConstant(r);
    if (inner !== null && r.expect(Token.RightParen, "an operator or ')'")) constant = inner;
  }
  r.leave();
  return constant;
}

function parseCast(r: Reader): Constant | null {
  const span = r.span();
  const type = r.text();
  r.next();
  if (!r.expect(Token.RightParen, "')'")) return null;
  const start = r.start;
  const operand = parseUnary(r);
  if (operand === null) return null;
  if (type !== '.s64' && type !== '.u64') {
    r.report('PTX1014', span, { type });
    return zero;
  }
  if (operand.kind === 'float') return notInteger(r, { start, end: r.previousEnd }, 'a cast');
  return integer(operand.value, type === '.u64');
}

function parseLiteral(r: Reader): Constant | null {
  let constant: Constant | null = null;
  switch (r.kind) {
    case Token.Integer:
      constant = integerLiteral(r);
      break;
    case Token.Float:
      constant = floatLiteral(r);
      break;
    case Token.HexSingle:
      constant = { kind: 'float', form: '0f', bits: readHexFloat(r.text()) };
      break;
    case Token.HexDouble:
      constant = { kind: 'float', form: '0d', bits: readHexFloat(r.text()) };
      break;
    case Token.WarpSize:
      constant = integer(32n, false);
      break;
    default:
      return r.unexpected('a constant');
  }
  r.next();
  return constant;
}

/** The value of the current integer token; if it does not fit in 64 bits, reports an error and returns 0. */
function integerLiteral(r: Reader): IntegerConstant {
  const { value, unsigned, fit } = readInteger(r.text());
  if (fit === 'overflow') r.report('PTX1010', r.span(), { constant: r.describe(), bits: '64' });
  if (fit === 'wraps') r.report('PTX1015', r.span(), { constant: r.describe(), value: String(value) });
  return { kind: 'integer', value, unsigned };
}

function floatLiteral(r: Reader): FloatConstant {
  const bits = readDecimal(r.text());
  if (bits === null) r.report('PTX1010', r.span(), { constant: r.describe(), bits: '64' });
  return { kind: 'float', form: 'decimal', bits: bits ?? 0n };
}

function makePrecedence(): Uint8Array {
  const table = new Uint8Array(256);
  const levels = [
    [Token.OrOr],
    [Token.AndAnd],
    [Token.Bar],
    [Token.Caret],
    [Token.Ampersand],
    [Token.EqualEqual, Token.NotEqual],
    [Token.Less, Token.LessEqual, Token.Greater, Token.GreaterEqual],
    [Token.ShiftLeft, Token.ShiftRight],
    [Token.Plus, Token.Minus],
    [Token.Star, Token.Slash, Token.Percent],
  ];
  levels.forEach((kinds, level) => {
    for (const kind of kinds) table[kind] = level + 1;
  });
  return table;
}
