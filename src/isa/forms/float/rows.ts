/** Version requirements that several floating-point forms have in common. */
import type { AvailabilityRow } from '../../conditions.ts';
import { at, type VersionName } from '../../targets.ts';
import { needsModifier } from '../availability-rows.ts';

/** The version and target that a modifier requires. */
export function when(modifier: string, version: VersionName, sm = 10): AvailabilityRow {
  return needsModifier(modifier, at(version, sm));
}

/** `.ftz` on f32. */
export const ftz: AvailabilityRow = when('.ftz', '1.4');

/** The version and target requirements of `.rm` and `.rp`, which were added to PTX later than `.rn` and `.rz`. */
export function directed(version: VersionName, sm: number): readonly AvailabilityRow[] {
  return [when('.rm', version, sm), when('.rp', version, sm)];
}
