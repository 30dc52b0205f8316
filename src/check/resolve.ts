/**
 * From the text of a mnemonic to the forms it can mean. Dot-parts are sorted into type slots (ordered) and modifier axes
 * (unordered); what does not fit is explained by the form that it fits best.
 */
import type { CompiledForm } from '../isa/notation.ts';
import { makeVariant, printMnemonic, splitMnemonic } from '../isa/notation.ts';
import type { Constraint, Variant } from '../isa/form.ts';
import { modifierSets, otherModifiers } from '../isa/modifiers.ts';
import { opcodes } from '../isa/opcodes.ts';
import { constraintHolds, relationHolds } from '../isa/rules.ts';
import { type FormTable, ptxForms } from '../isa/table.ts';
import { joinWords } from '../isa/targets.ts';
import { isTypeName, type TypeName, typeOf } from '../isa/types.ts';
import { nearest } from './nearest.ts';
import { part, type Problem, problem, wholeMnemonic } from './problem.ts';

export type Resolution =
  /** One variant per form that the mnemonic can mean; the operands pick. */
  | { readonly kind: 'variants'; readonly opcode: string; readonly variants: readonly Variant[] }
  /** A PTX instruction that the table does not hold. */
  | { readonly kind: 'unchecked'; readonly opcode: string }
  | { readonly kind: 'refused'; readonly opcode: string; readonly problems: readonly Problem[] };

interface Written {
  readonly text: string;
  /** Index of the dot-part in the mnemonic as written; the opcode is 0. */
  readonly index: number;
}

interface Attempt {
  readonly compiled: CompiledForm;
  readonly types: readonly TypeName[];
  readonly modifiers: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

const capacity = 20_000;
const remembered = new Map<string, Resolution>();

/** What a mnemonic means by the table of PTX; remembered by its text. */
export function resolveMnemonic(mnemonic: string): Resolution {
  const known = remembered.get(mnemonic);
  if (known !== undefined) return known;
  const made = resolveIn(ptxForms, mnemonic);
  if (remembered.size >= capacity) remembered.clear();
  remembered.set(mnemonic, made);
  return made;
}

/** What a mnemonic means by a given table. */
export function resolveIn(table: FormTable, mnemonic: string): Resolution {
  const { opcode, parts } = splitMnemonic(mnemonic);
  const forms = table.forms(opcode);
  if (forms.length === 0) return unknownOpcode(table, opcode);
  const first = opcode.includes('.') ? 2 : 1;
  const types: Written[] = [];
  const modifiers: Written[] = [];
  parts.forEach((text, i) => (isTypeName(text) ? types : modifiers).push({ text, index: first + i }));
  const names = types.map((type) => type.text as TypeName);
  const fitting = forms.filter((compiled) => slotsFit(compiled, names));
  const attempts = fitting.map((compiled) => attempt(compiled, names, modifiers));
  const clean = attempts.filter((made) => made.problems.length === 0);
  if (clean.length > 0) {
    return {
      kind: 'variants',
      opcode,
      variants: clean.map((made) => makeVariant(made.compiled, made.types, made.modifiers)),
    };
  }
  const problems = fitting.length === 0 ? wrongTypes(forms, opcode, types, modifiers) : explain(attempts);
  return { kind: 'refused', opcode, problems };
}

function unknownOpcode(table: FormTable, opcode: string): Resolution {
  if (opcodes.has(opcode)) return { kind: 'unchecked', opcode };
  const spelling = nearest(opcode, [...table.opcodes(), ...opcodes]);
  const help = spelling === null ? null : `did you mean '${spelling}'?`;
  return { kind: 'refused', opcode, problems: [problem('PTX2001', part(0), { opcode }, { help })] };
}

function slotsFit(compiled: CompiledForm, names: readonly TypeName[]): boolean {
  const { slots, form } = compiled;
  if (slots.length !== names.length) return false;
  if (!slots.every((slot, i) => slot.types.includes(names[i] as TypeName))) return false;
  return relationHolds(form.relation, names.map(typeOf));
}

function attempt(compiled: CompiledForm, types: readonly TypeName[], written: readonly Written[]): Attempt {
  const chosen: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const modifier of written) {
    const axis = compiled.axes.find((candidate) => candidate.values.includes(modifier.text));
    if (axis === undefined) {
      problems.push(misplaced(compiled, types, modifier, chosen));
      if (!isModifier(modifier.text)) assume(compiled, nearestModifier(compiled, modifier), chosen);
    } else if (chosen[axis.axis] !== undefined) {
      const parameters = { modifier: modifier.text, first: chosen[axis.axis] as string, axis: axisWord(axis.axis) };
      problems.push(problem('PTX2012', part(modifier.index), parameters));
    } else {
      chosen[axis.axis] = modifier.text;
    }
  }
  problems.push(...missing(compiled, types, chosen));
  const choices = { types: types.map(typeOf), modifiers: chosen };
  for (const constraint of compiled.form.constraints ?? []) {
    if (!constraintHolds(constraint, choices)) problems.push(broken(constraint, compiled, types, written, chosen));
  }
  return { compiled, types, modifiers: chosen, problems };
}

// --- what is wrong with a form that has the right types -------------------------------------------------------------

const knownModifiers: ReadonlySet<string> = new Set(Object.values(modifierSets).flatMap((set) => set.values));

let tableModifiers: ReadonlySet<string> | null = null;

function isModifier(text: string): boolean {
  if (knownModifiers.has(text) || otherModifiers.has(text)) return true;
  tableModifiers ??= new Set(
    ptxForms
      .opcodes()
      .flatMap((opcode) => ptxForms.forms(opcode).flatMap((f) => f.axes.flatMap((axis) => axis.values))),
  );
  return tableModifiers.has(text);
}

const roundings: ReadonlySet<string> = new Set([
  '.rn',
  '.rz',
  '.rm',
  '.rp',
  '.rna',
  '.rs',
  '.rni',
  '.rzi',
  '.rmi',
  '.rpi',
]);

function misplaced(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifier: Written,
  chosen: Readonly<Record<string, string>>,
): Problem {
  const what = nameOf(compiled, types);
  const place = part(modifier.index);
  const { text } = modifier;
  if (!isModifier(text)) return unknownModifier(compiled, modifier);
  const rounding = compiled.axes.find((axis) => axis.axis === 'rounding');
  if (roundings.has(text)) {
    const first = chosen['rounding'];
    if (first !== undefined) return problem('PTX2012', place, { modifier: text, first, axis: 'rounding' });
    const allowed = rounding === undefined ? 'none' : listed(rounding.values);
    return problem('PTX2031', place, { modifier: text, what, allowed, opcode: compiled.opcode }, sectionOf(compiled));
  }
  return problem('PTX2011', place, { modifier: text, what, opcode: compiled.opcode }, sectionOf(compiled));
}

/** A misspelt modifier counts as the one that was meant, so that it is not reported as missing too. */
function assume(compiled: CompiledForm, meant: string | null, chosen: Record<string, string>): void {
  const axis = compiled.axes.find((candidate) => meant !== null && candidate.values.includes(meant));
  if (axis !== undefined && meant !== null) chosen[axis.axis] ??= meant;
}

function nearestModifier(compiled: CompiledForm, modifier: Written): string | null {
  return nearest(
    modifier.text,
    compiled.axes.flatMap((axis) => axis.values),
  );
}

function unknownModifier(compiled: CompiledForm, modifier: Written): Problem {
  const spelling = nearestModifier(compiled, modifier);
  const help = spelling === null ? null : `did you mean '${spelling}'?`;
  return problem('PTX2010', part(modifier.index), { modifier: modifier.text }, { help });
}

function missing(
  compiled: CompiledForm,
  types: readonly TypeName[],
  chosen: Readonly<Record<string, string>>,
): readonly Problem[] {
  const what = nameOf(compiled, types);
  return compiled.axes
    .filter((axis) => !axis.optional && chosen[axis.axis] === undefined)
    .map((axis) => {
      const parameters = { what, allowed: listed(axis.values), opcode: compiled.opcode };
      const code = axis.axis === 'rounding' ? 'PTX2030' : 'PTX2032';
      return problem(code, wholeMnemonic, parameters, sectionOf(compiled));
    });
}

function broken(
  constraint: Constraint,
  compiled: CompiledForm,
  types: readonly TypeName[],
  written: readonly Written[],
  chosen: Readonly<Record<string, string>>,
): Problem {
  const { opcode } = compiled;
  const what = nameOf(compiled, types);
  const placeOf = (modifier: string) => part(written.find((word) => word.text === modifier)?.index ?? 0);
  const section = sectionOf(compiled);
  switch (constraint.kind) {
    case 'needs-type': {
      const reason = `needs ${listed(constraint.types)} as one of the types`;
      return problem(
        'PTX2034',
        placeOf(constraint.modifier),
        { modifier: constraint.modifier, reason, opcode },
        section,
      );
    }
    case 'needs-narrowing-range': {
      const reason = `has nothing to clamp: every ${types[1] ?? ''} is in the range of ${types[0] ?? ''}`;
      return problem(
        'PTX2034',
        placeOf(constraint.modifier),
        { modifier: constraint.modifier, reason, opcode },
        section,
      );
    }
    case 'any-of':
      return problem('PTX2032', wholeMnemonic, { what, allowed: listed(constraint.modifiers), opcode }, section);
    case 'needs-modifier': {
      const reason = `needs ${listed(constraint.oneOf)} beside it`;
      return problem(
        'PTX2034',
        placeOf(constraint.modifier),
        { modifier: constraint.modifier, reason, opcode },
        section,
      );
    }
    case 'axis-goes-with': {
      const modifier = chosen[constraint.axis] ?? '';
      const other = chosen[constraint.other];
      if (other !== undefined) return problem('PTX2033', placeOf(modifier), { modifier, other }, section);
      const reason = `needs ${listed(constraint.values.filter((value) => value !== ''))} beside it`;
      return problem('PTX2034', placeOf(modifier), { modifier, reason, opcode }, section);
    }
    case 'axis-needs-bits': {
      const modifier = chosen[constraint.axis] ?? '';
      const reason = `needs vectors of ${constraint.bits} bits`;
      return problem('PTX2034', placeOf(modifier), { modifier, reason, opcode }, section);
    }
    case 'vector-bits': {
      const lanes = Number(chosen['vec']?.slice(2) ?? 1);
      const found = String(lanes * typeOf(types[0] as TypeName).width);
      return problem('PTX2035', placeOf(chosen['vec'] ?? ''), { found, allowed: String(constraint.bits) }, section);
    }
  }
}

/** The problems of the form that the mnemonic comes closest to, with a legal spelling if one is near. */
function explain(attempts: readonly Attempt[]): readonly Problem[] {
  const [best] = [...attempts].sort((x, y) => x.problems.length - y.problems.length);
  if (best === undefined) return [];
  const spelling = legalSpelling(best);
  return best.problems.map((found, i) => (i === 0 ? { ...found, spelling } : found));
}

/** The attempt with what is missing added and what is wrong left out; null where that is not legal either. */
function legalSpelling({ compiled, types, modifiers }: Attempt): string | null {
  const completed: Record<string, string> = { ...modifiers };
  for (const axis of compiled.axes) {
    if (!axis.optional && completed[axis.axis] === undefined) completed[axis.axis] = axis.values[0] as string;
  }
  for (const constraint of compiled.form.constraints ?? []) {
    const choices = { types: types.map(typeOf), modifiers: completed };
    if (constraintHolds(constraint, choices)) continue;
    if (!('modifier' in constraint)) return null;
    for (const axis of compiled.axes) if (completed[axis.axis] === constraint.modifier) delete completed[axis.axis];
  }
  return printMnemonic(compiled, types, completed);
}

// --- wrong types ----------------------------------------------------------------------------------------------------

function wrongTypes(
  forms: readonly CompiledForm[],
  opcode: string,
  types: readonly Written[],
  modifiers: readonly Written[],
): readonly Problem[] {
  const names = types.map((type) => type.text as TypeName);
  const unknown = modifiers.filter((modifier) => !isModifier(modifier.text));
  const [anyForm] = forms;
  const problems = anyForm === undefined ? [] : unknown.map((modifier) => unknownModifier(anyForm, modifier));
  const found = names.length === 0 ? '(none)' : names.join('');
  const place = types[0] === undefined ? wholeMnemonic : part(types[0].index);
  const options = {
    help: typeHelp(forms, names),
    spelling: swapped(forms, names, modifiers),
    section: anyForm?.form.section ?? null,
  };
  return [problem('PTX2020', place, { opcode, found }, options), ...problems];
}

/** What could stand in the slot that does not fit: the sources of a known result type, or all result types. */
function typeHelp(forms: readonly CompiledForm[], names: readonly TypeName[]): string {
  const [first] = names;
  const lengths = [...new Set(forms.map((compiled) => compiled.slots.length))].sort((a, b) => a - b);
  if (!lengths.includes(names.length)) {
    return `the instruction takes ${joinWords(lengths.map(String), 'or')} type${lengths[0] === 1 && lengths.length === 1 ? '' : 's'}; found ${names.length}`;
  }
  const sameLength = forms.filter((compiled) => compiled.slots.length === names.length);
  const sameResult = sameLength.filter((compiled) => compiled.slots[0]?.types.includes(first as TypeName));
  if (sameResult.length === 0) {
    return `allowed first types: ${listed(unique(sameLength.flatMap((compiled) => compiled.slots[0]?.types ?? [])))}`;
  }
  const second = sameResult.flatMap((compiled) =>
    (compiled.slots[1]?.types ?? []).filter((type) => slotsFit(compiled, [first as TypeName, type, ...names.slice(2)])),
  );
  return second.length === 0 ? `no second type goes with ${first}` : `with ${first} go: ${listed(unique(second))}`;
}

/** The same with the two types exchanged, where that is legal: a common slip. */
function swapped(
  forms: readonly CompiledForm[],
  names: readonly TypeName[],
  modifiers: readonly Written[],
): string | null {
  if (names.length !== 2) return null;
  const turned = [names[1] as TypeName, names[0] as TypeName];
  const clean = forms
    .filter((compiled) => slotsFit(compiled, turned))
    .map((compiled) => attempt(compiled, turned, modifiers))
    .find((made) => made.problems.length === 0);
  return clean === undefined ? null : printMnemonic(clean.compiled, clean.types, clean.modifiers);
}

// --- words ----------------------------------------------------------------------------------------------------------

function nameOf(compiled: CompiledForm, types: readonly TypeName[]): string {
  return compiled.opcode + types.join('');
}

function axisWord(axis: string): string {
  return axis === 'rounding' ? 'rounding' : axis;
}

function listed(words: readonly string[]): string {
  return joinWords(words, 'or');
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

function sectionOf(compiled: CompiledForm): { readonly section: string } {
  return { section: compiled.form.section };
}
