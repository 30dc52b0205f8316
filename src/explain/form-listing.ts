/** The table of forms as a listing. */
import { acceptance, type Acceptance } from '../check/availability.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { type CompiledForm, splitMnemonic } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';
import { type Place, plainVariants } from './plain-variants.ts';
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
  /** The targets that have every variant of the form, and the first version in which they do. */
  readonly availability: readonly Acceptance[];
}

/** The forms of which a place has at least one variant, in the order of the table. */
export function listForms(place: Place, opcode: string | null): readonly FormEntry[] {
  const opcodes = ptxForms.opcodes().filter((name) => opcode === null || splitMnemonic(name).opcode === opcode);
  return opcodes.flatMap((name) =>
    ptxForms
      .forms(name)
      .filter((form) => hasAny(form, place))
      .map(entryOf),
  );
}

function hasAny(compiled: CompiledForm, place: Place): boolean {
  return plainVariants(compiled, place).next().done !== true;
}

function entryOf({ form, opcode, slots, axes }: CompiledForm): FormEntry {
  return {
    id: form.id,
    opcode,
    section: form.section,
    syntax: form.syntax.replace(/\s+/, ' '),
    summary: form.summary,
    types: slots.map(({ name, types }) => ({ name, types })),
    modifiers: axes.map(({ axis, values, optional }) => ({ axis, values, optional })),
    operands: form.operands.map(({ name }) => name),
    availability: acceptance(new Set(form.availability.filter(({ when }) => when === undefined))),
  };
}

/**
 * A heading for each opcode, then the forms' syntax lines. With `detailed` also what each says, the types its slots take
 * and where it can be had.
 */
export function listingText(entries: readonly FormEntry[], width: number, detailed: boolean): readonly string[] {
  const opcodes = [...new Set(entries.map(({ opcode }) => opcode))];
  return opcodes.flatMap((opcode) => {
    const own = entries.filter((entry) => entry.opcode === opcode);
    const count = own.length === 1 ? '1 form' : `${own.length} forms`;
    const heading = `${opcode}  (${count}, PTX ISA 9.1 section ${own[0]?.section ?? ''})`;
    return [heading, ...own.flatMap((entry) => entryText(entry, width, detailed)), ''];
  });
}

function entryText(entry: FormEntry, width: number, detailed: boolean): readonly string[] {
  const [first = '', ...rest] = wrapSyntax(entry.syntax, width - 6);
  const syntax = [`  ${first}`, ...rest.map((line) => `      ${line}`)];
  if (!detailed) return syntax;
  const facts = [
    ...wrap(entry.summary, width - 6),
    ...table(
      [
        ...entry.types.filter(({ types }) => types.length > 1).map(({ name, types }) => [`.${name}`, types.join(' ')]),
        ...groupAcceptance(entry.availability).map(({ since, words }) => [`PTX ${since}`, words]),
      ],
      width - 6,
      0,
    ),
  ];
  return [...syntax, ...facts.map((line) => `      ${line}`), ''];
}
