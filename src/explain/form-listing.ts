/** Lists the instruction forms in the table. */
import { type Acceptance, acceptance, rowsOf } from '../check/availability.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { expandCompiled } from '../isa/expand.ts';
import type { Condition } from '../isa/conditions.ts';
import { type CompiledForm, opcodeIn } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';
import { parseVersion, type TargetName, type VersionName } from '../isa/targets.ts';
import { isAvailableFor, type TargetChoice, plainVariants } from './target-choice.ts';
import { table, wrapSyntax } from './table.ts';
import { groupAcceptance } from './targets.ts';

/** One form, with its syntax line split into parts. */
export interface FormEntry {
  readonly id: string;
  readonly opcode: string;
  readonly section: string;
  readonly syntax: string;
  readonly summary: string;
  readonly types: readonly { readonly name: string; readonly types: readonly string[] }[];
  readonly modifiers: readonly {
    readonly axis: string;
    /**
     * The name that the syntax line uses for the axis, such as `frnd`. If the axis has only one modifier, this is the
     * name of that modifier.
     */
    readonly name: string;
    readonly values: readonly string[];
    readonly optional: boolean;
  }[];
  readonly operands: readonly string[];
  /** The targets that support at least one variant of the form, each with the first PTX version in which it does so. */
  readonly availability: readonly Acceptance[];
}

/**
 * The forms that have at least one variant for the chosen version and target, in the order of the table. If `opcode` is
 * null, the forms of all opcodes are returned. `opcode` may also be the first word of several opcodes, such as `wgmma`,
 * in which case the forms of all these opcodes are returned.
 */
export function formsAt(choice: TargetChoice, opcode: string | null): readonly CompiledForm[] {
  const opcodes = opcode === null ? ptxForms.opcodes() : opcodesNamed(opcode);
  return opcodes.flatMap((name) => ptxForms.forms(name).filter((form) => hasAny(form, choice)));
}

/**
 * Returns the opcode that has exactly this name. If there is none, returns all opcodes that begin with the name and a
 * period.
 */
export function opcodesNamed(name: string): readonly string[] {
  const all = ptxForms.opcodes();
  const exact = all.filter((opcode) => opcodeIn(opcode) === name);
  return exact.length > 0 ? exact : all.filter((opcode) => opcode.startsWith(`${name}.`));
}

function hasAny(compiled: CompiledForm, choice: TargetChoice): boolean {
  return plainVariants(compiled, choice).next().done !== true;
}

/** Returns a form as plain data, with the types and modifiers that the version and target support. */
export function describeForm(compiled: CompiledForm, choice: TargetChoice): FormEntry {
  const { form, opcode, slots, axes } = compiled;
  const words = wordsAt(compiled, choice);
  const modifiers = axes.map(({ axis, name, values, optional }) => {
    return { axis, name, values: values.filter((value) => words.modifiers.has(value)), optional };
  });
  const gone = modifiers.filter(({ values }) => values.length === 0);
  return {
    id: form.id,
    opcode,
    section: form.section,
    syntax: gone.reduce((syntax, { name }) => syntax.replace(`{.${name}}`, ''), form.syntax.replace(/\s+/, ' ')),
    summary: form.summary,
    types: slots.map(({ name, types }, i) => ({ name, types: types.filter((type) => words.types[i]?.has(type)) })),
    modifiers: modifiers.filter((axis) => !gone.includes(axis)),
    operands: form.operands.map(({ name }) => name),
    availability: earliestAcceptance(compiled),
  };
}

interface Words {
  /** For each slot, the types that can occur in it. */
  readonly types: readonly ReadonlySet<string>[];
  readonly modifiers: ReadonlySet<string>;
}

/**
 * Collects the types and modifiers that occur in the variants for a version and target. Variants with at most one
 * optional modifier are tried first. A modifier that occurs in none of these variants may be valid only together with
 * another one, so the remaining modifiers are tried in pairs.
 */
function wordsAt(compiled: CompiledForm, choice: TargetChoice): Words {
  const types = compiled.slots.map(() => new Set<string>());
  const modifiers = new Set<string>();
  for (const variant of plainVariants(compiled, choice)) {
    variant.types.forEach(({ name }, i) => types[i]?.add(name));
    for (const modifier of Object.values(variant.modifiers)) modifiers.add(modifier);
  }
  const missing = new Set(compiled.axes.flatMap(({ values }) => values.filter((value) => !modifiers.has(value))));
  if (missing.size === 0) return { types, modifiers };
  for (const variant of expandCompiled(compiled, { optional: 'two' })) {
    const found = Object.values(variant.modifiers).filter((modifier) => missing.has(modifier));
    if (found.length === 0 || !isAvailableFor(variant, choice)) continue;
    for (const modifier of found) {
      modifiers.add(modifier);
      missing.delete(modifier);
    }
    if (missing.size === 0) break;
  }
  return { types, modifiers };
}

/**
 * Finds the first version in which each target supports at least one variant. If several variants have the same
 * requirements, it is enough to examine one of them.
 */
function earliestAcceptance(compiled: CompiledForm): readonly Acceptance[] {
  const { availability } = compiled.form;
  const told = new Set(availability.flatMap(({ when }) => [...(when?.types ?? []), ...wordsOf(when)]));
  const seen = new Set<string>();
  const since = new Map<TargetName, VersionName>();
  for (const variant of expandCompiled(compiled, { optional: 'one' })) {
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

/** Prints a heading for each opcode, followed by the syntax lines of its forms. */
export function listingText(entries: readonly FormEntry[], width: number): readonly string[] {
  const opcodes = [...new Set(entries.map(({ opcode }) => opcode))];
  return opcodes.flatMap((opcode) => {
    const own = entries.filter((entry) => entry.opcode === opcode);
    return [heading(opcode, own), ...own.flatMap(({ syntax }) => syntaxLines(syntax, width)), ''];
  });
}

/**
 * Like `listingText`, but also prints what each form does, the types of its slots, and the versions and targets that
 * support it.
 */
export function detailedText(entries: readonly FormEntry[], width: number): readonly string[] {
  const opcodes = [...new Set(entries.map(({ opcode }) => opcode))];
  return opcodes.flatMap((opcode) => {
    const own = entries.filter((entry) => entry.opcode === opcode);
    const texts = own.flatMap((entry) => [...syntaxLines(entry.syntax, width), ...factLines(entry, width), '']);
    return [heading(opcode, own), ...texts];
  });
}

function heading(opcode: string, own: readonly FormEntry[]): string {
  const section = own[0]?.section ?? '';
  return `${opcode}  (${own.length === 1 ? '1 form' : `${own.length} forms`}, PTX ISA 9.1 section ${section})`;
}

const indent = 6;

function syntaxLines(syntax: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrapSyntax(syntax.replace(/\s+/, ' '), width - indent);
  return [`  ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)];
}

function factLines({ summary, types, modifiers, availability }: FormEntry, width: number): readonly string[] {
  const isSet = (name: string, words: readonly string[]): boolean => words.length > 1 || words[0] !== `.${name}`;
  const slots = types
    .filter((slot) => isSet(slot.name, slot.types))
    .map((slot) => [`.${slot.name}`, slot.types.join(' ')]);
  const axes = modifiers
    .filter((axis) => isSet(axis.name, axis.values))
    .map((axis) => [`.${axis.name}`, axis.values.join(' ')]);
  const versions = groupAcceptance(availability).map(({ since, words }) => [`PTX ${since}`, words]);
  return [
    ...wrap(summary, width - indent).map((line) => ' '.repeat(indent) + line),
    ...table([...slots, ...axes, ...versions], width, indent),
  ];
}
