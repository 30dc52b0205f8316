/**
 * Names of test cases, derived from the table. For example, `cvt/f8x2.f32:type=e4m3x2;frnd2=rn;relu` names a variant of
 * the form `cvt.f8x2.f32`. The part after the colon lists the choices that the form's syntax line leaves open. Every
 * table-driven test uses such names for its cases.
 */
import { type CompiledForm, compileForm } from '../../src/isa/notation.ts';
import type { InstructionForm, Variant } from '../../src/isa/form.ts';

/**
 * The id of a form, with a slash after the opcode: `cvt/f8x2.f32`. If the opcode has only one form, the name is just
 * the opcode: `ret`.
 */
export function formName({ id }: InstructionForm): string {
  return id.replace('.', '/');
}

/**
 * The name of a variant: the name of its form, followed by the chosen types and modifiers. Every variant has a
 * different name.
 */
export function caseName(variant: Variant): string {
  const choices = choicesOf(variant);
  return formName(variant.form) + (choices.length === 0 ? '' : `:${choices.join(';')}`);
}

const compiled = new Map<InstructionForm, CompiledForm>();

function compiledOf(form: InstructionForm): CompiledForm {
  const made = compiled.get(form) ?? compileForm(form);
  compiled.set(form, made);
  return made;
}

function choicesOf({ form, types, modifiers }: Variant): readonly string[] {
  const { slots, axes } = compiledOf(form);
  const open = slots.filter((slot) => slot.types.length > 1);
  const chosen = slots.flatMap((slot, i) => {
    const name = open.length === 1 ? 'type' : slot.name;
    return open.includes(slot) ? [`${name}=${bare(types[i]?.name ?? '')}`] : [];
  });
  const words = axes.flatMap(({ axis, name, values, optional }) => {
    const value = modifiers[axis];
    if (value === undefined || (values.length === 1 && !optional)) return [];
    return [values.length === 1 ? bare(value) : `${name}=${bare(value)}`];
  });
  return [...chosen, ...words];
}

/** Removes the leading dot. */
function bare(part: string): string {
  return part.replace(/^\./, '');
}
