/** Matches the address operand `[a]` of loads and stores, and the operands of cvta and isspacep. */
import type { Variant } from '../../isa/form.ts';
import type { OperandPattern } from '../../isa/operand-patterns.ts';
import { operandType } from '../../isa/variant.ts';
import { acceptsRegister, describeRegisters } from '../../isa/operand-rules.ts';
import type { PtxType, TypeName } from '../../isa/types.ts';
import { operand, type Problem, problem } from './problem.ts';
import { addressWith, describeShape } from './describe-shape.ts';
import type { Shape } from './shape.ts';
import { type Subject, wrongKind } from './subject.ts';
import type { VariableSpace } from '../symbols.ts';

type AddressPattern = Extract<OperandPattern, { kind: 'address' }>;

const parameterSpaces: readonly VariableSpace[] = [
  'kernel parameter',
  'input parameter',
  'return parameter',
  'local parameter',
];

/** For each space modifier, the state spaces whose variables an instruction with that modifier can access. */
const reachable: Readonly<Record<string, readonly VariableSpace[]>> = {
  '.global': ['.global'],
  '.shared': ['.shared'],
  '.shared::cta': ['.shared'],
  '.shared::cluster': ['.shared'],
  '.const': ['.const'],
  '.local': ['.local'],
  '.param': parameterSpaces,
  '.param::entry': ['kernel parameter'],
  '.param::func': parameterSpaces,
};

/** An access without a space modifier may refer to a variable by its name if the variable is in one of these spaces. */
const generic: readonly VariableSpace[] = ['.global', '.shared', '.local'];

function spaceOf(variant: Variant): string | null {
  return variant.modifiers['space'] ?? null;
}

/** True for integer and bit-size types. */
export function holdsInteger({ class: kind }: PtxType): boolean {
  return kind === 'signed' || kind === 'unsigned' || kind === 'bits';
}

/**
 * True if registers of this type can hold an address. This is the case for 32-bit and 64-bit integer and bit-size
 * types.
 */
export function holdsAddress(type: PtxType): boolean {
  return holdsInteger(type) && (type.width === 32 || type.width === 64);
}

/**
 * True for the types of registers that ptxas accepts as an address. The address of a tensor map can have any type
 * except predicates. Any other address must be an integer of at most 64 bits that is not narrower than the pattern's
 * limit, `least`.
 */
function takesRegister({ coordinates, least }: AddressPattern, space: string | null, type: PtxType): boolean {
  if (coordinates !== undefined) return type.class !== 'predicate';
  const applies = least !== undefined && (least.generic !== true || space === null);
  return holdsInteger(type) && type.width <= 64 && type.width >= (applies ? least.bits : 8);
}

/** Matches `[a]` in a load or store. */
export function matchAddress(
  subject: Subject,
  pattern: AddressPattern,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const { name, access } = pattern;
  const isElement = pattern.element === true && shape.kind === 'variable' && shape.subscript;
  if (!isElement && (shape.kind !== 'address' || !coordinatesFit(pattern.coordinates, shape.rest)))
    return [wrongKind(subject, name, shape, [index], describeExpected(pattern.coordinates))];
  const space = pattern.space ?? spaceOf(subject.variant);
  const base = shape.kind === 'address' ? shape.base : shape;
  const problems = base === null ? matchImmediate(space, index) : matchBase(subject, pattern, space, base, index);
  if (problems.length > 0) return problems;
  return access === 'load' ? readable(base, index) : writable(space, base, index);
}

/**
 * True if the right number of coordinates follows the base in the brackets. If no coordinates are expected, nothing may
 * follow the base.
 */
function coordinatesFit(count: number | undefined, rest: readonly Shape[]): boolean {
  if (count === undefined) return rest.length === 0;
  const [list] = rest;
  if (rest.length !== 1 || list === undefined) return false;
  if (list.kind === 'register') return list.lanes > 1 && list.lanes === count && holdsInteger(list.type);
  if (list.kind !== 'vector' || list.elements.length !== count) return false;
  return list.elements.every((element) => isCoordinate(element, count));
}

/** ptxas accepts floats as coordinates if there are several coordinates, but not if there is only one. */
function isCoordinate(shape: Shape, count: number): boolean {
  if (shape.kind === 'unknown') return true;
  if (shape.kind === 'constant') return shape.constant === 'integer';
  if (shape.kind !== 'register' || shape.lanes > 1 || shape.type.width !== 32) return false;
  return holdsInteger(shape.type) || (count > 1 && shape.type.class !== 'predicate');
}

function describeExpected(count: number | undefined): string {
  return count === undefined ? 'an address in brackets' : addressWith(count, ' of 32 bits');
}

function matchImmediate(space: string | null, index: number): readonly Problem[] {
  return space === '.local' ? [] : [problem('PTX5013', operand(index), {})];
}

function matchBase(
  subject: Subject,
  pattern: AddressPattern,
  space: string | null,
  base: Shape,
  index: number,
): readonly Problem[] {
  const parameters = { name: pattern.name, what: subject.what, opcode: subject.opcode, found: describeShape(base) };
  if (base.kind === 'unknown') return [];
  if (base.kind === 'register' && base.lanes === 1 && takesRegister(pattern, space, base.type)) return [];
  if (base.kind === 'variable') {
    if (!(space === null ? generic : (reachable[space] ?? [])).includes(base.space))
      return [problem('PTX5011', operand(index), { ...parameters, expected: space ?? 'generic' })];
    if (pattern.unnamed !== undefined && pattern.unnamed === space)
      return [problem('PTX5015', operand(index), { ...parameters, expected: `a register, because of ${space}` })];
    if (base.opaque === null || pattern.plain !== true) return [];
    return [problem('PTX5015', operand(index), { ...parameters, expected: 'a register, or a variable with a value' })];
  }
  const expected = `a ${pattern.least?.bits === 64 ? '' : '32-bit or '}64-bit register, or a variable`;
  return [problem('PTX5015', operand(index), { ...parameters, expected })];
}

function readable(base: Shape | null, index: number): readonly Problem[] {
  const isReturned = base?.kind === 'variable' && (base.takenFor ?? base.space) === 'return parameter';
  return isReturned ? [problem('PTX5018', operand(index), { found: describeShape(base) })] : [];
}

function writable(space: string | null, base: Shape | null, index: number): readonly Problem[] {
  if (space === '.const') return [problem('PTX5012', operand(index), { found: 'constant memory' })];
  if (space === '.param::entry') return [problem('PTX5012', operand(index), { found: 'kernel parameter space' })];
  if (base?.kind !== 'variable') return [];
  const taken = base.takenFor ?? base.space;
  const readOnly = taken === '.const' || taken === 'kernel parameter' || taken === 'input parameter';
  return readOnly ? [problem('PTX5012', operand(index), { found: describeShape(base) })] : [];
}

/**
 * Matches the source of cvta. This is a register whose width is exactly the address size or, if variables are allowed,
 * a variable in the state space to which the instruction applies.
 */
export function matchWindow(
  subject: Subject,
  pattern: Extract<OperandPattern, { kind: 'window' }>,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const type = operandType(subject.variant, pattern.type);
  const { name, variables } = pattern;
  const parameters = { name, what: subject.what, opcode: subject.opcode, found: describeShape(shape) };
  if (shape.kind === 'unknown') return [];
  if (shape.kind === 'register' && shape.lanes === 1) {
    if (acceptsRegister(type, shape.type, 'exact')) return [];
    return [problem('PTX3004', operand(index), { ...parameters, expected: describeRegisters(type, 'exact') })];
  }
  if (shape.kind === 'register-offset' && holdsInteger(shape.type)) return [];
  if (pattern.constants === true && shape.kind === 'constant' && shape.constant === 'integer') return [];
  if (shape.kind !== 'variable' || !variables) {
    const expected = variables ? 'a register or a variable in the space' : 'a register';
    return [problem('PTX5015', operand(index), { ...parameters, expected })];
  }
  if (shape.space === 'local parameter') return [problem('PTX5014', operand(index), { found: describeShape(shape) })];
  const space = pattern.space ?? spaceOf(subject.variant) ?? '';
  if (takesAddress(space).includes(shape.space)) return [];
  return [problem('PTX5011', operand(index), { ...parameters, expected: space })];
}

/**
 * The state spaces of the variables that `cvta` accepts with this space modifier. A `cvta` with `.param::entry` also
 * accepts parameters of functions.
 */
function takesAddress(space: string): readonly VariableSpace[] {
  return space.startsWith('.param') ? parameterSpaces : (reachable[space] ?? []);
}

const words: readonly TypeName[] = ['.b32', '.u32', '.s32', '.f16x2'];

/** Matches an address in tensor memory. */
export function matchTensor(
  subject: Subject,
  pattern: Extract<OperandPattern, { kind: 'tensor' }>,
  shape: Shape,
  index: number,
): readonly Problem[] {
  const { name, types } = pattern;
  if (shape.kind !== 'address' || shape.rest.length > 0)
    return [wrongKind(subject, name, shape, [index], 'an address of tensor memory in brackets')];
  const { base } = shape;
  const isVector = base?.kind === 'register' && base.lanes > 1;
  if (isVector) return [wrongKind(subject, name, base, [index], 'one register')];
  if (base?.kind === 'unknown') return [];
  const type = base?.kind === 'register' || base?.kind === 'register-offset' ? base.type.name : null;
  if (type === null ? types === undefined : (types ?? words).includes(type)) return [];
  const expected = types?.length === 1 ? `a ${types[0]} register` : 'a 32-bit register';
  const found = base === null ? 'a constant' : describeShape(base);
  return [problem('PTX5015', operand(index), { name, what: subject.what, opcode: subject.opcode, found, expected })];
}

/** Matches the source of isspacep. */
export function matchPointer(subject: Subject, name: string, shape: Shape, index: number): readonly Problem[] {
  if (shape.kind === 'unknown') return [];
  if (shape.kind === 'register-offset' && holdsAddress(shape.type)) return [];
  if (shape.kind === 'register' && shape.lanes === 1 && holdsAddress(shape.type)) return [];
  const parameters = { name, what: subject.what, opcode: subject.opcode, found: describeShape(shape) };
  return [problem('PTX5015', operand(index), { ...parameters, expected: 'a 32-bit or 64-bit register' })];
}
