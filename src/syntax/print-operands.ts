/** Prints operands and initializers as text that parses to the same tree. */
import { assertNever } from '../base/assert-never.ts';
import { bitsToDouble } from './literals.ts';
import type { FloatOperand, Initializer, IntegerOperand, MemberOperand, NameOperand, Operand } from './tree.ts';

type Spelling = (name: NameOperand | MemberOperand) => string;

function asWritten(operand: NameOperand | MemberOperand): string {
  return operand.kind === 'name' ? operand.name : operand.base + operand.member;
}

const smallestSigned: bigint = -(1n << 63n);
const largestSigned: bigint = (1n << 63n) - 1n;
const smallestNormal = 2.2250738585072014e-308;

/** @param spell returns the text of a name */
export function printOperand(operand: Operand, spell: Spelling = asWritten): string {
  const print = (part: Operand): string => printOperand(part, spell);
  switch (operand.kind) {
    case 'name':
    case 'member':
      return spell(operand);
    case 'integer':
      return printInteger(operand);
    case 'float':
      return printFloat(operand);
    case 'offset': {
      const base = print(operand.base);
      if (!operand.subscript) return base + printOffset(operand.offset, true);
      if (operand.index === null) return `${base}[${operand.offset}]`;
      return `${base}[${print(operand.index)}${printOffset(operand.offset, false)}]`;
    }
    case 'vector':
      return `{${operand.elements.map(print).join(', ')}}`;
    case 'address': {
      const base = operand.base === null ? String(operand.offset) : print(operand.base);
      const offset = operand.base === null ? '' : printOffset(operand.offset, false);
      return `[${[base + offset, ...operand.rest.map(print)].join(', ')}]`;
    }
    case 'unary':
      return operand.operator + print(operand.operand);
    case 'sink':
      return '_';
    case 'pair':
      return `${print(operand.first)}|${print(operand.second)}`;
    case 'list':
      return `(${operand.elements.map(print).join(', ')})`;
    default:
      return assertNever(operand);
  }
}

export function printInitializer(initializer: Initializer): string {
  switch (initializer.kind) {
    case 'integer':
      return initializer.masked ? `0xff(${initializer.value})` : printWide(initializer.value);
    case 'float':
      return printFloat(initializer);
    case 'address': {
      const name = initializer.generic ? `generic(${initializer.name})` : initializer.name;
      const address = name + printOffset(initializer.offset, false);
      return initializer.mask === null ? address : `0x${initializer.mask.toString(16)}(${address})`;
    }
    case 'list':
      return `{${initializer.elements.map(printInitializer).join(', ')}}`;
    case 'field':
      return `${initializer.name} = ${printInitializer(initializer.value)}`;
    default:
      return assertNever(initializer);
  }
}

function printOffset(offset: bigint, always: boolean): string {
  return offset === 0n && !always ? '' : `+${printWide(offset)}`;
}

/**
 * Prints an integer for a context in which the signedness of its type does not matter. The smallest `.s64` number
 * cannot be written as a literal, so it is printed as an expression.
 */
function printWide(value: bigint): string {
  return value === smallestSigned ? `(${value + 1n}-1)` : String(value);
}

function printInteger({ value, unsigned }: Pick<IntegerOperand, 'value' | 'unsigned'>): string {
  return unsigned && value <= largestSigned ? `${value}U` : printWide(value);
}

function printFloat({ form, bits }: Pick<FloatOperand, 'form' | 'bits'>): string {
  if (form === '0f') return `0f${bits.toString(16).toUpperCase().padStart(8, '0')}`;
  if (form === '0d') return `0d${bits.toString(16).toUpperCase().padStart(16, '0')}`;
  return printDecimal(bits);
}

/**
 * Prints an f64 as a decimal literal that produces the same bits when it is read back. Infinities, NaNs and subnormals
 * cannot be written as literals and can only result from arithmetic, so they are printed as expressions.
 */
function printDecimal(bits: bigint): string {
  const value = bitsToDouble(bits);
  const sign = bits >> 63n === 1n ? '-' : '';
  const size = Math.abs(value);
  if (Number.isNaN(value)) return `${sign === '' ? '-' : ''}(1e308*10.0-1e308*10.0)`;
  if (size === Infinity) return `${sign}(1e308*10.0)`;
  if (size !== 0 && size < smallestNormal) {
    const steps = bits & ((1n << 52n) - 1n);
    return `${sign}(${steps}.0*2.2250738585072014e-308*2.220446049250313e-16)`;
  }
  const text = String(size);
  return sign + (/[.e]/.test(text) ? text : `${text}.0`);
}
