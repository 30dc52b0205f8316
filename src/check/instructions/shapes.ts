/**
 * The shape of an operand: what it is, without its name. Legality depends only on this part. Shapes are interned, so
 * that a verdict can be cached by the shapes of an instruction's operands.
 */
import type { ConstantKind } from '../../isa/operand-rules.ts';
import type { AvailabilityRow } from '../../isa/form.ts';
import { findRegister, availabilityOfRegister, partOfRegister } from '../../isa/find-register.ts';
import type { SpecialRegister } from '../../isa/registers.ts';
import { type PtxType, typeOf } from '../../isa/types.ts';
import type { OffsetOperand, Operand } from '../../syntax/tree.ts';
import type { DeclaredSymbol, FormalSpace, Scope, VariableSpace } from '../symbols.ts';

type ShapeData =
  | { readonly kind: 'register'; readonly type: PtxType; readonly lanes: number }
  /** `least`: the instruction may read fewer bits than the type has, down to this many. */
  | {
      readonly kind: 'special' | 'special-vector';
      readonly type: PtxType;
      readonly least: number;
      readonly availability: AvailabilityRow | null;
    }
  | { readonly kind: 'constant'; readonly constant: ConstantKind }
  | {
      readonly kind: 'variable';
      readonly space: VariableSpace;
      /** As in `VariableSymbol`. */
      readonly takenFor: FormalSpace | null;
      readonly offset: boolean;
      /** True for an element, `name[1]`. */
      readonly subscript: boolean;
    }
  | { readonly kind: 'register-offset'; readonly type: PtxType }
  /** `name[1]` if the name is not an array. */
  | { readonly kind: 'wrong-subscript' }
  | { readonly kind: 'function'; readonly offset: boolean; readonly entry: boolean }
  | { readonly kind: 'label' }
  | { readonly kind: 'table'; readonly of: 'branches' | 'calls' }
  | { readonly kind: 'unknown' }
  /** Bytes or halves of a register, for video instructions: `%r1.b3`. */
  | { readonly kind: 'part'; readonly register: Shape; readonly selector: string }
  | { readonly kind: 'sink' }
  | { readonly kind: 'unary'; readonly operator: '!' | '-' | '~'; readonly operand: Shape }
  | { readonly kind: 'vector'; readonly elements: readonly Shape[] }
  | { readonly kind: 'list'; readonly elements: readonly Shape[] }
  | { readonly kind: 'pair'; readonly first: Shape; readonly second: Shape }
  /** `rest`: the contents of the brackets after the base. */
  | { readonly kind: 'address'; readonly base: Shape | null; readonly rest: readonly Shape[] };

/** An interned shape: equal shapes are the same object. `undeclared` is true if some name in it is not declared. */
export type Shape = ShapeData & { readonly id: number; readonly undeclared: boolean };

const interned = new Map<string, Shape>();

function intern(key: string, data: ShapeData): Shape {
  const known = interned.get(key);
  if (known !== undefined) return known;
  const shape: Shape = { ...data, id: interned.size, undeclared: isUndeclared(data) };
  interned.set(key, shape);
  return shape;
}

function isUndeclared(data: ShapeData): boolean {
  switch (data.kind) {
    case 'unknown':
      return true;
    case 'unary':
      return data.operand.undeclared;
    case 'vector':
    case 'list':
      return data.elements.some((element) => element.undeclared);
    case 'pair':
      return data.first.undeclared || data.second.undeclared;
    case 'address':
      return data.base?.undeclared === true || data.rest.some((element) => element.undeclared);
    case 'part':
      return data.register.undeclared;
    default:
      return false;
  }
}

const unknown = intern('unknown', { kind: 'unknown' });
const sink = intern('sink', { kind: 'sink' });
const integer = intern('integer', { kind: 'constant', constant: 'integer' });
const floats: Readonly<Record<Exclude<ConstantKind, 'integer'>, Shape>> = {
  '0f': intern('float 0f', { kind: 'constant', constant: '0f' }),
  '0d': intern('float 0d', { kind: 'constant', constant: '0d' }),
  decimal: intern('float decimal', { kind: 'constant', constant: 'decimal' }),
};
const functionShape = intern('function', { kind: 'function', offset: false, entry: false });
const kernelShape = intern('kernel', { kind: 'function', offset: false, entry: true });
const labelShape = intern('label', { kind: 'label' });
const branchTable = intern('table branches', { kind: 'table', of: 'branches' });
const callTable = intern('table calls', { kind: 'table', of: 'calls' });

/** No instruction accepts longer vectors. A longer one is always rejected and must not fill the memory. */
const longestList = 32;

/** The shape of an operand, with names looked up in `scope`. Undeclared names have the shape `unknown`. */
export function shapeOf(operand: Operand, scope: Scope): Shape {
  switch (operand.kind) {
    case 'name':
      return shapeOfName(operand.name, scope);
    case 'member':
      return shapeOfMember(operand.base, operand.member, scope);
    case 'integer':
      return integer;
    case 'float':
      return floats[operand.form];
    case 'sink':
      return sink;
    case 'offset':
      return operand.subscript ? shapeOfElement(operand, scope) : withOffset(shapeOf(operand.base, scope));
    case 'unary': {
      const inner = shapeOf(operand.operand, scope);
      return intern(`${operand.operator} ${inner.id}`, { kind: 'unary', operator: operand.operator, operand: inner });
    }
    case 'vector':
    case 'list': {
      const elements = operand.elements.slice(0, longestList).map((element) => shapeOf(element, scope));
      return internList(operand.kind, elements);
    }
    case 'pair': {
      const first = shapeOf(operand.first, scope);
      const second = shapeOf(operand.second, scope);
      return intern(`pair ${first.id} ${second.id}`, { kind: 'pair', first, second });
    }
    case 'address': {
      const base = operand.base === null ? null : shapeOf(operand.base, scope);
      return operand.rest.length === 0 ? plainAddress(base) : longAddress(base, operand.rest, scope);
    }
  }
}

const plainAddresses: (Shape | undefined)[] = [];

function plainAddress(base: Shape | null): Shape {
  if (base === null) return intern('address none', { kind: 'address', base, rest: [] });
  const known = plainAddresses[base.id];
  if (known !== undefined) return known;
  const made = intern(`address ${base.id}`, { kind: 'address', base, rest: [] });
  plainAddresses[base.id] = made;
  return made;
}

/** Coordinates after the base, as in texture operands. */
function longAddress(base: Shape | null, operands: readonly Operand[], scope: Scope): Shape {
  const rest = operands.slice(0, longestList).map((element) => shapeOf(element, scope));
  const key = `address ${base?.id ?? 'none'} ${rest.map((element) => element.id).join(' ')}`;
  return intern(key, { kind: 'address', base, rest });
}

function internList(kind: 'vector' | 'list', elements: readonly Shape[]): Shape {
  return intern(`${kind} ${elements.map((element) => element.id).join(' ')}`, { kind, elements });
}

/** The shape of a name alone. */
export function shapeOfName(name: string, scope: Scope): Shape {
  const symbol = scope.lookup(name);
  if (symbol !== undefined) return shapeOfSymbol(symbol);
  const found = findRegister(name);
  if (found === undefined) return unknown;
  return special(found, found.isVector ? 'special-vector' : 'special');
}

function special(found: SpecialRegister, kind: 'special' | 'special-vector'): Shape {
  const type = typeOf(found.type);
  const least = found.least ?? type.width;
  const availability = availabilityOfRegister(found);
  return intern(`${kind} ${type.name} ${least} ${availability?.subject}`, { kind, type, least, availability });
}

/** The requirements of the special registers in an operand. */
export function availabilityOf(shape: Shape): readonly AvailabilityRow[] {
  switch (shape.kind) {
    case 'special':
    case 'special-vector':
      return shape.availability === null ? [] : [shape.availability];
    case 'vector':
    case 'list':
      return shape.elements.flatMap(availabilityOf);
    default:
      return [];
  }
}

/** True if the operand names a variable in `.shared` or a function. */
export function reachesShared(shape: Shape): boolean {
  switch (shape.kind) {
    case 'variable':
      return shape.space === '.shared';
    case 'function':
      return true;
    case 'address':
      return shape.base !== null && reachesShared(shape.base);
    case 'vector':
    case 'list':
      return shape.elements.some(reachesShared);
    default:
      return false;
  }
}

function shapeOfMember(base: string, member: string, scope: Scope): Shape {
  const symbol = scope.lookup(base);
  if (symbol === undefined) {
    const found = findRegister(base);
    if (found?.isVector === true && partOfRegister(member) !== null) return special(found, 'special');
    return isSelector(member) ? partOf(unknown, member) : unknown;
  }
  if (symbol.kind !== 'register') return unknown;
  if (symbol.lanes === 1) return isSelector(member) ? partOf(register(symbol.type, 1), member) : unknown;
  return memberIndex(member) < symbol.lanes ? register(symbol.type, 1) : unknown;
}

/** True for the words that follow registers in video instructions: `.b3`, `.h10`, `.b7654`. */
function isSelector(member: string): boolean {
  return /^\.(b[0-7]{1,4}|h[0-3]{1,2})$/.test(member);
}

function partOf(whole: Shape, selector: string): Shape {
  return intern(`part ${whole.id} ${selector}`, { kind: 'part', register: whole, selector });
}

/** 0 to 3 for `.x` to `.w` and `.r` to `.a`; for other words, an index beyond every vector. */
export function memberIndex(member: string): number {
  const at = '.x.y.z.w.r.g.b.a'.indexOf(member);
  return at < 0 || member.length !== 2 ? 99 : (at / 2) % 4;
}

/** Shapes of registers by the type's row and the lanes: nearly all operands. */
const registers: (Shape | undefined)[] = [];

function register(type: PtxType, lanes: number): Shape {
  const slot = type.index * 5 + lanes;
  const known = registers[slot];
  if (known !== undefined) return known;
  const made = intern(`register ${type.name} ${lanes}`, { kind: 'register', type, lanes });
  registers[slot] = made;
  return made;
}

function shapeOfSymbol(symbol: DeclaredSymbol): Shape {
  switch (symbol.kind) {
    case 'register':
      return register(symbol.type, symbol.lanes);
    case 'variable':
      return variable(symbol, false);
    case 'function':
      return symbol.entry ? kernelShape : functionShape;
    case 'label':
      return labelShape;
    case 'targets':
      return symbol.of === 'branches' ? branchTable : callTable;
    case 'prototype':
      return callTable;
  }
}

/** Shapes of variables without an offset, by their space. */
const plainVariables = new Map<VariableSpace, Shape>();

function variable(
  { space, takenFor }: { readonly space: VariableSpace; readonly takenFor: FormalSpace | null },
  offset: boolean,
  subscript = false,
): Shape {
  const isPlain = !offset && takenFor === null && !subscript;
  const known = isPlain ? plainVariables.get(space) : undefined;
  if (known !== undefined) return known;
  const key = `variable ${space} ${takenFor} ${offset} ${subscript}`;
  const made = intern(key, { kind: 'variable', space, takenFor, offset, subscript });
  if (isPlain) plainVariables.set(space, made);
  return made;
}

/** `name[1]`, and with a register as its index. */
function shapeOfElement({ base, index }: OffsetOperand, scope: Scope): Shape {
  const symbol = scope.lookup(base.name);
  if (symbol === undefined || (index !== null && scope.lookup(index.name) === undefined)) return unknown;
  if (symbol.kind !== 'variable' || symbol.variable.dimensions.length === 0)
    return intern('wrong-subscript', { kind: 'wrong-subscript' });
  return variable(symbol, true, true);
}

function withOffset(base: Shape): Shape {
  if (base.kind === 'variable') return variable(base, true);
  if (base.kind === 'function') return intern('function+', { kind: 'function', offset: true, entry: base.entry });
  if (base.kind === 'register')
    return intern(`register+ ${base.type.name}`, { kind: 'register-offset', type: base.type });
  return unknown;
}

function describeVariable(space: VariableSpace): string {
  if (space.startsWith('.')) return `a variable in ${space}`;
  return space === 'input parameter' ? `an ${space}` : `a ${space}`;
}

/** Describes a shape for messages. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'register':
      return shape.lanes === 1 ? `a ${shape.type.name} register` : `a .v${shape.lanes} ${shape.type.name} register`;
    case 'special':
      return `a special register of type ${shape.type.name}`;
    case 'special-vector':
      return 'a special register without its element (.x, .y, .z)';
    case 'constant':
      return shape.constant === 'integer' ? 'an integer constant' : describeFloat(shape.constant);
    case 'variable':
      return describeVariable(shape.takenFor ?? shape.space);
    case 'register-offset':
      return 'a register with an offset';
    case 'wrong-subscript':
      return 'an index into something that is not an array';
    case 'function':
      return shape.entry ? 'a kernel' : 'a function';
    case 'label':
      return 'a label';
    case 'table':
      return shape.of === 'branches' ? 'a list of branch targets' : 'a prototype or list of targets of calls';
    case 'unknown':
      return 'an undeclared name';
    case 'part':
      return `part ${shape.selector} of a register`;
    case 'sink':
      return "'_'";
    case 'unary':
      return `'${shape.operator}' before ${describeShape(shape.operand)}`;
    case 'vector':
      return `a vector of ${shape.elements.length}`;
    case 'list':
      return 'a parenthesised list';
    case 'pair':
      return 'a pair';
    case 'address':
      return 'an address in brackets';
  }
}

function describeFloat(kind: ConstantKind): string {
  return kind === 'decimal' ? 'a decimal float constant' : `a ${kind} float constant`;
}
