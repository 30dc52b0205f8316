/** Finds forms that have a different number of operands than the forms to which a mnemonic refers. */
import type { Variant } from '../../isa/form.ts';
import { makeVariant } from '../../isa/notation.ts';
import { ptxForms } from '../../isa/table.ts';
import { matchForm, slotsFit } from './form-match.ts';

/** A variant to which a mnemonic would refer if it had one more modifier. */
export interface LongerForm {
  readonly variant: Variant;
  /** The possible choices for the missing modifier. */
  readonly missing: readonly string[];
}

/**
 * The forms with `count` operands to which the mnemonic of a variant would refer if it had one more modifier. For
 * example, `setp` takes a fourth operand if it has the modifier `.and`, `.or` or `.xor`.
 */
export function longerForms(opcode: string, { types, modifiers }: Variant, count: number): readonly LongerForm[] {
  const names = types.map(({ name }) => name);
  const written = Object.values(modifiers).map((text, index) => ({ text, index }));
  return ptxForms.forms(opcode).flatMap((compiled): readonly LongerForm[] => {
    if (compiled.form.operands.length !== count || !slotsFit(compiled, names)) return [];
    const { modifiers: chosen, problems } = matchForm(compiled, names, written);
    const missing = compiled.axes.find(({ axis, optional }) => !optional && chosen[axis] === undefined);
    const value = missing?.values[0];
    if (missing === undefined || value === undefined || problems.length > 1) return [];
    const variant = makeVariant(compiled, names, { ...chosen, [missing.axis]: value });
    return [{ variant, missing: missing.values }];
  });
}
