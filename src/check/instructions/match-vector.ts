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
import { matchList, problemsOfElements, widthsOf } from './match-list.ts';
import { matchRegisters } from './match-registers.ts';
import { matchValue, regimeOf } from './match-value.ts';
import type { Problem } from './problem.ts';
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
  if (pattern.alike === true) return matchList(subject, name, elements, shape.elements, path);
  return problemsOfElements(
    elements.map((element, i) => matchValue(subject, element, elementAt(shape.elements, i), [...path, i])),
  );
}

/** `d` of `{d.x, d.y}`. */
function nameOfList(name: string): string {
  return name.replace(/^\{(\w+).*$/, '$1');
}

/**
 * If the instruction has a vector modifier such as `.v2`, matches a list in braces or a vector register with that many
 * lanes. Otherwise, matches a single value, which may be in braces.
 */
export function matchLanes(subject: Subject, pattern: LanesPattern, shape: Shape, index: number): readonly Problem[] {
  const { value } = pattern;
  const count = vectorLanes(subject.variant);
  const inBraces = pattern.braced === true && shape.kind === 'vector' && shape.elements.length === 1;
  if (pattern.uncounted === true && isUncounted(value, shape, count))
    return matchUncounted(subject, pattern, shape, index);
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
  return matchList(subject, value.name, lanesOf(pattern, shape, isMaskable), shape.elements, [index]);
}

function lanesOf(
  { value }: LanesPattern,
  { elements }: Extract<Shape, { kind: 'vector' }>,
  isMaskable: boolean,
): readonly ValuePattern[] {
  const lane: ValuePattern = { ...value, sink: value.role === 'write' || isMaskable, special: value.role === 'read' };
  return elements.map(() => lane);
}

/**
 * Matches an operand whose elements may be narrower than the type if their total width is at least that of the type.
 */
function matchUncounted(subject: Subject, pattern: LanesPattern, shape: Shape, index: number): readonly Problem[] {
  const { value } = pattern;
  const { width } = operandType(subject.variant, value.type);
  const anyWidth: LanesPattern = { ...pattern, value: { ...value, type: '.b8' } };
  if (shape.kind === 'vector') {
    const lanes = lanesOf(anyWidth, shape, false);
    const problems = matchList(subject, value.name, lanes, shape.elements, [index]);
    if (problems.length > 0) return problems;
  } else {
    const isVector = shape.kind === 'register' && shape.lanes > 1;
    if (!isVector) return matchValue(subject, value, shape, [index]);
    const problems = matchValue(subject, anyWidth.value, { ...shape, lanes: 1 }, [index]);
    if (problems.length > 0) return problems;
  }
  if (totalWidth(shape) >= width) return [];
  return [wrongKind(subject, value.name, shape, [index], `registers of ${width} bits together`)];
}

/** The total number of bits in a list or vector; infinite for a list of constants, which fit any width. */
function totalWidth(shape: Shape): number {
  if (shape.kind === 'register') return shape.type.width * shape.lanes;
  if (shape.kind !== 'vector') return 0;
  const [each = Number.POSITIVE_INFINITY] = widthsOf(shape.elements);
  return each * shape.elements.length;
}

function isSingle(shape: Shape): boolean {
  return shape.kind === 'constant' || (shape.kind === 'register' && shape.lanes === 1);
}

/**
 * True if the number of elements in the operand does not have to match a vector modifier. This is the case if the
 * instruction has no such modifier, or if the operand is a single value and is only read.
 */
function isUncounted({ role }: ValuePattern, shape: Shape, count: number): boolean {
  if (shape.kind === 'vector') return count === 1 && [1, 2, 4].includes(shape.elements.length);
  if (shape.kind === 'register' && shape.lanes > 1) return count === 1;
  return count === 1 || role === 'read';
}
