/**
 * Reduces operands to shapes. Operands with equal shapes share one shape object, and all shapes are numbered, starting
 * from 0.
 */
import { findRegister, availabilityOfRegister, partOfRegister } from '../../isa/find-register.ts';
import type { ConstantKind } from '../../isa/operand-rules.ts';
import type { SpecialRegister } from '../../isa/registers.ts';
import { opaqueTypes, type PtxType, typeOf } from '../../isa/types.ts';
import type { OffsetOperand, Operand, Variable } from '../../syntax/tree.ts';
import type { DeclaredSymbol, FormalSpace, Scope, VariableSpace } from '../symbols.ts';
import { isUndeclared, type Shape, type ShapeData } from './shape.ts';

/**
 * The maximum number of vector elements in a shape, which is more than any instruction accepts. Further elements are
 * ignored, so that long vectors in hostile input do not use up memory.
 */
const longestList = 129;

export class ShapeTable {
  private readonly interned = new Map<string, Shape>();
  private readonly unknown = this.intern('unknown', { kind: 'unknown' });
  private readonly sink = this.intern('sink', { kind: 'sink' });
  private readonly constants: Readonly<Record<ConstantKind, Shape>> = {
    integer: this.intern('integer', { kind: 'constant', constant: 'integer' }),
    '0f': this.intern('float 0f', { kind: 'constant', constant: '0f' }),
    '0d': this.intern('float 0d', { kind: 'constant', constant: '0d' }),
    decimal: this.intern('float decimal', { kind: 'constant', constant: 'decimal' }),
  };
  private readonly fn = this.intern('function', { kind: 'function', offset: false, entry: false });
  private readonly kernel = this.intern('kernel', { kind: 'function', offset: false, entry: true });
  private readonly label = this.intern('label', { kind: 'label' });
  private readonly branchTable = this.intern('table branches', { kind: 'table', of: 'branches' });
  private readonly callTable = this.intern('table calls', { kind: 'table', of: 'calls' });
  /**
   * Shapes of registers, indexed by the position of the register's type in the table of types and by the number of
   * lanes. Nearly all operands are registers.
   */
  private readonly registers: (Shape | undefined)[] = [];
  /** Shapes of variables without an offset, by space. */
  private readonly plainVariables = new Map<VariableSpace, Shape>();
  /** Shapes of addresses that consist only of a base, indexed by the id of the shape of the base. */
  private readonly plainAddresses: (Shape | undefined)[] = [];

  get size(): number {
    return this.interned.size;
  }

  /** The shape of an operand, with names looked up in `scope`. Undeclared names have the shape `unknown`. */
  of(operand: Operand, scope: Scope): Shape {
    switch (operand.kind) {
      case 'name':
        return this.ofName(operand.name, scope);
      case 'member':
        return this.member(operand.base, operand.member, scope);
      case 'integer':
        return this.constants.integer;
      case 'float':
        return this.constants[operand.form];
      case 'sink':
        return this.sink;
      case 'offset':
        return operand.subscript ? this.element(operand, scope) : this.withOffset(this.of(operand.base, scope));
      case 'unary': {
        const { operator } = operand;
        const inner = this.of(operand.operand, scope);
        return this.intern(`${operator} ${inner.id}`, { kind: 'unary', operator, operand: inner });
      }
      case 'vector':
      case 'list': {
        const elements = operand.elements.slice(0, longestList).map((element) => this.of(element, scope));
        return this.intern(`${operand.kind} ${idsOf(elements)}`, { kind: operand.kind, elements });
      }
      case 'pair': {
        const first = this.of(operand.first, scope);
        const second = this.of(operand.second, scope);
        return this.intern(`pair ${first.id} ${second.id}`, { kind: 'pair', first, second });
      }
      case 'address': {
        const base = operand.base === null ? null : this.of(operand.base, scope);
        return operand.rest.length === 0 ? this.plainAddress(base) : this.longAddress(base, operand.rest, scope);
      }
    }
  }

  /** The shape of an operand that consists only of a name. */
  ofName(name: string, scope: Scope): Shape {
    const symbol = scope.lookup(name);
    if (symbol !== undefined) return this.symbol(symbol);
    const found = findRegister(name);
    if (found === undefined) return this.unknown;
    return this.special(found, found.isVector ? 'special-vector' : 'special');
  }

  private intern(key: string, data: ShapeData): Shape {
    const known = this.interned.get(key);
    if (known !== undefined) return known;
    const shape: Shape = { ...data, id: this.interned.size, undeclared: isUndeclared(data) };
    this.interned.set(key, shape);
    return shape;
  }

  private plainAddress(base: Shape | null): Shape {
    if (base === null) return this.intern('address none', { kind: 'address', base, rest: [] });
    const known = this.plainAddresses[base.id];
    if (known !== undefined) return known;
    const made = this.intern(`address ${base.id}`, { kind: 'address', base, rest: [] });
    this.plainAddresses[base.id] = made;
    return made;
  }

  /** The shape of an address with coordinates after the base, as in texture operands. */
  private longAddress(base: Shape | null, operands: readonly Operand[], scope: Scope): Shape {
    const rest = operands.slice(0, longestList).map((element) => this.of(element, scope));
    return this.intern(`address ${base?.id ?? 'none'} ${idsOf(rest)}`, { kind: 'address', base, rest });
  }

  private special(found: SpecialRegister, kind: 'special' | 'special-vector'): Shape {
    const type = typeOf(found.type);
    const least = found.least ?? type.width;
    const availability = availabilityOfRegister(found);
    return this.intern(`${kind} ${type.name} ${least} ${availability?.subject}`, { kind, type, least, availability });
  }

  private member(base: string, member: string, scope: Scope): Shape {
    const symbol = scope.lookup(base);
    if (symbol === undefined) {
      const found = findRegister(base);
      if (found?.isVector === true && partOfRegister(member) !== null) return this.special(found, 'special');
      return isSelector(member) ? this.part(this.unknown, member) : this.unknown;
    }
    if (symbol.kind !== 'register') return this.unknown;
    if (symbol.lanes === 1) return isSelector(member) ? this.part(this.register(symbol.type, 1), member) : this.unknown;
    return memberIndex(member) < symbol.lanes ? this.register(symbol.type, 1) : this.unknown;
  }

  private part(whole: Shape, selector: string): Shape {
    return this.intern(`part ${whole.id} ${selector}`, { kind: 'part', register: whole, selector });
  }

  private register(type: PtxType, lanes: number): Shape {
    const slot = type.index * 5 + lanes;
    const known = this.registers[slot];
    if (known !== undefined) return known;
    const made = this.intern(`register ${type.name} ${lanes}`, { kind: 'register', type, lanes });
    this.registers[slot] = made;
    return made;
  }

  private symbol(symbol: DeclaredSymbol): Shape {
    switch (symbol.kind) {
      case 'register':
        return this.register(symbol.type, symbol.lanes);
      case 'variable':
        return this.variable(symbol, opaqueTypeOf(symbol.variable), false);
      case 'function':
        return symbol.entry ? this.kernel : this.fn;
      case 'label':
        return this.label;
      case 'targets':
        return symbol.of === 'branches' ? this.branchTable : this.callTable;
      case 'prototype':
        return this.callTable;
    }
  }

  private variable(
    { space, takenFor }: { readonly space: VariableSpace; readonly takenFor: FormalSpace | null },
    opaque: string | null,
    offset: boolean,
    subscript = false,
  ): Shape {
    const isPlain = !offset && takenFor === null && !subscript && opaque === null;
    const known = isPlain ? this.plainVariables.get(space) : undefined;
    if (known !== undefined) return known;
    const key = `variable ${space} ${takenFor} ${offset} ${subscript} ${opaque}`;
    const made = this.intern(key, { kind: 'variable', space, takenFor, offset, subscript, opaque });
    if (isPlain) this.plainVariables.set(space, made);
    return made;
  }

  /** The shape of `name[1]` or `name[%r]`. */
  private element({ base, index }: OffsetOperand, scope: Scope): Shape {
    const symbol = scope.lookup(base.name);
    if (symbol === undefined || (index !== null && scope.lookup(index.name) === undefined)) return this.unknown;
    if (symbol.kind !== 'variable' || symbol.variable.dimensions.length === 0)
      return this.intern('wrong-subscript', { kind: 'wrong-subscript' });
    return this.variable(symbol, null, true, true);
  }

  private withOffset(base: Shape): Shape {
    switch (base.kind) {
      case 'variable':
        return this.variable(base, base.opaque, true);
      case 'function':
        return this.intern(`function+ ${base.entry}`, { kind: 'function', offset: true, entry: base.entry });
      case 'register':
        return this.intern(`register+ ${base.type.name}`, { kind: 'register-offset', type: base.type });
      case 'label':
      case 'table':
        return this.intern('label+', { kind: 'label-offset' });
      default:
        return this.unknown;
    }
  }
}

/** As in `Shape`. */
function opaqueTypeOf({ type, dimensions }: Variable): string | null {
  return dimensions.length === 0 && opaqueTypes.has(type) ? type : null;
}

function idsOf(shapes: readonly Shape[]): string {
  return shapes.map(({ id }) => id).join(' ');
}

/** True for the words that follow registers in video instructions: `.b3`, `.h10`, `.b7654`. */
function isSelector(member: string): boolean {
  return /^\.(b[0-7]{1,4}|h[0-3]{1,2})$/.test(member);
}

/**
 * The index of a vector element: 0 to 3 for `.x`, `.y`, `.z`, `.w` and for `.r`, `.g`, `.b`, `.a`. For any other word,
 * returns an index that is too large for every vector.
 */
export function memberIndex(member: string): number {
  const at = '.x.y.z.w.r.g.b.a'.indexOf(member);
  return at < 0 || member.length !== 2 ? 99 : (at / 2) % 4;
}
