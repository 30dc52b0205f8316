/**
 * Matches the elements of an operand that is a list. Each register must fit the operand, and ptxas 13.0 also requires
 * that the types of adjacent elements are compatible. Besides registers, a list of bits may contain constants in any
 * notation.
 */
import { elementAt } from '../../base/element-at.ts';
import type { ValuePattern } from '../../isa/operand-patterns.ts';
import { acceptsWidth } from '../../isa/operand-rules.ts';
import { isInteger, type PtxType } from '../../isa/types.ts';
import { operandType } from '../../isa/variant.ts';
import { matchValue, regimeOf } from './match-value.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import type { Subject } from './subject.ts';

/** Returns the problems found in a list whose length is correct. The patterns differ only in their names. */
export function matchList(
  subject: Subject,
  name: string,
  patterns: readonly ValuePattern[],
  shapes: readonly Shape[],
  path: readonly number[],
): readonly Problem[] {
  const matched = (i: number): readonly Problem[] => {
    // In a list, special registers must be read as a whole. Outside lists, 16 bits of some special registers can be
    // read separately.
    const shape = elementAt(shapes, i);
    const whole: Shape = shape.kind === 'special' ? { ...shape, kind: 'register', lanes: 1 } : shape;
    return matchValue(subject, elementAt(patterns, i), whole, [...path, i]);
  };
  const problems = shapes.map((shape, i) => (isMember(subject, elementAt(patterns, i), shape) ? [] : matched(i)));
  if (problems.some((found) => found.length > 0)) return problemsOfElements(problems);
  const wrong = (expected: string, found: string): readonly Problem[] => [
    problem('PTX3004', operand(...path), { name, what: subject.what, opcode: subject.opcode, expected, found }),
  ];
  if (shapes.every(({ kind }) => kind === 'sink')) return wrong('elements of one type', "nothing but '_'");
  if (widthsOf(shapes).size > 1) return wrong('registers of one width', 'several widths');
  if (!areCompatible(shapes)) return wrong('elements of one type', 'several types');
  if (mixesComponents(shapes))
    return wrong('registers only, because a special register such as %tid.x is one of them', 'a constant');
  const isFree = shapes.some(({ kind }) => kind === 'register' || kind === 'special');
  const type = operandType(subject.variant, elementAt(patterns, 0).type);
  const [width = type.width] = widthsOf(shapes);
  // ptxas treats a list that starts with a float constant as a list of floats, which it does not truncate.
  if (type.class === 'bits' && width !== type.width && kindOf(elementAt(shapes, 0)) === 'float constant')
    return wrong(`registers of ${type.width} bits, because the list starts with a float constant`, 'wider registers');
  return problemsOfElements(
    shapes.map((shape, i) => {
      const fitsAny = shape.kind === 'special' || (isFree && type.class === 'bits' && shape.kind === 'constant');
      return fitsAny ? [] : matched(i);
    }),
  );
}

/** Elements that are wrong for the same reason count as one mistake. */
export function problemsOfElements(problems: readonly (readonly Problem[])[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.flat().filter(({ code, parameters: { expected, found } }) => {
    const reason = `${code} ${expected} ${found}`;
    const isNew = !seen.has(reason);
    seen.add(reason);
    return isNew;
  });
}

/** True if the list may contain this element; the class of the element's type is not checked. */
function isMember(subject: Subject, pattern: ValuePattern, shape: Shape): boolean {
  switch (shape.kind) {
    case 'unknown':
      return true;
    case 'constant':
      return pattern.role === 'read' && pattern.registerOnly !== true;
    case 'special':
      return pattern.special === true && fits(subject, pattern, shape.type);
    case 'register':
      return shape.lanes === 1 && shape.type.class !== 'predicate' && fits(subject, pattern, shape.type);
    default:
      return false;
  }
}

function fits(subject: Subject, pattern: ValuePattern, type: PtxType): boolean {
  return acceptsWidth(operandType(subject.variant, pattern.type), type, regimeOf(subject, pattern));
}

/** The widths of the registers in a list. */
export function widthsOf(shapes: readonly Shape[]): ReadonlySet<number> {
  return new Set(
    shapes.flatMap((shape) => (shape.kind === 'register' || shape.kind === 'special' ? [shape.type.width] : [])),
  );
}

/** True if a list contains both a constant and a special register such as `%tid.x`. ptxas rejects such lists. */
export function mixesComponents(shapes: readonly Shape[]): boolean {
  const isComponent = (shape: Shape): boolean => shape.kind === 'special' && shape.least < shape.type.width;
  return shapes.some(({ kind }) => kind === 'constant') && shapes.some(isComponent);
}

/**
 * True if the types of all adjacent elements are compatible. Bit-size registers and special registers are compatible
 * with everything. `_` is skipped.
 */
function areCompatible(shapes: readonly Shape[]): boolean {
  const kinds = shapes.map(kindOf).filter((kind) => kind !== null);
  return kinds.every((kind, i) => {
    const next = kinds[i + 1] ?? kind;
    if (kind === next || kind === 'bits' || next === 'bits') return true;
    return kind === 'float constant' ? isFloat(next) : next === 'float constant' && isFloat(kind);
  });
}

type ElementKind = 'bits' | 'integer' | 'float constant' | 'packed' | '.f16' | '.bf16' | 'float';

const isFloat = (kind: ElementKind): boolean => kind === '.f16' || kind === '.bf16' || kind === 'float';

function kindOf(shape: Shape): ElementKind | null {
  if (shape.kind === 'constant') return shape.constant === 'integer' ? 'integer' : 'float constant';
  if (shape.kind === 'special') return 'bits';
  if (shape.kind !== 'register') return null;
  const { type } = shape;
  if (type.class === 'bits') return 'bits';
  if (isInteger(type)) return 'integer';
  if (type.class === 'packed') return 'packed';
  return type.name === '.f16' || type.name === '.bf16' ? type.name : 'float';
}
