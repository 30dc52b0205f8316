/**
 * The operators of constant expressions. Source: the table in section 4.5.5 of the PTX ISA. This code follows ptxas
 * 13.0, which differs from the table in three ways: `&`, `|` and `^` keep the signedness of their operands, shift
 * amounts are taken modulo 64, and both branches of `?:` are evaluated.
 */
import type { Span } from '../base/span.ts';
import { bitsToDouble, doubleBits } from './literals.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';

/** An integer constant. If `unsigned` is true, `value` is in the range of `.u64`, otherwise in that of `.s64`. */
export interface IntegerConstant {
  readonly kind: 'integer';
  readonly value: bigint;
  readonly unsigned: boolean;
}

/**
 * A floating-point constant. `bits` contains the 32 bits of an f32 if the form is `0f`, and otherwise the 64 bits of an
 * f64.
 */
export interface FloatConstant {
  readonly kind: 'float';
  readonly form: '0f' | '0d' | 'decimal';
  readonly bits: bigint;
}

export type Constant = IntegerConstant | FloatConstant;

/** A binary operator in an expression, with its text and its position in the source. */
export interface Operator extends Span {
  readonly kind: number;
  readonly text: string;
}

const signOfSingle: bigint = 1n << 31n;
const signOfDouble: bigint = 1n << 63n;

/** Placeholder for the value of an invalid expression. */
export const zero: IntegerConstant = { kind: 'integer', value: 0n, unsigned: false };

/** Returns an integer constant that consists of the low 64 bits of `value`. */
export function integer(value: bigint, unsigned: boolean): IntegerConstant {
  return { kind: 'integer', value: unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value), unsigned };
}

function truth(condition: boolean): IntegerConstant {
  return integer(condition ? 1n : 0n, false);
}

/** Reports that `what` must be an integer, and returns 0 so that parsing can continue. */
export function notInteger(r: Reader, span: Span, what: string): IntegerConstant {
  r.report('PTX1013', span, { what });
  return zero;
}

/** Applies `-`, `+`, `!` or `~` to a constant. */
export function applyUnary(r: Reader, operator: number, span: Span, operand: Constant): Constant {
  if (operand.kind === 'float') {
    if (operator === Token.Plus) return operand;
    if (operator !== Token.Minus) return notInteger(r, span, `'${String.fromCharCode(operator)}'`);
    return {
      kind: 'float',
      form: operand.form,
      bits: operand.bits ^ (operand.form === '0f' ? signOfSingle : signOfDouble),
    };
  }
  if (operator === Token.Minus) return integer(-operand.value, operand.unsigned);
  if (operator === Token.Exclamation) return truth(operand.value === 0n);
  return operator === Token.Tilde ? integer(~operand.value, true) : operand;
}

/** Applies a binary operator. If it cannot be applied, reports an error and returns 0. */
export function applyBinary(r: Reader, operator: Operator, left: Constant, right: Constant): Constant {
  if (left.kind === 'integer' && right.kind === 'integer') return applyInteger(r, operator, left, right);
  if (left.kind === 'float' && right.kind === 'float') return applyFloat(r, operator, left, right);
  r.report('PTX1012', operator, { operator: operator.text });
  return zero;
}

/**
 * If one of the operands is unsigned, the other one becomes unsigned too, as in the usual arithmetic conversions of C.
 */
function applyInteger(r: Reader, operator: Operator, left: IntegerConstant, right: IntegerConstant): IntegerConstant {
  const unsigned = left.unsigned || right.unsigned;
  const a = unsigned ? BigInt.asUintN(64, left.value) : left.value;
  const b = unsigned ? BigInt.asUintN(64, right.value) : right.value;
  switch (operator.kind) {
    case Token.Slash:
    case Token.Percent:
      return divide(r, operator, left, right);
    case Token.ShiftLeft:
      return integer(left.value << BigInt.asUintN(6, right.value), left.unsigned);
    case Token.ShiftRight:
      return integer(left.value >> BigInt.asUintN(6, right.value), left.unsigned);
    case Token.Star:
      return integer(a * b, unsigned);
    case Token.Plus:
      return integer(a + b, unsigned);
    case Token.Minus:
      return integer(a - b, unsigned);
    case Token.Ampersand:
      return integer(a & b, unsigned);
    case Token.Caret:
      return integer(a ^ b, unsigned);
    case Token.Bar:
      return integer(a | b, unsigned);
    case Token.AndAnd:
      return truth(a !== 0n && b !== 0n);
    case Token.OrOr:
      return truth(a !== 0n || b !== 0n);
    default:
      return truth(compare(operator.kind, a, b));
  }
}

/** `%` treats the bits of its operands as unsigned numbers, regardless of their types. */
function divide(r: Reader, operator: Operator, left: IntegerConstant, right: IntegerConstant): IntegerConstant {
  const unsigned = operator.kind === Token.Percent || left.unsigned || right.unsigned;
  const a = unsigned ? BigInt.asUintN(64, left.value) : left.value;
  const b = unsigned ? BigInt.asUintN(64, right.value) : right.value;
  if (b === 0n) {
    r.report('PTX1011', operator, {});
    return zero;
  }
  return integer(operator.kind === Token.Percent ? a % b : a / b, unsigned);
}

function applyFloat(r: Reader, operator: Operator, left: FloatConstant, right: FloatConstant): Constant {
  const a = bitsToDouble(left.bits);
  const b = bitsToDouble(right.bits);
  switch (operator.kind) {
    case Token.Star:
      return decimal(a * b);
    case Token.Plus:
      return decimal(a + b);
    case Token.Minus:
      return decimal(a - b);
    case Token.Slash:
      if (b === 0) r.report('PTX1011', operator, {});
      return decimal(b === 0 ? 0 : a / b);
    case Token.Less:
    case Token.LessEqual:
    case Token.Greater:
    case Token.GreaterEqual:
    case Token.EqualEqual:
    case Token.NotEqual:
      return truth(compare(operator.kind, a, b));
    default:
      return notInteger(r, operator, `'${operator.text}'`);
  }
}

function decimal(value: number): FloatConstant {
  return { kind: 'float', form: 'decimal', bits: doubleBits(value) };
}

function compare<T extends bigint | number>(operator: number, a: T, b: T): boolean {
  switch (operator) {
    case Token.Less:
      return a < b;
    case Token.LessEqual:
      return a <= b;
    case Token.Greater:
      return a > b;
    case Token.GreaterEqual:
      return a >= b;
    case Token.EqualEqual:
      return a === b;
    default:
      return a !== b;
  }
}
