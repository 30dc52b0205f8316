/** The table of forms as a listing. */
import { type Acceptance, acceptance, rowsOf } from '../check/availability.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { type CompiledForm, splitMnemonic } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';
import { parseVersion } from '../isa/targets.ts';
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
  /** The targets that have some variant of the form, and the first version in which they do. */
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

function entryOf(compiled: CompiledForm): FormEntry {
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

/** For every target the first version that has some variant; variants under the same rules are looked at once. */
function earliestAcceptance(compiled: CompiledForm): readonly Acceptance[] {
  const seen = new Set<string>();
  const since = new Map<string, string>();
  for (const variant of plainVariants(compiled, { target: null, version: null })) {
    const rows = rowsOf(variant);
    const key = rows.map((row) => compiled.form.availability.indexOf(row)).join();
    if (seen.has(key)) continue;
    seen.add(key);
    for (const found of acceptance(new Set(rows))) {
      const known = since.get(found.target);
      if (known === undefined || parseVersion(found.since) < parseVersion(known)) since.set(found.target, found.since);
    }
  }
  return [...since].map(([target, version]) => ({ target, since: version }));
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
