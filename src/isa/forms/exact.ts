import type { InstructionForm } from '../form.ts';

/** An instruction form without the field `regime`. */
export type Entry = Omit<InstructionForm, 'regime'>;

/** Creates a form in which every register must have exactly the width of its operand type. */
export function exact(entry: Entry): InstructionForm {
  return { ...entry, regime: 'exact' };
}
