/**
 * Compares lists of values, and vector registers that are used instead of lists, with the patterns that they must
 * match.
 */
import { elementAt } from '../../base/element-at.ts';
import type { OperandPattern, ValuePattern, VectorPattern } from '../../isa/operand-patterns.ts';
import { operandType } from '../../isa/variant.ts';
import { acceptsRegister } from '../../isa/operand-rules.ts';
import { vectorLanes } from '../../isa/rules.ts';
import { isInteger } from '../../isa/types.ts';
import { matchRegisters } from './match-registers.ts';
import { matchValue, regimeOf } from './match-value.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

type LanesPattern = Extract<OperandPattern, { readonly kind: 'lanes' }>;

/**
 * Returns the problems found in an operand that must be either a list of the elements in the pattern or a vector
 * register.
 */
export function matchVector(
  subject: Subject,
  pattern: VectorPattern,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const { name, elements } = pattern;
  if (shape.kind === 'unknown') return [];
  if (pattern.whole === true && shape.kind === 'register' && shape.lanes === elements.length) {
    if (pattern.types?.includes(shape.type.name) === true) return [];
    const one: Shape = { ...shape, lanes: 1 };
    return matchValue(subject, elementAt(elements, 0), one, path);
  }
  if (shape.kind !== 'vector' || shape.elements.length !== elements.length) {
    return [wrongKind(subject, nameOfList(name), shape, path, `a vector of ${elements.length} elements`)];
  }
  if (pattern.types !== undefined) return matchRegisters(subject, pattern, shape.elements, path);
  const problems = elements.map((element, i) =>
    matchValue(subject, element, elementAt(shape.elements, i), [...path, i]),
  );
  if (problems.some((found) => found.length > 0)) return problemsOfElements(problems);
  if (pattern.alike !== true) return [];
  if (shape.elements.every((element) => element.kind === 'sink')) return [onlySinks(subject, name, path)];
  return sameKinds(subject, name, shape.elements, path);
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
 * If the instruction has a vector modifier such as `.v2`, matches a list in braces or a vector register with that many
 * lanes. Otherwise, matches a single value, which may be in braces.
 */
export function matchLanes(subject: Subject, pattern: LanesPattern, shape: Shape, index: number): readonly Problem[] {
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
  if (pattern.alone === true && isSingle(shape)) return matchValue(subject, value, shape, [index]);
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
  const isMaskable = pattern.maskable === true && count * type.width === 256;
  const lane: ValuePattern = { ...value, sink: value.role === 'write' || isMaskable, special: value.role === 'read' };
  const problems = shape.elements.map((element, i) => matchValue(subject, lane, element, [index, i]));
  if (problems.some((found) => found.length > 0)) return problemsOfElements(problems);
  if (shape.elements.every((element) => element.kind === 'sink')) return [onlySinks(subject, value.name, [index])];
  const check = pattern.alike === true ? sameKinds : sameWidths;
  return check(subject, value.name, shape.elements, [index]);
}

function isSingle(shape: Shape): boolean {
  return shape.kind === 'constant' || (shape.kind === 'register' && shape.lanes === 1);
}

/**
 * True if the number of elements in the operand does not have to match a vector modifier. This is the case if the
 * instruction has no such modifier, or if the operand is a single value that is read.
 */
function isUncounted({ role }: ValuePattern, shape: Shape, count: number): boolean {
  if (shape.kind === 'vector') return count === 1 && [1, 2, 4].includes(shape.elements.length);
  if (shape.kind === 'register' && shape.lanes > 1) return count === 1;
  return count === 1 || role === 'read';
}

/**
 * The problem to report for a list that consists only of `_`. Such a list is not allowed, because nothing determines
 * the width of its elements.
 */
function onlySinks(subject: Subject, name: string, path: readonly number[]): Problem {
  const parameters = { name, what: subject.what, opcode: subject.opcode, expected: 'elements of one type' };
  return problem('PTX3004', operand(...path), { ...parameters, found: "nothing but '_'" });
}

/**
 * Checks that a list does not contain both integers and floats. Registers of bit-size types may be combined with either
 * kind.
 */
function sameKinds(
  subject: Subject,
  name: string,
  elements: readonly Shape[],
  path: readonly number[],
): readonly Problem[] {
  const kinds = new Set(elements.flatMap((element) => kindsOf(element)));
  if (kinds.size <= 1) return sameWidths(subject, name, elements, path);
  const parameters = { name, what: subject.what, opcode: subject.opcode, expected: 'elements of one type' };
  return [problem('PTX3004', operand(...path), { ...parameters, found: 'several types' })];
}

/**
 * The kind of elements to which this element restricts the whole list: integers, floats, or one particular 16-bit or
 * packed type. Empty for elements that can be combined with any others, such as bit-size registers and special
 * registers.
 */
function kindsOf(shape: Shape): readonly string[] {
  if (shape.kind === 'constant') return [shape.constant === 'integer' ? 'integer' : 'float'];
  if (shape.kind !== 'register' || shape.type.class === 'bits') return [];
  if (isInteger(shape.type)) return ['integer'];
  return [shape.type.width === 16 || shape.type.class === 'packed' ? shape.type.name : 'float'];
}

function widthsOf(shape: Shape): readonly number[] {
  return shape.kind === 'register' || shape.kind === 'special' ? [shape.type.width] : [];
}

/** Checks that all registers in a list have the same width. */
function sameWidths(
  subject: Subject,
  name: string,
  elements: readonly Shape[],
  path: readonly number[],
): readonly Problem[] {
  const widths = new Set(elements.flatMap(widthsOf));
  if (widths.size <= 1) return [];
  const parameters = { name, what: subject.what, opcode: subject.opcode };
  return [
    problem('PTX3004', operand(...path), {
      ...parameters,
      expected: 'registers of one width',
      found: 'several widths',
    }),
  ];
}
