/**
 * Short functions that create availability rows, which list the versions and targets that support a feature of a form.
 */
import type { AvailabilityRow, Condition } from '../conditions.ts';
import { at, type Availability } from '../targets.ts';
import type { TypeName } from '../types.ts';

/** The requirements of every variant of a form. */
export function row(subject: string, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, ways };
}

/** A row for a feature that has existed since the first version, on every target. */
export function always(subject: string): AvailabilityRow {
  return row(subject, at('1.0'));
}

/** The requirements of the variants for which the condition `when` holds. */
export function needs(subject: string, when: Condition, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, when, ways };
}

/** The requirements of a modifier. Messages refer to the modifier by its own name. */
export function needsModifier(modifier: string, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(modifier, { modifiers: [modifier] }, ...ways);
}

/** Creates a separate row for each of the given modifiers, all of which have the same requirements. */
export function eachNeeds(modifiers: readonly string[], ...ways: readonly Availability[]): readonly AvailabilityRow[] {
  return modifiers.map((modifier) => needsModifier(modifier, ...ways));
}

/** The requirements of a type. Messages refer to the type by its own name. */
export function needsType(type: TypeName, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(type, { types: [type] }, ...ways);
}
