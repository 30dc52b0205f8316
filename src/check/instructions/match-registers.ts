/**
 * Matches lists of registers that hold part of a matrix. The types of the registers in a list are combined into one
 * type, and the operand must accept this type.
 */
import { elementAt } from '../../base/element-at.ts';
import { joinWords } from '../../base/join-words.ts';
import type { ValuePattern, VectorPattern } from '../../isa/operand-patterns.ts';
import { isInteger, type TypeName, typeOf } from '../../isa/types.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

/** Number of registers that ptxas combines into one vector before it checks their type. */
const together = 4;

/** Returns the problems found in a list whose length is correct. */
export function matchRegisters(
  subject: Subject,
  { name, elements, types = [], joined = false, untyped = false }: VectorPattern,
  shapes: readonly Shape[],
  path: readonly number[],
): readonly Problem[] {
  const problems = elements.flatMap((element, i) => matchElement(subject, element, elementAt(shapes, i), [...path, i]));
  const [first] = problems;
  if (first !== undefined) return [first];
  const wrong = (expected: string, found: string): readonly Problem[] => [
    problem('PTX3004', operand(...path), { name, what: subject.what, opcode: subject.opcode, expected, found }),
  ];
  const bits = bitsType(typeOf(elementAt(types, 0)).width);
  const found = shapes.map((shape) => typeOfElement(shape, bits));
  const expected = `registers of ${joinWords(types, 'or')}, or a list with ${bits} among them`;
  if (!isCompatible(found, bits)) return wrong(expected, 'several types');
  if (untyped && hasNoType(shapes)) return wrong('a register or a 0f constant in the list', 'only other constants');
  const size = joined ? found.length : together;
  for (let start = 0; start < found.length; start += size) {
    const type = typeOfAll(found.slice(start, start + size), bits);
    if (type !== null && !types.includes(type)) return wrong(expected, `registers of ${type}`);
  }
  return shapes.every(({ kind }) => kind === 'sink') ? wrong('a register in the list', "nothing but '_'") : [];
}

function matchElement(
  subject: Subject,
  { name, role, type, sink = false, special = false }: ValuePattern,
  shape: Shape,
  path: readonly number[],
): readonly Problem[] {
  const width = typeof type === 'number' ? 0 : typeOf(type).width;
  const wrong = [wrongKind(subject, name, shape, path, `a register of ${width} bits`)];
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'register':
      return shape.lanes === 1 && shape.type.class !== 'predicate' && shape.type.width === width ? [] : wrong;
    case 'special':
      return special && shape.type.width === width ? [] : wrong;
    case 'sink':
      return sink === false ? wrong : [];
    case 'constant':
      return role === 'read' ? [] : wrong;
    default:
      return wrong;
  }
}

/**
 * True if a list consists only of constants without a type. Constants of the form `0f…` do not qualify, because they
 * count as 32 bits.
 */
function hasNoType(shapes: readonly Shape[]): boolean {
  return shapes.every((shape) => shape.kind === 'constant' && shape.constant !== '0f');
}

function bitsType(width: number): TypeName {
  return width === 64 ? '.b64' : width === 16 ? '.b16' : '.b32';
}

/**
 * The common type of the members of a list of 32-bit values; null if the types of two adjacent members are not
 * compatible.
 */
export function joinedType(shapes: readonly Shape[]): TypeName | null {
  const bits = '.b32';
  const found = shapes.map((shape) => typeOfElement(shape, bits));
  return isCompatible(found, bits) ? typeOfAll(found, bits) : null;
}

/**
 * True if the types of all adjacent members are compatible. Bit-size types are compatible with every type, and all
 * integer types with each other.
 */
function isCompatible(found: readonly (TypeName | null)[], bits: TypeName): boolean {
  const known = found.filter((type) => type !== null);
  return known.every((type, i) => {
    const next = known[i + 1] ?? type;
    return type === next || type === bits || next === bits || (isInteger(typeOf(type)) && isInteger(typeOf(next)));
  });
}

/** The common type of members with compatible types; null if none of the members has a type. */
function typeOfAll(found: readonly (TypeName | null)[], bits: TypeName): TypeName | null {
  const distinct = new Set(found.filter((type) => type !== null));
  if (distinct.size > 1) return bits;
  const [only = null] = distinct;
  return only;
}

/**
 * The type of an element of a list; null if the element has no type. For constants and special registers, the type is
 * derived from `bits`, the bit-size type of the list.
 */
function typeOfElement(shape: Shape, bits: TypeName): TypeName | null {
  switch (shape.kind) {
    case 'register':
      return shape.type.name;
    case 'special':
      return bits;
    case 'constant':
      if (shape.constant === 'integer') return bits === '.b64' ? '.s64' : bits === '.b16' ? '.s16' : '.s32';
      return bits === '.b64' ? '.f64' : '.f32';
    default:
      return null;
  }
}
