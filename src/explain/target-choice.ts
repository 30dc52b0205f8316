/** Finds the variants in the table that a version and target support. */
import { isAvailableSomewhere, rowsOf } from '../check/availability.ts';
import { expandCompiled } from '../isa/expand.ts';
import type { Variant } from '../isa/form.ts';
import type { CompiledForm } from '../isa/notation.ts';
import { isAvailable, newestVersion, type Target, type Version } from '../isa/targets.ts';

/**
 * The target and version for which something is explained. A target of null stands for any target, and a version of
 * null for the newest version.
 */
export interface TargetChoice {
  readonly target: Target | null;
  readonly version: Version | null;
}

/**
 * Yields the variants of a form that the target and version support: every combination of types and required modifiers,
 * with at most one optional modifier.
 */
export function* plainVariants(compiled: CompiledForm, choice: TargetChoice): Generator<Variant> {
  for (const variant of expandCompiled(compiled, { optional: 'one' }))
    if (isAvailableFor(variant, choice)) yield variant;
}

/** True if the version and target support the variant. */
export function isAvailableFor(variant: Variant, { target, version }: TargetChoice): boolean {
  const judged = version ?? newestVersion;
  if (target === null) return isAvailableSomewhere(variant, judged);
  return judged >= target.since && rowsOf(variant).every((row) => isAvailable(row.ways, judged, target));
}
