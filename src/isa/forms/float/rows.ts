/** Version requirements and operands that several floating-point forms have in common. */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import type { ValuePattern } from '../../operand-patterns.ts';
import { read, write } from '../../operand-patterns.ts';
import { at, type VersionName } from '../../targets.ts';
import { needsModifier, row } from '../availability-rows.ts';

export const d: ValuePattern = write('d', 0);
export const a: ValuePattern = read('a', 0);
export const b: ValuePattern = read('b', 0);
export const c: ValuePattern = read('c', 0);

/** Makes a form in which every register must have exactly the width of its operand type. */
export function exact(entry: Omit<InstructionForm, 'regime'>): InstructionForm {
  return { ...entry, regime: 'exact' };
}

export function always(subject: string): AvailabilityRow {
  return row(subject, at('1.0'));
}

/** The version and target that a modifier needs. */
export function when(modifier: string, version: VersionName, sm = 10): AvailabilityRow {
  return needsModifier(modifier, at(version, sm));
}

/** `.ftz` on f32. */
export const ftz: AvailabilityRow = when('.ftz', '1.4');

/** The version and target requirements of `.rm` and `.rp`, which were added to PTX later than `.rn` and `.rz`. */
export function directed(version: VersionName, sm: number): readonly AvailabilityRow[] {
  return [when('.rm', version, sm), when('.rp', version, sm)];
}
