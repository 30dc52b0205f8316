/**
 * Compares operands with a variant's patterns. Verdicts depend only on the shapes of operands, not on their names,
 * values or positions, so they can be cached; names, values and positions are added when a diagnostic is created.
 */
import { elementAt } from '../../base/element-at.ts';
import type { OperandPattern } from '../../isa/operand-patterns.ts';
import { listOf } from '../../isa/variant.ts';
import { isInteger } from '../../isa/types.ts';
import { matchAddress, matchPointer, matchTensor, matchWindow } from './match-address.ts';
import { matchCoordinates, matchHandle, matchTexture } from './match-texture.ts';
import { matchValue } from './match-value.ts';
import { matchLanes, matchVector } from './match-vector.ts';
import { operand, type Problem, problem, wholeMnemonic } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

/** The reasons why operands with these shapes are not valid for a variant; empty if they are valid. */
export function matchOperands(subject: Subject, shapes: readonly Shape[]): readonly Problem[] {
  const patterns = subject.variant.form.operands;
  if (patterns.length !== shapes.length) {
    const found = `${shapes.length}`;
    const expected = operandList(patterns);
    return [problem('PTX3002', wholeMnemonic, { what: subject.what, expected, found, opcode: subject.opcode })];
  }
  const problems: Problem[] = [];
  patterns.forEach((pattern, i) => {
    problems.push(...matchPattern(subject, pattern, elementAt(shapes, i), i));
  });
  return problems;
}

/** The operand list as the syntax line shows it. */
export function operandList(patterns: readonly OperandPattern[]): string {
  const count = patterns.length === 1 ? '1 operand' : `${patterns.length} operands`;
  return patterns.length === 0 ? 'no operands' : `${count} (${patterns.map(nameInList).join(', ')})`;
}

/** The name of an operand in the list. For an operand with two results, this is a pair of names such as `d|p`. */
function nameInList(pattern: OperandPattern): string {
  return pattern.kind === 'pair' ? `${pattern.first.name}|${pattern.second.name}` : pattern.name;
}

function matchPattern(subject: Subject, pattern: OperandPattern, shape: Shape, index: number): readonly Problem[] {
  switch (pattern.kind) {
    case 'value':
      return matchValue(subject, pattern, shape, [index]);
    case 'vector':
      return matchVector(subject, pattern, shape, [index]);
    case 'registers':
      return matchVector(subject, listOf(subject.variant, pattern), shape, [index]);
    case 'lanes':
      return matchLanes(subject, pattern, shape, index);
    case 'address':
      return matchAddress(subject, pattern, shape, index);
    case 'texture':
      return matchTexture(subject, pattern, shape, index);
    case 'handle':
      return matchHandle(subject, pattern, shape, index);
    case 'coordinates':
      return matchCoordinates(subject, pattern, shape, index);
    case 'tensor':
      return matchTensor(subject, pattern, shape, index);
    case 'window':
      return matchWindow(subject, pattern, shape, index);
    case 'pointer':
      return matchPointer(subject, pattern.name, shape, index);
    case 'pair':
      return matchPair(subject, pattern, shape, index);
    case 'label':
      return shape.kind === 'label' || shape.kind === 'unknown'
        ? []
        : [wrongKind(subject, pattern.name, shape, [index], 'a label')];
    case 'list':
      return shape.kind === 'list' ? [] : [wrongKind(subject, pattern.name, shape, [index], 'a list in parentheses')];
    case 'callee':
      return matchCallee(subject, pattern, shape, index);
    case 'table':
      return matchTable(subject, pattern, shape, index);
  }
}

type PairPattern = Extract<OperandPattern, { readonly kind: 'pair' }>;
type CalleePattern = Extract<OperandPattern, { readonly kind: 'callee' }>;
type TablePattern = Extract<OperandPattern, { readonly kind: 'table' }>;

function matchPair(subject: Subject, pattern: PairPattern, shape: Shape, index: number): readonly Problem[] {
  const { first, second, both = false } = pattern;
  const matchFirst = (own: Shape, path: readonly number[]): readonly Problem[] =>
    first.kind === 'vector' ? matchVector(subject, first, own, path) : matchValue(subject, first, own, path);
  if (shape.kind === 'pair') {
    return [...matchFirst(shape.first, [index, 0]), ...matchValue(subject, second, shape.second, [index, 1])];
  }
  return both ? [wrongKind(subject, pattern.name, shape, [index], 'two results, d|p')] : matchFirst(shape, [index]);
}

/** Matches a function, given by name or by a register that holds its address. */
function matchCallee(subject: Subject, pattern: CalleePattern, shape: Shape, index: number): readonly Problem[] {
  if (shape.kind === 'unknown') return [];
  const isPointer =
    shape.kind === 'register' &&
    shape.lanes === 1 &&
    (isInteger(shape.type) || shape.type.class === 'bits') &&
    (shape.type.width === 32 || shape.type.width === 64);
  if (pattern.indirect) {
    return isPointer ? [] : [wrongKind(subject, pattern.name, shape, [index], 'a 32-bit or 64-bit register')];
  }
  if (shape.kind === 'function') return shape.entry ? [problem('PTX3023', operand(index), {})] : [];
  if (isPointer) return [problem('PTX3024', operand(index), {})];
  return [wrongKind(subject, pattern.name, shape, [index], 'a function')];
}

function matchTable(subject: Subject, pattern: TablePattern, shape: Shape, index: number): readonly Problem[] {
  if (shape.kind === 'unknown' || (shape.kind === 'table' && shape.of === pattern.of)) return [];
  const expected = pattern.of === 'branches' ? 'a .branchtargets label' : 'a .callprototype or .calltargets label';
  return [wrongKind(subject, pattern.name, shape, [index], expected)];
}
