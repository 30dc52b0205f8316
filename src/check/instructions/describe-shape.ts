/** Describes operand shapes in words, for messages. */
import type { ConstantKind } from '../../isa/operand-rules.ts';
import type { Operand } from '../../syntax/tree.ts';
import type { Scope, VariableSpace } from '../symbols.ts';
import type { Shape } from './shape.ts';
import { ShapeTable } from './shape-table.ts';

function describeVariable(space: VariableSpace): string {
  if (space.startsWith('.')) return `a variable in ${space}`;
  return space === 'input parameter' ? `an ${space}` : `a ${space}`;
}

/** Describes an operand of an instruction without using the caches of a checker. */
export function describeOperand(operand: Operand, scope: Scope): string {
  return describeShape(new ShapeTable().of(operand, scope));
}

/** Describes a shape for messages. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'register':
      return shape.lanes === 1 ? `a ${shape.type.name} register` : `a .v${shape.lanes} ${shape.type.name} register`;
    case 'special':
      return `a special register of type ${shape.type.name}`;
    case 'special-vector':
      return 'a special register without an element (.x, .y, .z)';
    case 'constant':
      return shape.constant === 'integer' ? 'an integer constant' : describeFloat(shape.constant);
    case 'variable':
      if (shape.opaque !== null) return `a ${shape.opaque} variable`;
      return describeVariable(shape.takenFor ?? shape.space);
    case 'register-offset':
      return 'a register with an offset';
    case 'wrong-subscript':
      return 'an index into a name that is not an array';
    case 'function':
      return `${shape.entry ? 'a kernel' : 'a function'}${shape.offset ? ' with an offset' : ''}`;
    case 'label':
      return 'a label';
    case 'label-offset':
      return 'a label with an offset';
    case 'table':
      return shape.of === 'branches' ? 'a list of branch targets' : 'a prototype or a list of call targets';
    case 'unknown':
      return 'an undeclared name';
    case 'part':
      return `the ${shape.selector} part of a register`;
    case 'sink':
      return "'_'";
    case 'unary':
      return `'${shape.operator}' before ${describeShape(shape.operand)}`;
    case 'vector':
      return `a vector of ${shape.elements.length} elements`;
    case 'list':
      return 'a list in parentheses';
    case 'pair':
      return 'a pair';
    case 'address':
      return describeAddress(shape.rest);
  }
}

function describeAddress([first, second]: readonly Shape[]): string {
  if (first?.kind !== 'vector' || second !== undefined) return 'an address in brackets';
  return addressWith(first.elements.length);
}

/** Returns text such as `an address and 2 coordinates in brackets`; `kind` follows the word `coordinates`. */
export function addressWith(count: number, kind = ''): string {
  return `an address and ${count} coordinate${count === 1 ? '' : 's'}${kind} in brackets`;
}

function describeFloat(kind: ConstantKind): string {
  return kind === 'decimal' ? 'a decimal float constant' : `a ${kind} float constant`;
}
