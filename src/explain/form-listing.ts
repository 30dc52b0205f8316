/** The table of forms as a listing. */
import { type Acceptance, acceptance, rowsOf } from '../check/availability.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import type { Condition } from '../isa/form.ts';
import { type CompiledForm, splitMnemonic } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';
import { parseVersion } from '../isa/targets.ts';
import { legalVariants, type Place, plainVariants } from './plain-variants.ts';
import { table, wrapSyntax } from './table.ts';
import { groupAcceptance } from './targets.ts';

/** One form: what its syntax line says, taken apart. */
export interface FormEntry {
  readonly id: string;
  readonly opcode: string;
  readonly section: string;
  readonly syntax: string;
  readonly summary: string;
  readonly types: readonly { readonly name: string; readonly types: readonly string[] }[];
  readonly modifiers: readonly {
    readonly axis: string;
    readonly values: readonly string[];
    readonly optional: boolean;
  }[];
  readonly operands: readonly string[];
  /** The targets that have some variant of the form, and the first version in which they do. */
  readonly availability: readonly Acceptance[];
}

/** The forms of which a place has at least one variant, in the order of the table; of every opcode where it is null. */
export function formsAt(place: Place, opcode: string | null): readonly CompiledForm[] {
  const opcodes = ptxForms.opcodes().filter((name) => opcode === null || splitMnemonic(name).opcode === opcode);
  return opcodes.flatMap((name) => ptxForms.forms(name).filter((form) => hasAny(form, place)));
}

function hasAny(compiled: CompiledForm, place: Place): boolean {
  return plainVariants(compiled, place).next().done !== true;
}

/** A form in plain data. */
export function describeForm(compiled: CompiledForm): FormEntry {
  const { form, opcode, slots, axes } = compiled;
  return {
    id: form.id,
    opcode,
    section: form.section,
    syntax: form.syntax.replace(/\s+/, ' '),
    summary: form.summary,
    types: slots.map(({ name, types }) => ({ name, types })),
    modifiers: axes.map(({ axis, values, optional }) => ({ axis, values, optional })),
    operands: form.operands.map(({ name }) => name),
    availability: earliestAcceptance(compiled),
  };
}

/** For every target the first version that has some variant; variants that no rule tells apart are looked at once. */
function earliestAcceptance(compiled: CompiledForm): readonly Acceptance[] {
  const { availability } = compiled.form;
  const told = new Set(availability.flatMap(({ when }) => [...(when?.types ?? []), ...wordsOf(when)]));
  const seen = new Set<string>();
  const since = new Map<string, string>();
  for (const variant of legalVariants(compiled)) {
    const names = [...variant.types.map(({ name }) => name), ...Object.values(variant.modifiers)];
    const key = names.map((name) => (told.has(name) ? name : '')).join();
    if (seen.has(key)) continue;
    seen.add(key);
    for (const found of acceptance(new Set(rowsOf(variant)))) {
      const known = since.get(found.target);
      if (known === undefined || parseVersion(found.since) < parseVersion(known)) since.set(found.target, found.since);
    }
  }
  return [...since].map(([target, version]) => ({ target, since: version }));
}

function wordsOf(when: Condition | undefined): readonly string[] {
  return [...(when?.modifiers ?? []), ...(when?.without ?? [])];
}

/** A heading for each opcode, then the forms' syntax lines. */
export function listingText(forms: readonly CompiledForm[], width: number): readonly string[] {
  const opcodes = [...new Set(forms.map(({ opcode }) => opcode))];
  return opcodes.flatMap((opcode) => {
    const own = forms.filter((form) => form.opcode === opcode);
    return [heading(opcode, own), ...own.flatMap(({ form }) => syntaxLines(form.syntax, width)), ''];
  });
}

/** As `listingText`, and what each form does, the types its slots take and where it can be had. */
export function detailedText(entries: readonly FormEntry[], width: number): readonly string[] {
  const opcodes = [...new Set(entries.map(({ opcode }) => opcode))];
  return opcodes.flatMap((opcode) => {
    const own = entries.filter((entry) => entry.opcode === opcode);
    const texts = own.flatMap((entry) => [...syntaxLines(entry.syntax, width), ...factLines(entry, width), '']);
    return [heading(opcode, own), ...texts];
  });
}

function heading(opcode: string, own: readonly (CompiledForm | FormEntry)[]): string {
  const [first] = own;
  const section = first === undefined ? '' : 'form' in first ? first.form.section : first.section;
  return `${opcode}  (${own.length === 1 ? '1 form' : `${own.length} forms`}, PTX ISA 9.1 section ${section})`;
}

const indent = 6;

function syntaxLines(syntax: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrapSyntax(syntax.replace(/\s+/, ' '), width - indent);
  return [`  ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)];
}

function factLines({ summary, types, availability }: FormEntry, width: number): readonly string[] {
  const slots = types.filter((slot) => slot.types.length > 1).map((slot) => [`.${slot.name}`, slot.types.join(' ')]);
  const versions = groupAcceptance(availability).map(({ since, words }) => [`PTX ${since}`, words]);
  return [
    ...wrap(summary, width - indent).map((line) => ' '.repeat(indent) + line),
    ...table([...slots, ...versions], width, indent),
  ];
}
