/**
 * The properties of parameters and return values that determine how a function is called (PTX ISA 9.1, section 7.1).
 */
import { isInteger, type PtxType, types, typeOf } from '../../isa/types.ts';
import type { Parameter, Variable } from '../../syntax/tree.ts';
import { alignmentOf, isOpen, sizeOf } from './sizes.ts';

/** The type, size and alignment of something that a call passes: a parameter of a function, or an argument. */
export interface Passable {
  /** Type of one element. */
  readonly type: PtxType;
  readonly bytes: number;
  readonly align: number;
  /** An array of bytes, which is how structures are passed. */
  readonly array: boolean;
}

/** A parameter of a function or prototype, or one of its return values. */
export interface Formal extends Passable {
  /** `_` in prototypes. */
  readonly name: string;
  readonly space: '.param' | '.reg';
  /** An array without a size, which accepts an array of any size or no argument at all. */
  readonly open: boolean;
}

export interface Signature {
  readonly results: readonly Formal[];
  readonly parameters: readonly Formal[];
}

export const emptySignature: Signature = { results: [], parameters: [] };

export function signatureOf(item: {
  readonly results: readonly Parameter[];
  readonly parameters: readonly Parameter[];
}): Signature {
  const { results, parameters } = item;
  return results.length + parameters.length === 0
    ? emptySignature
    : { results: results.map(formalOf), parameters: parameters.map(formalOf) };
}

function formalOf(parameter: Parameter): Formal {
  const { name, space } = parameter;
  return { name, space, open: isOpen(parameter), ...passable(parameter) };
}

/**
 * Describes the bytes of a declared variable. A vector is treated as a single value of a bit-size type that is as wide
 * as the whole vector.
 */
export function passable(variable: Variable): Passable {
  const bytes = Math.ceil(sizeOf(variable));
  const type = types.get(variable.vector === null ? variable.type : `.b${bytes * 8}`);
  return {
    type: type ?? typeOf('.b64'),
    bytes: Math.max(1, bytes),
    align: Math.max(1, alignmentOf(variable)),
    array: variable.dimensions.length > 0,
  };
}

/** Describes a register that a call passes. A vector is treated as a single value of a bit-size type. */
export function passableRegister(type: PtxType, lanes: number): Passable {
  const width = type.width * lanes;
  const whole = lanes === 1 ? type : (types.get(`.b${width}`) ?? type);
  const bytes = Math.max(1, width / 8);
  return { type: whole, bytes, align: bytes, array: false };
}

/**
 * Whether ptxas 13.0 cannot pass a parameter or return value of this kind. It passes 8-bit and 16-bit integers only as
 * bit-size types, and it cannot pass predicates at all.
 */
export function isUnpassable({ type, array }: Passable): boolean {
  return !array && (type.class === 'predicate' || (isInteger(type) && type.width <= 16));
}

/**
 * Two functions with equal keys are called in the same way, because the bytes of their parameters are at the same
 * offsets. If a call reads the function's address from a register, the function must have the same key as the call's
 * prototype.
 */
export function signatureKey({ results, parameters }: Signature): string {
  const words = (formals: readonly Formal[]): string =>
    formals.map(({ bytes, align, open }) => `${open ? 'open' : bytes}:${align}`).join(' ');
  return `${words(parameters)} > ${words(results)}`;
}
