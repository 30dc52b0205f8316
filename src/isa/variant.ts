/** Reads the modifiers, types and operands of a variant. */
import { elementAt } from '../base/element-at.ts';
import { type FloatName, type IntegerName, isFloatName, isIntegerName } from '../numerics/formats.ts';
import { type FloatArithmeticFormat, isFloatArithmeticFormat } from '../numerics/operations.ts';
import type { Variant } from './form.ts';
import {
  type CoordinatesPattern,
  type OperandPattern,
  read,
  type TypeRef,
  type ValuePattern,
  type VectorPattern,
} from './operand-patterns.ts';
import { type PtxType, typeOf } from './types.ts';

/** True if the variant has this modifier. */
export function has(variant: Variant, modifier: string): boolean {
  for (const axis in variant.modifiers) if (variant.modifiers[axis] === modifier) return true;
  return false;
}

/** The type in a slot; the form guarantees that the slot exists. */
export function slotType(variant: Variant, slot: number): PtxType {
  return elementAt(variant.types, slot);
}

/** The integer type in a slot; the form guarantees that the type in this slot is an integer type. */
export function integerType(variant: Variant, slot: number): IntegerName {
  const { name, format } = slotType(variant, slot);
  if (format === null || !isIntegerName(format)) throw new Error(`${name} is not an integer`);
  return format;
}

/** The number format of the lanes in a slot; the form guarantees that arithmetic is defined for this format. */
export function floatType(variant: Variant, slot: number): FloatArithmeticFormat {
  const { name, format } = slotType(variant, slot);
  if (!isFloatArithmeticFormat(format)) throw new Error(`${name} has no arithmetic`);
  return format;
}

/** The float format of a slot; the form guarantees that the slot has a float format. */
export function floatName(variant: Variant, slot: number): FloatName {
  const { name, format } = slotType(variant, slot);
  if (format === null || !isFloatName(format)) throw new Error(`${name} is not a float`);
  return format;
}

/**
 * The modifier that the variant has on an axis, without its dot; the form guarantees that it is one of the given words.
 */
export function choice<W extends string>(variant: Variant, axis: string, words: readonly W[]): W {
  const modifier = variant.modifiers[axis];
  const found = words.find((word) => modifier === `.${word}`);
  if (found === undefined)
    throw new Error(`expected ${axis} to be one of ${words.join(', ')}, but it is ${modifier ?? 'absent'}`);
  return found;
}

/**
 * The type that a reference in a form stands for. A number refers to a type slot, and a name to the type with that
 * name.
 */
export function operandType(variant: Variant, type: TypeRef): PtxType {
  return typeof type === 'number' ? slotType(variant, type) : typeOf(type);
}

/** The type that decides which registers and constants are allowed as an operand. It is usually the operand's type. */
export function comparedType(variant: Variant, { type, integers }: ValuePattern): PtxType {
  const own = operandType(variant, type);
  return integers === true && own.name === '.bf16' ? typeOf('.u16') : own;
}

type RegistersPattern = Extract<OperandPattern, { readonly kind: 'registers' }>;

/** The list of registers that a variant requires, with elements named `d.0`, `d.1`, …. */
export function listOf(
  variant: Variant,
  { name, element, counts, types, joined, untyped }: RegistersPattern,
): VectorPattern {
  const modifiers = Object.values(variant.modifiers);
  const length = counts.reduce((count, of) => count * (modifiers.map((word) => of[word]).find(Number) ?? 1), 1);
  return {
    kind: 'vector',
    name,
    elements: Array.from({ length }, (_, i) => ({ ...element, name: `${name}.${i}` })),
    ...(types === undefined ? {} : { types }),
    ...(joined === undefined ? {} : { joined }),
    ...(untyped === undefined ? {} : { untyped }),
  };
}

/** The minimum number of elements in a list of coordinates. */
export function leastCoordinates({ modifiers }: Pick<Variant, 'modifiers'>, { least }: CoordinatesPattern): number {
  const geometry = Object.values(modifiers).find((word) => least[word] !== undefined);
  return (geometry === undefined ? null : least[geometry]) ?? 1;
}

/** The elements that are used in a list of coordinates; any further elements are ignored. */
export function coordinatePatterns(variant: Variant, pattern: CoordinatesPattern): readonly ValuePattern[] {
  const count = leastCoordinates(variant, pattern);
  return Array.from({ length: count }, (_, i) => read(`${pattern.name}.${i}`, '.b32'));
}
