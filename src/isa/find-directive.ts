/** Looks up directives and their parts by name, and determines which versions and targets support them. */
import {
  attributeRows,
  type DirectivePart,
  directiveRows,
  type DirectiveWord,
  type Linkage,
  linkageRows,
  partRows,
  type PragmaRow,
  pragmaRows,
  type DeclaredSpace,
  spaceRows,
  type TargetOptionRow,
  targetOptionRows,
  type TuningRow,
  tuningRows,
} from './directives.ts';
import type { AvailabilityRow } from './conditions.ts';
import { type Availability, isAlways } from './targets.ts';

/**
 * The requirements of directives and other words. The keys are the names that messages use for them. Names that exist
 * in every version and on every target have no entry.
 */
const availability: ReadonlyMap<string, AvailabilityRow> = new Map(
  [
    ...Object.entries({ ...directiveRows, ...partRows, ...linkageRows, ...spaceRows }),
    ...[...tuningRows, ...attributeRows].map((row) => [row.name, row] as const),
    ...targetOptionRows.map((row) => [`${row.name} in .target`, row] as const),
    ...pragmaRows.map((row) => [`pragma '${row.name}'`, row] as const),
  ]
    .filter(([, { since }]) => !isAlways(since))
    .map(([subject, { since }]) => [subject, rowOf(subject, since)]),
);

function rowOf(subject: string, since: Availability): AvailabilityRow {
  return { subject, ways: [since] };
}

/**
 * The version and target that introduced a directive, a part of a directive, a linkage or a state space. Null if it has
 * always existed.
 */
export function availabilityOfDirective(
  name: DirectiveWord | DirectivePart | Linkage | DeclaredSpace,
): AvailabilityRow | null {
  return availability.get(name) ?? null;
}

/** The versions in which a constant bank could be named; `.const` without a number means bank 0. */
export function availabilityOfBank(bank: number): AvailabilityRow | null {
  return availabilityOfDirective(bank === 0 ? 'bank 0 of .const' : 'bank number of .const');
}

/** A directive between the header and the body of a function; undefined if the name is unknown. */
export function findTuning(name: string): TuningRow | undefined {
  return tuningRows.find((row) => row.name === name);
}

/** The version and target that introduced a directive in a function header, or an attribute. */
export function availabilityOfTuning(name: string): AvailabilityRow | null {
  return availability.get(name) ?? null;
}

/** The `.target` option with a given name; undefined if the name is unknown. */
export function findTargetOption(name: string): TargetOptionRow | undefined {
  return targetOptionRows.find((row) => row.name === name);
}

/**
 * The version and targets that support a `.target` option; null if all of them support it, or if the option is unknown.
 */
export function availabilityOfTargetOption(name: string): AvailabilityRow | null {
  return availability.get(`${name} in .target`) ?? null;
}

/** The pragma with the given string; undefined if it is unknown. */
export function findPragma(text: string): PragmaRow | undefined {
  return pragmaRows.find(({ name, open }) => (open ? text.startsWith(name) : text === name));
}

/** The version and target that introduced a pragma; null if it has always existed, or is unknown. */
export function availabilityOfPragma(text: string): AvailabilityRow | null {
  const row = findPragma(text);
  return row === undefined ? null : (availability.get(`pragma '${row.name}'`) ?? null);
}
