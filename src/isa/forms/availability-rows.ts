/** Short functions that create the rows of forms that say which versions and targets support a feature. */
import type { AvailabilityRow, Condition } from '../conditions.ts';
import { at, type Availability } from '../targets.ts';
import type { TypeName } from '../types.ts';

/** What every variant of the form needs. */
export function row(subject: string, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, ways };
}

/** What has existed since the first version, on every target. */
export function always(subject: string): AvailabilityRow {
  return row(subject, at('1.0'));
}

/** What the variants for which the condition `when` holds need. */
export function needs(subject: string, when: Condition, ...ways: readonly Availability[]): AvailabilityRow {
  return { subject, when, ways };
}

/** What a modifier needs. Messages refer to it by its own name. */
export function needsModifier(modifier: string, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(modifier, { modifiers: [modifier] }, ...ways);
}

/** Makes a separate row for each of the given modifiers, all of which need the same. */
export function eachNeeds(modifiers: readonly string[], ...ways: readonly Availability[]): readonly AvailabilityRow[] {
  return modifiers.map((modifier) => needsModifier(modifier, ...ways));
}

/** What a type needs. Messages refer to it by its own name. */
export function needsType(type: TypeName, ...ways: readonly Availability[]): AvailabilityRow {
  return needs(type, { types: [type] }, ...ways);
}
