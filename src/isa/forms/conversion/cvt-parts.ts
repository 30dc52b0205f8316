/** The parts that the forms of cvt have in common: the operands, and the versions and targets of some modifiers. */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { read, type ValuePattern, write } from '../../operand-patterns.ts';
import { atListed } from '../../targets.ts';
import { needsModifier, row } from '../availability-rows.ts';

const section = '9.7.9.21';

export const d: ValuePattern = write('d', 0);
export const a: ValuePattern = read('a', 1);
export const b: ValuePattern = read('b', 1);
export const rbits: ValuePattern = read('rbits', '.b32', { regime: 'strict', registerOnly: true });

export const stochastic: AvailabilityRow = row(
  '.rs',
  atListed('8.7', 'sm_100a', 'sm_103a'),
  atListed('9.4', 'sm_107a'),
);
export const pzo: AvailabilityRow = needsModifier('.pzo', atListed('9.4', 'sm_107a', 'sm_107f'));

type Entry = Omit<InstructionForm, 'section' | 'regime'>;

export const relaxed = (entry: Entry): InstructionForm => ({ ...entry, section, regime: 'relaxed' });
export const strict = (entry: Entry): InstructionForm => ({ ...entry, section, regime: 'strict' });
