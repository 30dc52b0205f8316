/** Directives and what belongs to them by name, and what they need of version and target. */
import {
  attributeRows,
  type DirectivePart,
  directiveRows,
  type DirectiveWord,
  type Linkage,
  linkageRows,
  partRows,
  pragmaRows,
  type DeclaredSpace,
  spaceRows,
  type TargetOptionRow,
  targetOptionRows,
  type TuningRow,
  tuningRows,
} from './directives.ts';
import type { AvailabilityRow } from './form.ts';
import { type Availability, isAlways } from './targets.ts';

/** Names as messages have them, with what they need; without those that have been there always. */
const needs: ReadonlyMap<string, AvailabilityRow> = new Map(
  [
    ...Object.entries({ ...directiveRows, ...partRows, ...linkageRows, ...spaceRows }),
    ...[...tuningRows, ...attributeRows].map((row) => [row.name, row] as const),
    ...Object.entries(pragmaRows).map(([name, row]) => [`pragma '${name}'`, row] as const),
  ]
    .filter(([, { since }]) => !isAlways(since))
    .map(([subject, { since }]) => [subject, rowOf(subject, since)]),
);

function rowOf(subject: string, since: Availability): AvailabilityRow {
  return { subject, ways: [since] };
}

/** What a directive, a part of one, a linkage or a space needs; null where it has been there always. */
export function needsOfDirective(
  name: DirectiveWord | DirectivePart | Linkage | DeclaredSpace,
): AvailabilityRow | null {
  return needs.get(name) ?? null;
}

/** A directive between the header and the body of a function; undefined where there is none of that name. */
export function findTuning(name: string): TuningRow | undefined {
  return tuningRows.find((row) => row.name === name);
}

/** What such a directive needs, or an attribute. */
export function needsOfTuning(name: string): AvailabilityRow | null {
  return needs.get(name) ?? null;
}

/** The option of `.target` of a name; undefined where there is none. */
export function findTargetOption(name: string): TargetOptionRow | undefined {
  return targetOptionRows.find((row) => row.name === name);
}

/** What a pragma needs, given its string. */
export function needsOfPragma(text: string): AvailabilityRow | null {
  return needs.get(`pragma '${text.trim().split(/\s/, 1)[0]}'`) ?? null;
}
