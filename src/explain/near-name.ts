/** Help for input that `explain` does not recognize: suggests the code, type or modifier that was probably meant. */
import { suggestion } from '../base/nearest-word.ts';
import { catalog } from '../diagnostics/catalog.ts';
import { ptxForms } from '../isa/table.ts';
import { types } from '../isa/types.ts';

export const whatToGive =
  'give an instruction, an opcode, a type, a modifier, a target, a constant or a diagnostic code';

/** Returns a hint for the given input; null if it looks like an instruction. */
export function helpFor(text: string): string | null {
  if (text === ';') return whatToGive;
  if (/^ptx\d*$/i.test(text))
    return `no diagnostic has this code either${suggestion(text.toUpperCase(), Object.keys(catalog))}`;
  if (/^\.\w+$/.test(text)) return `no type or modifier has this name${suggestion(text, dotNames())}`;
  return null;
}

function dotNames(): readonly string[] {
  const forms = ptxForms.opcodes().flatMap((opcode) => ptxForms.forms(opcode));
  return [...types.keys(), ...new Set(forms.flatMap(({ axes }) => axes.flatMap(({ values }) => values)))];
}
