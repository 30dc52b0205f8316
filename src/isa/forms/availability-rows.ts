/** Short functions that create the rows of forms that say which versions and targets support a feature. */
import type { AvailabilityRow, Condition } from '../conditions.ts';
import type { Availability } from '../targets.ts';
import type { TypeName } from '../types.ts';

/** What every variant of the form needs. */
export function row(subject: string, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, ways };
}

/** What the variants for which the condition `when` holds need. */
export function needs(subject: string, when: Condition, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, when, ways };
}

/** What a modifier needs. Messages refer to it by its own name. */
export function needsModifier(modifier: string, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(modifier, { modifiers: [modifier] }, ...ways);
}

/** What a type needs. Messages refer to it by its own name. */
export function needsType(type: TypeName, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(type, { types: [type] }, ...ways);
}
