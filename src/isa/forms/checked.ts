/**
 * Builds the forms for those chapters of the ISA that ptxlab can execute only in part. The forms that it cannot execute
 * are only checked, and a launch is refused if it might reach such a form.
 */
import type { AvailabilityRow } from '../conditions.ts';
import type { InstructionForm } from '../form.ts';
import { plainWords } from '../modifiers.ts';
import { atListed, type Availability } from '../targets.ts';
import { row } from './availability-rows.ts';

/**
 * An instruction form without the fields that `checked` fills in. `rows` contains requirements in addition to those of
 * the instruction itself.
 */
export type CheckedLine = Omit<InstructionForm, 'regime' | 'availability' | 'steps'> & {
  readonly rows?: readonly AvailabilityRow[];
};

/**
 * Creates a form that is checked but not executed. `ways` lists the PTX versions that introduced the instruction, each
 * with the targets that support it.
 */
export function checked({ rows = [], ...line }: CheckedLine, ...ways: readonly Availability[]): InstructionForm {
  const subject = plainWords(line.syntax, line.sets);
  const availability: readonly AvailabilityRow[] = [row(subject, ...ways), ...rows];
  const steps: InstructionForm['steps'] = ({ mnemonic }) => [{ kind: 'unsupported', what: mnemonic }];
  return { ...line, regime: 'exact', availability, steps };
}

/** Like `checked`, but for a form that can also be executed. */
export function executed(line: CheckedLine, way: Availability, steps: InstructionForm['steps']): InstructionForm {
  return { ...checked(line, way), steps };
}

/** The versions and targets that support instructions for tensor memory. */
export const tensorMemory: readonly Availability[] = [
  atListed('8.6', 'sm_100a', 'sm_101a'),
  atListed('8.8', 'sm_100f', 'sm_101f', 'sm_103a', 'sm_103f'),
  atListed('9.0', 'sm_110a', 'sm_110f'),
  atListed('9.4', 'sm_107a', 'sm_107f'),
];
