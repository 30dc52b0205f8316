/** Matches textures and surfaces, and coordinates in them. */
import { elementAt } from '../../base/element-at.ts';
import { joinWords } from '../../base/join-words.ts';
import type { CoordinatesPattern, OperandPattern } from '../../isa/operand-patterns.ts';
import { leastCoordinates } from '../../isa/variant.ts';
import { describeShape } from './describe-shape.ts';
import { holdsInteger } from './match-address.ts';
import { joinedType } from './match-registers.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

type TexturePattern = Extract<OperandPattern, { readonly kind: 'texture' }>;
type HandlePattern = Extract<OperandPattern, { readonly kind: 'handle' }>;

/** Matches `[a, {x, y}]` and `[a, s, {x, y}]`. */
export function matchTexture(
  subject: Subject,
  pattern: TexturePattern,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const { name, coordinates, sampled = false } = pattern;
  if (shape.kind === 'unknown') return [];
  const most = sampled ? 2 : 1;
  if (shape.kind !== 'address' || shape.rest.length === 0 || shape.rest.length > most)
    return [wrongKind(subject, name, shape, [index], `a ${pattern.of} and coordinates in brackets`)];
  const last = elementAt(shape.rest, shape.rest.length - 1);
  const sampler = shape.rest.length === 2 ? elementAt(shape.rest, 0) : null;
  return [
    ...matchBase(subject, pattern, shape.base, index),
    ...(sampler === null || isHandle(sampler, ['.samplerref', '.texref'])
      ? []
      : [wrongKind(subject, 'sampler', sampler, [index], 'a .samplerref variable or a 64-bit register')]),
    ...matchCoordinates(subject, coordinates, last, index),
  ];
}

/** Matches `[a]`. */
export function matchHandle(subject: Subject, pattern: HandlePattern, shape: Shape, index: number): readonly Problem[] {
  if (shape.kind === 'unknown') return [];
  if (shape.kind !== 'address' || shape.rest.length > 0)
    return [wrongKind(subject, pattern.name, shape, [index], `a ${pattern.of} in brackets`)];
  return matchBase(subject, pattern, shape.base, index);
}

function matchBase(
  subject: Subject,
  { name, of }: TexturePattern | HandlePattern,
  base: Shape | null,
  index: number,
): readonly Problem[] {
  if (base !== null && isHandle(base, [of])) return [];
  const found = base === null ? 'a constant' : describeShape(base);
  const expected = `a ${of} variable or a 64-bit register`;
  return [problem('PTX5015', operand(index), { name, what: subject.what, opcode: subject.opcode, found, expected })];
}

/**
 * True for a register that can hold a handle, and for a variable of one of the given types. A variable in `.tex` counts
 * as a `.texref`.
 */
function isHandle(shape: Shape, types: readonly string[]): boolean {
  if (shape.kind === 'unknown') return true;
  if (shape.kind === 'variable') return types.includes(shape.opaque ?? (shape.space === '.tex' ? '.texref' : ''));
  return shape.kind === 'register' && shape.lanes === 1 && shape.type.width === 64 && holdsInteger(shape.type);
}

/** Matches a list of coordinates, offsets or derivatives. */
export function matchCoordinates(
  { variant, ...subject }: Subject,
  pattern: CoordinatesPattern,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const { name, types, least, exact = false, indexed = [] } = pattern;
  const wrong = (expected: string): readonly Problem[] => [
    wrongKind({ variant, ...subject }, name, shape, [index], expected),
  ];
  if (shape.kind === 'unknown') return [];
  const geometry = Object.values(variant.modifiers).find((word) => least[word] !== undefined);
  const count = leastCoordinates(variant, pattern);
  const sizes = exact && geometry !== undefined ? [count] : [1, 2, 4].filter((size) => size >= count);
  const kinds = joinWords(types, 'or');
  const expected = `a list of ${joinWords(sizes.map(String), 'or')} elements of type ${kinds}`;
  if (shape.kind === 'register') {
    const fits = shape.lanes === 1 ? !exact : sizes.includes(shape.lanes);
    return fits && types.includes(shape.type.name) ? [] : wrong(expected);
  }
  if (shape.kind !== 'vector' || !sizes.includes(shape.elements.length)) return wrong(expected);
  if (shape.elements.some(({ undeclared }) => undeclared)) return [];
  if (!shape.elements.every(isElement)) return wrong('a list of 32-bit registers and constants');
  const isIndexed = geometry !== undefined && indexed.includes(geometry);
  if (isIndexed && !isIndex(elementAt(shape.elements, 0)))
    return wrong('a 32-bit index as the first element of the list');
  const type = joinedType(isIndexed ? shape.elements.slice(1) : shape.elements, 32);
  if (type === null) return wrong('elements of one type');
  // If the list begins with an index, ptxas does not check the types of the coordinates after it.
  return isIndexed || types.includes(type) ? [] : wrong(expected);
}

function isElement(shape: Shape): boolean {
  if (shape.kind === 'register') return shape.lanes === 1 && shape.type.width === 32;
  return shape.kind === 'constant' || (shape.kind === 'special' && shape.type.width === 32);
}

function isIndex(shape: Shape): boolean {
  if (shape.kind === 'constant') return shape.constant === 'integer';
  return (shape.kind === 'register' || shape.kind === 'special') && shape.type.name !== '.f32';
}
