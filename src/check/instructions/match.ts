/**
 * Compares operands with a variant's patterns. Verdicts mention only shapes, so they can be cached; names, values and
 * positions are added when a diagnostic is made.
 */
import { listOf, type OperandPattern, operandType, type Regime, type ValuePattern } from '../../isa/form.ts';
import { acceptsConstant, acceptsRegister, describeConstants, describeRegisters } from '../../isa/operand-rules.ts';
import { vectorLanes } from '../../isa/rules.ts';
import { isInteger, type PtxType, types } from '../../isa/types.ts';
import { holdsInteger, matchAddress, matchPointer, matchTensor, matchWindow } from './match-address.ts';
import { type Problem, operand, problem, wholeMnemonic } from './problem.ts';
import { describeShape } from './describe-shape.ts';
import type { Shape } from './shape.ts';
import { matchRegisters } from './match-registers.ts';
import { matchCoordinates, matchHandle, matchTexture } from './match-texture.ts';
import { type Subject, wrongKind } from './subject.ts';
import { elementAt, valueAt } from '../../base/element-at.ts';

/** The problems of these operands for this variant; empty if they fit. */
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
function operandList(patterns: readonly OperandPattern[]): string {
  const count = patterns.length === 1 ? '1 operand' : `${patterns.length} operands`;
  return patterns.length === 0 ? 'no operands' : `${count} (${patterns.map((pattern) => pattern.name).join(', ')})`;
}

function matchPattern(subject: Subject, pattern: OperandPattern, shape: Shape, index: number): readonly Problem[] {
  switch (pattern.kind) {
    case 'value':
      return matchValue(subject, pattern, shape, [index]);
    case 'vector':
      return matchVector(subject, pattern, shape, index);
    case 'registers':
      return matchVector(subject, listOf(subject.variant, pattern), shape, index);
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
      if (shape.kind !== 'pair' && pattern.both === true) {
        return [wrongKind(subject, pattern.name, shape, [index], 'two results, d|p')];
      }
      if (shape.kind !== 'pair') return matchValue(subject, pattern.first, shape, [index]);
      return [
        ...matchValue(subject, pattern.first, shape.first, [index, 0]),
        ...matchValue(subject, pattern.second, shape.second, [index, 1]),
      ];
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

type CalleePattern = Extract<OperandPattern, { readonly kind: 'callee' }>;
type TablePattern = Extract<OperandPattern, { readonly kind: 'table' }>;

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

function regimeOf(subject: Subject, pattern: ValuePattern): Regime {
  return pattern.regime ?? subject.variant.form.regime;
}

function matchValue(
  subject: Subject,
  pattern: ValuePattern,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const type = operandType(subject.variant, pattern.type);
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  const place = operand(...path);
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'register':
      if (pattern.minus === 'must') return [wrongKind(subject, pattern.name, shape, path, 'a negated register')];
      return matchRegister(subject, pattern, type, shape, path);
    case 'sink':
      if (pattern.sink !== undefined && pattern.sink !== false) return [];
      return [
        pattern.role === 'write'
          ? problem('PTX3008', place, parameters)
          : wrongKind(subject, pattern.name, shape, path, 'a value'),
      ];
    case 'part':
      if (pattern.parts?.test(shape.selector) !== true)
        return [wrongKind(subject, pattern.name, shape, path, 'a whole register or a different part')];
      return matchValue(subject, pattern, shape.register, path);
    case 'unary':
      if (pattern.minus !== undefined && shape.operator === '-') {
        const { minus: _, ...bare } = pattern;
        return matchValue(subject, bare, shape.operand, path);
      }
      if (pattern.negatedPredicate === true && isNegatedPredicate(shape)) return [];
      if (pattern.negatable === true && shape.operator === '!')
        return matchValue(subject, pattern, shape.operand, path);
      return [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, regimeOf(subject, pattern)))];
    case 'vector':
      return [problem('PTX3009', place, parameters)];
    default:
      // A minus sign before a constant is part of the constant.
      if (pattern.minus === 'must') return [wrongKind(subject, pattern.name, shape, path, 'a negated register')];
      if (pattern.role === 'write') return [problem('PTX3007', place, { ...parameters, found: describeShape(shape) })];
      return matchSource(subject, pattern, type, shape, path);
  }
}

function isNegatedPredicate(shape: Extract<Shape, { kind: 'unary' }>): boolean {
  const { operator, operand: inner } = shape;
  return operator === '!' && inner.kind === 'register' && inner.type.class === 'predicate';
}

function matchRegister(
  subject: Subject,
  pattern: ValuePattern,
  type: PtxType,
  shape: Extract<Shape, { kind: 'register' }>,
  path: readonly number[],
): readonly Problem[] {
  if (pattern.constantOnly === true) return [wrongKind(subject, pattern.name, shape, path, 'an integer constant')];
  if (pattern.sink === 'only') return [wrongKind(subject, pattern.name, shape, path, "'_'")];
  const regime = regimeOf(subject, pattern);
  const isTaken = acceptsRegister(type, shape.type, regime) && !(pattern.unpacked && shape.type.name === '.f16x2');
  if (shape.lanes === 1 && isTaken) return [];
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  if (shape.lanes > 1) return [problem('PTX3009', operand(...path), parameters)];
  const expected = describeRegisters(type, regime);
  return [
    problem(
      'PTX3004',
      operand(...path),
      { ...parameters, expected, found: describeShape(shape) },
      { section: section(subject, regime) },
    ),
  ];
}

/** Matches sources that are not registers. */
function matchSource(
  subject: Subject,
  pattern: ValuePattern,
  type: PtxType,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode };
  const place = operand(...path);
  if (shape.kind === 'constant') {
    const anyFloat = pattern.floats === true && shape.constant !== 'integer' && type.width >= 32;
    if (pattern.registerOnly !== true && (anyFloat || acceptsConstant(type, shape.constant))) return [];
    const expected = pattern.registerOnly === true ? 'registers only' : describeConstants(type);
    return [problem('PTX3005', place, { ...parameters, found: describeShape(shape), expected })];
  }
  if (shape.kind === 'special') {
    if (pattern.special !== true) return [problem('PTX3006', place, parameters)];
    const chopped = type.width >= shape.least && type.width < shape.type.width;
    const register = chopped ? valueAt(types, `.u${type.width}`) : shape.type;
    return matchRegister(subject, pattern, type, { ...shape, kind: 'register', type: register, lanes: 1 }, path);
  }
  if (shape.kind === 'register-offset' && holdsInteger(shape.type) && holdsInteger(type)) return [];
  if (pattern.address === true && (shape.kind === 'variable' || shape.kind === 'function')) {
    if (shape.kind === 'variable' && shape.space === 'local parameter') {
      return [problem('PTX5014', place, { found: describeShape(shape) })];
    }
    return isInteger(type) || type.class === 'bits'
      ? []
      : [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, 'exact'))];
  }
  return [wrongKind(subject, pattern.name, shape, path, describeRegisters(type, regimeOf(subject, pattern)))];
}

type VectorPattern = Extract<OperandPattern, { readonly kind: 'vector' }>;
type LanesPattern = Extract<OperandPattern, { readonly kind: 'lanes' }>;

function matchVector(subject: Subject, pattern: VectorPattern, shape: Shape, index: number): readonly Problem[] {
  const { name, elements } = pattern;
  if (shape.kind === 'unknown') return [];
  if (pattern.whole === true && shape.kind === 'register' && shape.lanes === elements.length) {
    if (pattern.types?.includes(shape.type.name) === true) return [];
    const one: Shape = { ...shape, lanes: 1 };
    return matchValue(subject, elementAt(elements, 0), one, [index]);
  }
  if (shape.kind !== 'vector' || shape.elements.length !== elements.length) {
    return [wrongKind(subject, nameOfList(name), shape, [index], `a vector of ${elements.length} elements`)];
  }
  if (pattern.types !== undefined) return matchRegisters(subject, pattern, shape.elements, index);
  const problems = elements.map((element, i) => matchValue(subject, element, elementAt(shape.elements, i), [index, i]));
  if (problems.some((found) => found.length > 0)) return problemsOfElements(problems);
  if (pattern.alike !== true) return [];
  if (shape.elements.every((element) => element.kind === 'sink')) return [onlySinks(subject, name, index)];
  return sameKinds(subject, name, shape.elements, index);
}

/** `d` of `{d.x, d.y}`. */
function nameOfList(name: string): string {
  return name.replace(/^\{(\w+).*$/, '$1');
}

/** Elements that are wrong for the same reason count as one mistake. */
function problemsOfElements(problems: readonly (readonly Problem[])[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.flat().filter(({ code, parameters: { expected, found } }) => {
    const reason = `${code} ${expected} ${found}`;
    const isNew = !seen.has(reason);
    seen.add(reason);
    return isNew;
  });
}

/**
 * Matches a single value, in braces or not; with a vector modifier, a brace list or a vector register with that many
 * lanes.
 */
function matchLanes(subject: Subject, pattern: LanesPattern, shape: Shape, index: number): readonly Problem[] {
  const { value } = pattern;
  const count = vectorLanes(subject.variant);
  const inBraces = pattern.braced === true && shape.kind === 'vector' && shape.elements.length === 1;
  if (pattern.uncounted === true && isUncounted(value, shape, count)) {
    return shape.kind === 'vector' || (shape.kind === 'register' && shape.lanes > 1)
      ? []
      : matchValue(subject, value, shape, [index]);
  }
  if (count === 1 && !inBraces) return matchValue(subject, value, shape, [index]);
  if (shape.kind === 'unknown') return [];
  const type = operandType(subject.variant, value.type);
  if (shape.kind === 'register' && shape.lanes === count) {
    if (acceptsRegister(type, shape.type, regimeOf(subject, value))) return [];
  }
  if (shape.kind === 'special-vector' && value.special === true && count === 4) {
    if (isInteger(type) || type.class === 'bits') if (type.width >= shape.least && type.width <= 32) return [];
  }
  if (shape.kind !== 'vector' || shape.elements.length !== count) {
    return [wrongKind(subject, value.name, shape, [index], `a vector of ${count} elements`)];
  }
  const lane: ValuePattern = { ...value, sink: value.role === 'write', special: value.role === 'read' };
  const problems = shape.elements.map((element, i) => matchValue(subject, lane, element, [index, i]));
  if (problems.some((found) => found.length > 0)) return problemsOfElements(problems);
  if (shape.elements.every((element) => element.kind === 'sink')) return [onlySinks(subject, value.name, index)];
  const check = pattern.alike === true ? sameKinds : sameWidths;
  return check(subject, value.name, shape.elements, index);
}

/** True if the length of a list does not matter: without a vector modifier, and for a single value that is read. */
function isUncounted({ role }: ValuePattern, shape: Shape, count: number): boolean {
  if (shape.kind === 'vector') return count === 1 && [1, 2, 4].includes(shape.elements.length);
  if (shape.kind === 'register' && shape.lanes > 1) return count === 1;
  return count === 1 || role === 'read';
}

/** At least one element must determine the width. */
function onlySinks(subject: Subject, name: string, index: number): Problem {
  const parameters = { name, what: subject.what, opcode: subject.opcode, expected: 'elements of one type' };
  return problem('PTX3004', operand(index), { ...parameters, found: "nothing but '_'" });
}

/** A list cannot contain both integers and floats; bit-size registers go with either. */
function sameKinds(subject: Subject, name: string, elements: readonly Shape[], index: number): readonly Problem[] {
  const kinds = new Set(elements.flatMap((element) => kindsOf(element)));
  if (kinds.size <= 1) return sameWidths(subject, name, elements, index);
  const parameters = { name, what: subject.what, opcode: subject.opcode, expected: 'elements of one type' };
  return [problem('PTX3004', operand(index), { ...parameters, found: 'several types' })];
}

/** The type class that an element requires of its list; bit-size and special registers require none. */
function kindsOf(shape: Shape): readonly string[] {
  if (shape.kind === 'constant') return [shape.constant === 'integer' ? 'integer' : 'float'];
  if (shape.kind !== 'register' || shape.type.class === 'bits') return [];
  if (isInteger(shape.type)) return ['integer'];
  return [shape.type.width === 16 || shape.type.class === 'packed' ? shape.type.name : 'float'];
}

/** Lanes may differ in class but not in width. */
function sameWidths(subject: Subject, name: string, elements: readonly Shape[], index: number): readonly Problem[] {
  const widths = new Set(elements.flatMap((element) => (element.kind === 'register' ? [element.type.width] : [])));
  if (widths.size <= 1) return [];
  const parameters = { name, what: subject.what, opcode: subject.opcode };
  return [
    problem('PTX3004', operand(index), { ...parameters, expected: 'registers of one width', found: 'several widths' }),
  ];
}

function section(subject: Subject, regime: Regime): string {
  return regime === 'relaxed' ? '9.4.1' : subject.variant.form.section;
}
