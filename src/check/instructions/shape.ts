/**
 * The shape of an operand: what kind of operand it is, regardless of its name. Whether the operand is legal depends
 * only on its shape. Within one `ShapeTable`, equal shapes are represented by the same object, so that the shapes of an
 * instruction's operands can be used as the key of a cached verdict.
 */
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { ConstantKind } from '../../isa/operand-rules.ts';
import type { PtxType } from '../../isa/types.ts';
import type { FormalSpace, VariableSpace } from '../symbols.ts';

export type ShapeData =
  | { readonly kind: 'register'; readonly type: PtxType; readonly lanes: number }
  /** `least`: an instruction that reads the register must read at least this many of its bits. */
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
      /** True for an array element such as `name[1]`. */
      readonly subscript: boolean;
      /** `.texref`, `.samplerref` or `.surfref`, for variables of these types that are not arrays. */
      readonly opaque: string | null;
    }
  | { readonly kind: 'register-offset'; readonly type: PtxType }
  /** `name[1]`, where `name` does not refer to an array. */
  | { readonly kind: 'wrong-subscript' }
  | { readonly kind: 'function'; readonly offset: boolean; readonly entry: boolean }
  | { readonly kind: 'label' }
  /** A label with an offset, which no instruction accepts. */
  | { readonly kind: 'label-offset' }
  | { readonly kind: 'table'; readonly of: 'branches' | 'calls' }
  | { readonly kind: 'unknown' }
  /** Bytes or halves of a register in video instructions: `%r1.b3`. */
  | { readonly kind: 'part'; readonly register: Shape; readonly selector: string }
  | { readonly kind: 'sink' }
  | { readonly kind: 'unary'; readonly operator: '!' | '-' | '~'; readonly operand: Shape }
  | { readonly kind: 'vector'; readonly elements: readonly Shape[] }
  | { readonly kind: 'list'; readonly elements: readonly Shape[] }
  | { readonly kind: 'pair'; readonly first: Shape; readonly second: Shape }
  /** `rest`: the operands that follow the base in the brackets, such as coordinates. */
  | { readonly kind: 'address'; readonly base: Shape | null; readonly rest: readonly Shape[] };

/** `id`: the number of the shape in its table. `undeclared`: true if the operand contains an undeclared name. */
export type Shape = ShapeData & { readonly id: number; readonly undeclared: boolean };

/** True if the operand contains an undeclared name. */
export function isUndeclared(data: ShapeData): boolean {
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

/** The version and target requirements of the special registers in an operand. */
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

/** True if the operand refers to a function or to a variable in `.shared`. */
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
