/**
 * Binds the operands of a checked instruction to the names by which the instruction's steps refer to them. Engines use
 * these bindings and never look at the operands in the syntax tree, so this file is the only place that determines what
 * each operand is.
 */
import type { Bits } from '../../base/bits.ts';
import type { Variant } from '../../isa/form.ts';
import {
  type CoordinatesPattern,
  type OperandPattern,
  type Role,
  type ValuePattern,
  coordinatesAfterAddress,
} from '../../isa/operand-patterns.ts';
import { coordinatePatterns, listOf, operandType } from '../../isa/variant.ts';
import { vectorLanes } from '../../isa/rules.ts';
import { findRegister, partOfRegister } from '../../isa/find-register.ts';
import type { SpecialRegister } from '../../isa/registers.ts';
import { operandRef, type Ref } from '../../isa/steps/ref.ts';
import { type PtxType, typeOf } from '../../isa/types.ts';
import type { Instruction, OffsetOperand, Operand } from '../../syntax/tree.ts';
import { memberIndex } from '../instructions/shape-table.ts';
import {
  type DeclaredSymbol,
  canonicalRegister,
  type FunctionSymbol,
  type RegisterSymbol,
  type Scope,
  type TargetsSymbol,
  type VariableSymbol,
} from '../symbols.ts';
import { elementAt } from '../../base/element-at.ts';
import { constantBits, floatBits } from './constant-bits.ts';
import { parameterOf } from './handles.ts';

/**
 * One register of a function, or one element of a vector register. If the register belongs to a family, `symbol` is the
 * symbol of the family.
 */
export interface RegisterUse {
  readonly symbol: RegisterSymbol;
  /**
   * The canonical name of the register. Two uses refer to the same register if and only if `symbol`, `register` and
   * `element` agree.
   */
  readonly register: string;
  /** The element of a vector register; null for a scalar. */
  readonly element: number | null;
}

export type Binding =
  | ({
      readonly kind: 'register';
      readonly name: Ref;
      readonly role: Role;
      readonly type: PtxType;
      readonly negated: boolean;
    } & RegisterUse)
  /**
   * `bits` is the constant as a value of `type`; a float constant has already been converted to the width of this type.
   */
  | {
      readonly kind: 'constant';
      readonly name: Ref;
      readonly type: PtxType;
      readonly bits: Bits;
      readonly negated: boolean;
    }
  /**
   * `part` is the index of the element of a special register such as `%tid`; 0 for a special register without elements.
   */
  | {
      readonly kind: 'special';
      readonly name: Ref;
      readonly type: PtxType;
      readonly register: SpecialRegister;
      readonly part: number;
    }
  | { readonly kind: 'sink'; readonly name: Ref }
  | {
      readonly kind: 'symbol-address';
      readonly name: Ref;
      readonly type: PtxType;
      readonly symbol: VariableSymbol | FunctionSymbol;
      readonly offset: bigint;
    }
  | {
      readonly kind: 'address';
      readonly name: Ref;
      readonly base: RegisterUse | VariableSymbol | null;
      readonly offset: bigint;
    }
  | { readonly kind: 'label'; readonly name: Ref; readonly label: string }
  /** The labels in a `.branchtargets` list, in order. */
  | { readonly kind: 'labels'; readonly name: Ref; readonly list: TargetsSymbol };

export interface BoundInstruction {
  readonly node: Instruction;
  readonly variant: Variant;
  readonly guard: (RegisterUse & { readonly negated: boolean }) | null;
  readonly operands: readonly Binding[];
}

/**
 * Binds the operands of an instruction, which must have passed the checker. `scope` must be the scope in which the
 * instruction was checked. Returns null if an operand is the sum of a register and a constant, or an array element
 * whose index is a register. No engine executes instructions with such operands.
 */
export function bindInstruction(node: Instruction, variant: Variant, scope: Scope): BoundInstruction | null {
  if (!isBindable(node, scope)) return null;
  const operands = variant.form.operands.flatMap((pattern, i) =>
    bindPattern(variant, pattern, elementAt(node.operands, i), scope),
  );
  return { node, variant, operands, guard: bindGuard(node, scope) };
}

/** The predicate of `@%p` or `@!%p`; null if the instruction has no guard. */
export function bindGuard({ guard }: Instruction, scope: Scope): BoundInstruction['guard'] {
  const use = guard === null ? null : registerUse(guard.predicate, scope);
  return guard === null || use === null ? null : { ...use, negated: guard.negated };
}

/** Whether an instruction can be bound, which is the case if none of its operands is computed (see `isComputed`). */
export function isBindable({ operands }: Instruction, scope: Scope): boolean {
  return !operands.some((operand) => isComputed(operand, scope));
}

/** Whether an operand is the sum of a register and a constant, or an array element whose index is a register. */
function isComputed(operand: Operand, scope: Scope): boolean {
  if (operand.kind !== 'offset') return false;
  return operand.index !== null || registerUse(operand.base, scope) !== null;
}

function bindPattern(variant: Variant, pattern: OperandPattern, operand: Operand, scope: Scope): readonly Binding[] {
  switch (pattern.kind) {
    case 'value':
      return [bindValue(variant, pattern, operandRef(pattern.name), operand, scope)];
    case 'vector':
      return bindList(variant, pattern.elements, operand, scope);
    case 'registers': {
      const { elements } = listOf(variant, pattern);
      const { alsoRead } = pattern;
      const bound = bindList(variant, elements, operand, scope);
      if (alsoRead === undefined) return bound;
      const before = elements.map(
        (element, i): ValuePattern => ({ ...element, name: `${alsoRead}.${i}`, role: 'read' }),
      );
      return [...bound, ...bindList(variant, before, operand, scope)];
    }
    case 'lanes':
      return bindLanes(variant, pattern.value, operand, scope);
    case 'address':
      return [
        bindAddress(operandRef(pattern.name), operand, scope),
        ...bindCoordinates(variant, pattern.coordinates ?? 0, operand, scope),
      ];
    case 'window':
      return [
        bindValue(
          variant,
          { kind: 'value', name: pattern.name, role: 'read', type: pattern.type },
          operandRef(pattern.name),
          operand,
          scope,
        ),
      ];
    case 'texture':
      return bindTexture(variant, pattern, operand, scope);
    case 'handle':
      return [bindHandle(operandRef(pattern.name), operand, scope)];
    case 'coordinates':
      return bindPoint(variant, pattern, operand, scope);
    case 'tensor':
      return [bindAddress(operandRef(pattern.name), operand, scope)];
    case 'pointer':
      return [bindPointer(operandRef(pattern.name), operand, scope)];
    case 'pair':
      return bindPair(variant, pattern, operand, scope);
    case 'label':
      return [{ kind: 'label', name: operandRef(pattern.name), label: operand.kind === 'name' ? operand.name : '' }];
    case 'table':
      return pattern.of === 'branches' ? [bindLabels(operandRef(pattern.name), operand, scope)] : [];
    case 'list':
    case 'callee':
      // The operands of a call are bound in bind-call.ts, because their bindings depend on the called function.
      return [];
  }
}

function elementOf(operand: Operand, index: number): Operand {
  return operand.kind === 'vector' ? elementAt(operand.elements, index) : operand;
}

/** Lanes are named `d.0`, `d.1`, …, with the first at the lowest address; a single value is `d.0`. */
function bindLanes(variant: Variant, value: ValuePattern, operand: Operand, scope: Scope): readonly Binding[] {
  const count = vectorLanes(variant);
  const lanes = Array.from({ length: count }, (_, lane) => ({ ...value, name: `${value.name}.${lane}` }));
  return count === 1 && operand.kind !== 'vector'
    ? lanes.map((lane) => bindValue(variant, lane, operandRef(lane.name), operand, scope))
    : bindList(variant, lanes, operand, scope);
}

/**
 * Binds the lanes of a list in braces, or of a vector register or special register that is used in place of such a
 * list.
 */
function bindList(
  variant: Variant,
  patterns: readonly ValuePattern[],
  operand: Operand,
  scope: Scope,
): readonly Binding[] {
  return patterns.map((pattern, i): Binding => {
    const { role } = pattern;
    const name = operandRef(pattern.name);
    const type = operandType(variant, pattern.type);
    const element = operand.kind === 'vector' ? elementAt(operand.elements, i) : null;
    if (element?.kind === 'float')
      return { kind: 'constant', name, type, bits: floatBits(type, element), negated: false };
    if (element !== null) return bindValue(variant, pattern, name, element, scope);
    const use = registerUse(operand, scope);
    if (use !== null) return { kind: 'register', name, role, type, negated: false, ...use, element: i };
    return { kind: 'special', name, type, register: specialRegister(operand), part: i };
  });
}

function bindPair(
  variant: Variant,
  { first, second }: Extract<OperandPattern, { readonly kind: 'pair' }>,
  operand: Operand,
  scope: Scope,
): readonly Binding[] {
  if (operand.kind !== 'pair') {
    return [...bindPattern(variant, first, operand, scope), { kind: 'sink', name: operandRef(second.name) }];
  }
  return [
    ...bindPattern(variant, first, operand.first, scope),
    bindValue(variant, second, operandRef(second.name), operand.second, scope),
  ];
}

function bindValue(variant: Variant, pattern: ValuePattern, name: Ref, operand: Operand, scope: Scope): Binding {
  const type = operandType(variant, pattern.type);
  switch (operand.kind) {
    case 'sink':
      return { kind: 'sink', name };
    case 'integer':
      return { kind: 'constant', name, type, bits: constantBits(type, operand.value), negated: false };
    case 'float':
      return { kind: 'constant', name, type, bits: floatBits(type, operand), negated: false };
    case 'unary': {
      const inner = bindValue(variant, pattern, name, operand.operand, scope);
      if (operand.operator === '-') return inner;
      return inner.kind === 'register' || inner.kind === 'constant' ? { ...inner, negated: !inner.negated } : inner;
    }
    default:
      return bindNamed(pattern, type, name, operand, scope);
  }
}

function bindNamed(pattern: ValuePattern, type: PtxType, name: Ref, operand: Operand, scope: Scope): Binding {
  const use = registerUse(operand, scope);
  if (use !== null) return { kind: 'register', name, role: pattern.role, type, negated: false, ...use };
  const base = operand.kind === 'offset' ? operand.base : operand;
  const symbol = base.kind === 'name' ? scope.lookup(base.name) : undefined;
  const offset = operand.kind === 'offset' ? byteOffset(operand, symbol) : 0n;
  if (symbol?.kind === 'variable' || symbol?.kind === 'function')
    return { kind: 'symbol-address', name, type, symbol, offset };
  const part = base.kind === 'member' ? partOfRegister(base.member) : 0;
  return { kind: 'special', name, type, register: specialRegister(base), part: part ?? 0 };
}

function specialRegister(operand: Operand): SpecialRegister {
  const name = operand.kind === 'member' ? operand.base : operand.kind === 'name' ? operand.name : null;
  const found = name === null ? undefined : findRegister(name);
  if (found === undefined) throw new Error(`operand of kind '${operand.kind}' passed the checker but cannot be bound`);
  return found;
}

/**
 * The offset of an operand in bytes. A subscript, as in `name[1]`, counts elements rather than bytes; in an array of
 * vectors, each lane counts as one element.
 */
function byteOffset({ offset, subscript }: OffsetOperand, symbol: DeclaredSymbol | undefined): bigint {
  const isElement = subscript && symbol?.kind === 'variable';
  return isElement ? offset * BigInt(symbol.type.width / 8) : offset;
}

function bindAddress(name: Ref, operand: Operand, scope: Scope): Binding {
  if (operand.kind === 'offset') {
    const symbol = scope.lookup(operand.base.name);
    if (symbol?.kind === 'variable')
      return { kind: 'address', name, base: symbol, offset: byteOffset(operand, symbol) };
  }
  if (operand.kind !== 'address') throw new Error('an address operand that has no brackets passed the checker');
  if (operand.base === null) return { kind: 'address', name, base: null, offset: operand.offset };
  const use = registerUse(operand.base, scope);
  if (use !== null) return { kind: 'address', name, base: use, offset: operand.offset };
  const symbol = operand.base.kind === 'name' ? scope.lookup(operand.base.name) : undefined;
  if (symbol?.kind !== 'variable') throw new Error('an address that has no known base passed the checker');
  return { kind: 'address', name, base: symbol, offset: operand.offset };
}

function bindCoordinates(variant: Variant, count: number, operand: Operand, scope: Scope): readonly Binding[] {
  if (count === 0 || operand.kind !== 'address') return [];
  const [list] = operand.rest;
  if (list === undefined) throw new Error('an address without coordinates passed the checker');
  return coordinatesAfterAddress(count).map((pattern, i) =>
    bindValue(variant, pattern, operandRef(pattern.name), elementOf(list, i), scope),
  );
}

/** Binds `[a, {x, y}]` and `[a, sampler, {x, y}]`. If there is no sampler, the texture is also used as the sampler. */
function bindTexture(
  variant: Variant,
  { name, coordinates }: Extract<OperandPattern, { readonly kind: 'texture' }>,
  operand: Operand,
  scope: Scope,
): readonly Binding[] {
  if (operand.kind !== 'address') throw new Error('a texture operand that has no brackets passed the checker');
  const [first, second] = operand.rest;
  const list = second ?? first;
  if (first === undefined || list === undefined) throw new Error('a texture without coordinates passed the checker');
  const sampler = second === undefined ? operand.base : first;
  if (sampler?.kind !== 'name' && sampler?.kind !== 'member')
    throw new Error('a texture without the handle of a sampler passed the checker');
  return [
    bindHandle(operandRef(name), operand, scope),
    bindHandle('$sampler', { ...operand, base: sampler, offset: second === undefined ? operand.offset : 0n }, scope),
    ...bindPoint(variant, coordinates, list, scope),
  ];
}

/**
 * Binds the handle of a texture, surface or sampler. The address of a variable is its handle. A kernel's parameter
 * contains the handle, so the parameter's address is bound to a different name, which `handleLoads` recognizes.
 */
function bindHandle(name: Ref, operand: Operand, scope: Scope): Binding {
  const bound = bindAddress(name, operand, scope);
  const isParameter =
    bound.kind === 'address' && bound.base !== null && 'space' in bound.base && isOfKernel(bound.base);
  return isParameter ? { ...bound, name: parameterOf(name) } : bound;
}

function isOfKernel({ space }: VariableSymbol): boolean {
  return space === 'kernel parameter';
}

/**
 * Binds a list of coordinates. ptxas also accepts a scalar register instead of a list. The value of this register is
 * then used for every coordinate.
 */
function bindPoint(variant: Variant, pattern: CoordinatesPattern, operand: Operand, scope: Scope): readonly Binding[] {
  const isFloat = (i: number): boolean => operand.kind === 'vector' && operand.elements[i]?.kind === 'float';
  // Unlike constants in other lists, float constants are converted to f32 where f32 numbers are expected.
  const patterns = coordinatePatterns(variant, pattern).map(
    (one, i): ValuePattern => (pattern.types.includes('.f32') && isFloat(i) ? { ...one, type: '.f32' } : one),
  );
  const isScalar = registerUse(operand, scope)?.symbol.lanes === 1;
  return isScalar
    ? patterns.map((one) => bindValue(variant, one, operandRef(one.name), operand, scope))
    : bindList(variant, patterns, operand, scope);
}

/** A pointer register is read at its own width, regardless of the instruction. */
function bindPointer(name: Ref, operand: Operand, scope: Scope): Binding {
  const use = registerUse(operand, scope);
  if (use === null) throw new Error('a pointer operand that is not a register passed the checker');
  const type = typeOf(use.symbol.type.width === 32 ? '.b32' : '.b64');
  return { kind: 'register', name, role: 'read', type, negated: false, ...use };
}

function bindLabels(name: Ref, operand: Operand, scope: Scope): Binding {
  const symbol = operand.kind === 'name' ? scope.lookup(operand.name) : undefined;
  if (symbol?.kind !== 'targets') throw new Error('a branch table that is not a list of labels passed the checker');
  return { kind: 'labels', name, list: symbol };
}

/** The register that an operand refers to; null if the operand is not a register. */
export function registerUse(operand: Operand, scope: Scope): RegisterUse | null {
  const name = operand.kind === 'name' ? operand.name : operand.kind === 'member' ? operand.base : null;
  const symbol = name === null ? undefined : scope.lookup(name);
  if (name === null || symbol?.kind !== 'register') return null;
  const isElement = operand.kind === 'member' && symbol.lanes > 1;
  const element = isElement ? memberIndex(operand.member) : null;
  return { symbol, register: canonicalRegister(symbol, name), element };
}
