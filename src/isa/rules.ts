/**
 * Evaluates those rules of a form that are not expressed by its axes. The rules themselves are stored in the forms, as
 * data.
 */
import { elementAt } from '../base/element-at.ts';
import type { Condition, Constraint, TypeRelation } from './conditions.ts';
import { isInteger, type PtxType, type TypeName } from './types.ts';

/**
 * The types and modifiers to which a rule is applied. The types and modifiers belong either to a variant or to a form
 * that is still being resolved.
 */
export interface Choices {
  readonly types: readonly PtxType[];
  readonly modifiers: Readonly<Record<string, string>>;
}

export function holds(condition: Condition | undefined, choices: Choices): boolean {
  if (condition === undefined) return true;
  const { types, slot, modifiers, without } = condition;
  if (types !== undefined && !namesType(choices, types, slot)) return false;
  if (modifiers?.some((modifier) => !carries(choices, modifier))) return false;
  return !without?.some((modifier) => carries(choices, modifier));
}

/** True if the types in the first two slots have the given relation, such as the first one being wider. */
export function relationHolds(relation: TypeRelation | undefined, types: readonly PtxType[]): boolean {
  const [d, a] = types;
  if (relation === undefined || d === undefined || a === undefined) return true;
  switch (relation) {
    case 'wider':
      return d.width > a.width;
    case 'narrower':
      return d.width < a.width;
    case 'same':
      return d.name === a.name;
  }
}

export function constraintHolds(constraint: Constraint, choices: Choices): boolean {
  switch (constraint.kind) {
    case 'needs-type':
      return !carries(choices, constraint.modifier) || namesType(choices, constraint.types, constraint.slot);
    case 'needs-narrowing-range':
      return !carries(choices, constraint.modifier) || canSaturate(choices.types);
    case 'any-of':
      return constraint.modifiers.some((modifier) => carries(choices, modifier));
    case 'needs-modifier':
      return !carries(choices, constraint.modifier) || constraint.oneOf.some((modifier) => carries(choices, modifier));
    case 'axis-goes-with':
      return !chosen(choices, constraint.axis) || constraint.values.includes(choices.modifiers[constraint.other] ?? '');
    case 'axis-needs-bits':
      return !chosen(choices, constraint.axis) || vectorBits(choices) >= constraint.bits;
    case 'vector-bits':
      return !holds(constraint.when, choices) || vectorBits(choices) <= constraint.bits;
  }
}

/** The number of lanes that the vector modifier specifies; 1 without such a modifier. */
export function vectorLanes(choices: Choices): number {
  return Number(choices.modifiers['vec']?.slice(2) ?? 1);
}

function vectorBits(choices: Choices): number {
  return vectorLanes(choices) * (choices.types[0]?.width ?? 0);
}

function chosen(choices: Choices, axis: string): boolean {
  return choices.modifiers[axis] !== undefined;
}

function carries(choices: Choices, modifier: string): boolean {
  for (const axis in choices.modifiers) if (choices.modifiers[axis] === modifier) return true;
  return false;
}

function namesType(choices: Choices, names: readonly TypeName[], slot: number | undefined): boolean {
  if (slot !== undefined) return names.includes(elementAt(choices.types, slot).name);
  return choices.types.some((type) => names.includes(type.name));
}

/** True if the source type has values that are outside the range of the destination type (integers only). */
function canSaturate(types: readonly PtxType[]): boolean {
  const [d, a] = types;
  if (d === undefined || a === undefined || !isInteger(d) || !isInteger(a)) return true;
  if (a.class === 'signed') return d.class === 'unsigned' || d.width < a.width;
  return d.class === 'signed' ? d.width <= a.width : d.width < a.width;
}
