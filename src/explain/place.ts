/** The variants of the table that a version and target have. */
import { isAvailableSomewhere, rowsOf } from '../check/availability.ts';
import { expandCompiled } from '../isa/expand.ts';
import type { Variant } from '../isa/form.ts';
import type { CompiledForm } from '../isa/notation.ts';
import { isAvailable, newestVersion, type Target, type Version } from '../isa/targets.ts';

/** A target and version to keep to; null for any target, and for the newest version. */
export interface Place {
  readonly target: Target | null;
  readonly version: Version | null;
}

/** The variants of a form that a place has: every choice of types and required modifiers, one optional one at a time. */
export function* plainVariants(compiled: CompiledForm, place: Place): Generator<Variant> {
  for (const variant of expandCompiled(compiled, { optional: 'one' })) if (isHad(variant, place)) yield variant;
}

/** True where the place has the variant. */
export function isHad(variant: Variant, { target, version }: Place): boolean {
  const judged = version ?? newestVersion;
  if (target === null) return isAvailableSomewhere(variant, judged);
  return judged >= target.since && rowsOf(variant).every((row) => isAvailable(row.ways, judged, target));
}
