/** Limits on sizes and counts (PTX ISA 9.1, section 5.1, as implemented by ptxas 13.0). */
import type { AvailabilityRow } from './conditions.ts';
import { at, type Availability, isAlways, isAvailable, type Target, type Version } from './targets.ts';

/**
 * A limit that was raised in later versions. Each row has a higher limit than the row before it. A row applies only to
 * certain targets, and only from a certain version on.
 */
export type Limit = readonly { readonly most: number; readonly since: Availability }[];

/** Maximum size of a kernel's parameters in bytes. */
export const kernelParameterBytes: Limit = [
  { most: 256, since: at('1.0') },
  { most: 4352, since: at('1.5') },
  { most: 32_764, since: at('8.1', 70) },
];

/** Returns the limit that applies in the given version on the given target. */
export function mostIn(limit: Limit, version: Version, target: Target): number {
  return Math.max(...limit.filter(({ since }) => isAvailable([since], version, target)).map(({ most }) => most));
}

/**
 * Given a size or a count, returns the version and the target that a module needs for this amount. Null if the amount
 * is allowed in every version and on every target, or if it is never allowed.
 */
export function availabilityOfAmount(limit: Limit, subject: string, amount: number): AvailabilityRow | null {
  const row = limit.find(({ most }) => amount <= most);
  return row === undefined || isAlways(row.since) ? null : { subject, ways: [row.since] };
}
