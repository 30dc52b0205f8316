/** Matches textures and surfaces, and coordinates in them. */
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Texmode } from '../availability.ts';
import { elementAt } from '../../base/element-at.ts';
import { joinWords } from '../../base/join-words.ts';
import type { CoordinatesPattern, OperandPattern } from '../../isa/operand-patterns.ts';
import type { Variant } from '../../isa/form.ts';
import { leastCoordinates } from '../../isa/variant.ts';
import { describeShape } from './describe-shape.ts';
import { holdsInteger } from './match-address.ts';
import { mixesComponents } from './match-list.ts';
import { joinedType } from './match-registers.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';

type AddressShape = Extract<Shape, { readonly kind: 'address' }>;
type TexturePattern = Extract<OperandPattern, { readonly kind: 'texture' }>;
type HandlePattern = Extract<OperandPattern, { readonly kind: 'handle' }>;

/** Matches `[a, {x, y}]` and `[a, s, {x, y}]`. */
export function matchTexture(
  subject: Subject,
  pattern: TexturePattern,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const { name, coordinates, of } = pattern;
  if (shape.kind === 'unknown') return [];
  const { samplers, expected } = expectedOf(subject, pattern);
  if (shape.kind !== 'address' || !samplers.includes(shape.rest.length - 1))
    return [wrongKind(subject, name, shape, [index], expected)];
  const last = elementAt(shape.rest, shape.rest.length - 1);
  return [
    ...matchBase(subject, { name, of }, shape.base, index),
    ...(shape.rest.length === 2 ? matchSampler(subject, elementAt(shape.rest, 0), index) : []),
    ...matchCoordinates(subject, coordinates, last, index),
  ];
}

/**
 * The version and target requirements of a texture or surface operand. Only operands that include a sampler, or whose
 * handle is in a register, have such requirements.
 */
export function needsOfTexture(
  { indirect, sampled }: TexturePattern,
  { base, rest }: AddressShape,
  texmode: Texmode,
): readonly AvailabilityRow[] {
  const [sampler] = rest.length === 2 ? rest : [];
  const isIndirect = base?.kind === 'register';
  const needs = isIndirect ? [indirect] : [];
  if (sampled === undefined || sampler === undefined) return needs;
  const asVariables = texmode === 'independent' && !isIndirect && sampler.kind !== 'register';
  return asVariables ? needs : [...needs, sampled];
}

/**
 * The version and target requirements of a handle in a register. ptxas does not check queries of separate textures and
 * samplers.
 */
export function needsOfHandle(
  { indirect, of }: HandlePattern,
  { base }: AddressShape,
  texmode: Texmode,
): readonly AvailabilityRow[] {
  const isQuery = of !== '.surfref' && texmode === 'independent';
  return base?.kind === 'register' && !isQuery ? [indirect] : [];
}

/** The possible numbers of samplers between the texture and the coordinates, and how messages describe the operand. */
function expectedOf(
  { texmode, variant }: Subject,
  { of, sampled, unsampled = [], coordinates }: TexturePattern,
): { readonly samplers: readonly number[]; readonly expected: string } {
  const alone = `a ${of} and coordinates in brackets`;
  if (sampled === undefined) return { samplers: [0], expected: alone };
  const because = 'because .target says texmode_independent';
  if (texmode === 'independent')
    return { samplers: [1], expected: `a ${of}, a .samplerref and coordinates in brackets, ${because}` };
  if (!unsampled.includes(geometryOf(variant, coordinates) ?? '')) return { samplers: [0, 1], expected: alone };
  return { samplers: [0], expected: `${alone}, because .target does not say texmode_independent` };
}

function matchSampler(subject: Subject, sampler: Shape, index: number): readonly Problem[] {
  const types = subject.texmode === 'independent' ? ['.samplerref'] : ['.samplerref', '.texref'];
  if (isHandle(sampler, types)) return [];
  return [wrongKind(subject, 'sampler', sampler, [index], 'a .samplerref variable or a 64-bit register')];
}

/** Matches `[a]`. */
export function matchHandle(subject: Subject, pattern: HandlePattern, shape: Shape, index: number): readonly Problem[] {
  const { name } = pattern;
  const of = subject.texmode === 'independent' && pattern.separate === true ? '.samplerref' : pattern.of;
  if (shape.kind === 'unknown') return [];
  if (shape.kind !== 'address' || shape.rest.length > 0)
    return [wrongKind(subject, name, shape, [index], `a ${of} in brackets`)];
  return matchBase(subject, { name, of }, shape.base, index);
}

function matchBase(
  subject: Subject,
  { name, of }: Pick<HandlePattern, 'name' | 'of'>,
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
  if (shape.kind === 'variable' && shape.offset) return false;
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
  const { name, types, exact = false, indexed = [] } = pattern;
  const wrong = (expected: string): readonly Problem[] => [
    wrongKind({ variant, ...subject }, name, shape, [index], expected),
  ];
  if (shape.kind === 'unknown') return [];
  const geometry = geometryOf(variant, pattern);
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
  if (mixesComponents(shape.elements)) return wrong('a list without constants, because it contains a special register');
  if (!shape.elements.every(isElement)) return wrong('a list of 32-bit registers and constants');
  const isIndexed = geometry !== undefined && indexed.includes(geometry);
  if (isIndexed && !isIndex(elementAt(shape.elements, 0)))
    return wrong('a 32-bit index as the first element of the list');
  const type = joinedType(isIndexed ? shape.elements.slice(1) : shape.elements);
  if (type === null) return wrong('elements of one type');
  // If the list begins with an index, ptxas does not check the types of the coordinates after it.
  return isIndexed || types.includes(type) ? [] : wrong(expected);
}

function geometryOf({ modifiers }: Variant, { least }: CoordinatesPattern): string | undefined {
  return Object.values(modifiers).find((word) => least[word] !== undefined);
}

function isElement(shape: Shape): boolean {
  if (shape.kind === 'register') return shape.lanes === 1 && shape.type.width === 32;
  return shape.kind === 'constant' || (shape.kind === 'special' && shape.type.width === 32);
}

function isIndex(shape: Shape): boolean {
  if (shape.kind === 'constant') return shape.constant === 'integer';
  return (shape.kind === 'register' || shape.kind === 'special') && shape.type.name !== '.f32';
}
