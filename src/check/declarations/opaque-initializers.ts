/**
 * Checks initial values of textures, samplers and surfaces (PTX ISA 9.1, section 5.3). Each value is a list of fields,
 * such as `{ addr_mode_0 = wrap, filter_mode = linear }`. The verdicts were measured with ptxas 13.0.
 */
import { suggestion } from '../../base/nearest-word.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { fieldWords, opaqueFields } from '../../isa/opaque-fields.ts';
import type { Initializer, Variable } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';

type Field = Extract<Initializer, { kind: 'field' }>;

/** Checks the value of one opaque variable, or of one element of an array of them. */
export function checkFields(initializer: Initializer, variable: Variable, report: Report): void {
  const elements = initializer.kind === 'list' ? initializer.elements : [initializer];
  const wrong = elements.find((one) => one.kind !== 'field');
  if (wrong !== undefined) {
    const ptxas =
      initializer.kind === 'list'
        ? 'Opaque structure initializer requires named fields'
        : 'Initial value type mismatch';
    const problem = `needs a list of fields, such as { ${fieldsOf(variable.type)[0] ?? ''} = 1 }`;
    report(diagnose('PTX5035', wrong.span, { name: variable.name, type: variable.type, problem, ptxas }));
    return;
  }
  for (const field of elements) if (field.kind === 'field') checkField(field, variable, report);
}

const fieldsOf = (type: string): readonly string[] => opaqueFields.get(type) ?? [];

function checkField({ name, value, span }: Field, variable: Variable, report: Report): void {
  if (!fieldsOf(variable.type).includes(name)) {
    const problem = `has no field '${name}'${suggestion(name, fieldsOf(variable.type))}`;
    const ptxas = `Unrecognized field name '${name}' in opaque struct initializer`;
    report(diagnose('PTX5035', span, { name: variable.name, type: variable.type, problem, ptxas }));
  } else if (value.kind === 'address' && !fieldWords.includes(value.name)) {
    const problem = `cannot have ${name} = ${value.name}${suggestion(value.name, fieldWords)}`;
    const ptxas = `Unrecognized initial value symbol '${value.name}'`;
    report(diagnose('PTX5035', value.span, { name: variable.name, type: variable.type, problem, ptxas }));
  }
}
