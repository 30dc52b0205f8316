/** Finds out why no form accepts a mnemonic, and the nearest spelling that some form would accept. */
import type { Constraint } from '../../isa/conditions.ts';
import { type Axis, type CompiledForm, printMnemonic } from '../../isa/notation.ts';
import { liesOn } from '../../isa/modifiers.ts';
import { constraintHolds } from '../../isa/rules.ts';
import { joinWords } from '../../base/join-words.ts';
import type { OpcodeTable } from '../../isa/table.ts';
import { type TypeName, typeOf, isTypeName } from '../../isa/types.ts';
import { choicesIn, type FormMatch, isModifier, slotsFit, unknownModifier, type Written } from './form-match.ts';
import { listed } from './modifier-words.ts';
import { helpOf, part, type Problem, problem, wholeMnemonic } from './problem.ts';

/**
 * Returns the reasons why the closest form does not accept the mnemonic. If there is a similar legal spelling, the
 * returned problems suggest it.
 */
export function closestProblems(attempts: readonly FormMatch[]): readonly Problem[] {
  const [best, ...others] = [...attempts].sort((x, y) => weigh(x) - weigh(y));
  if (best === undefined) return [];
  const spelling = legalSpelling(best);
  const [first, ...rest] = best.problems.map((found) => comparedWithAll(found, attempts));
  if (first === undefined) return [];
  const alike =
    rest.length > 0 ? [] : others.filter(({ problems }) => problems.length === 1).flatMap(({ problems }) => problems);
  const same = alike.filter(({ code }) => code === first.code);
  const joined = joinedChoices(first, same) ?? joinedModifiers(first, same);
  const shown = joined ?? { ...first, spelling };
  const help = shown.help ?? withoutMissing(shown, alike) ?? (spelling === null ? example(best) : null);
  return inPlaceOfMissing(withOneMissing([{ ...shown, help }, ...rest]));
}

/** If several parts are missing, combines these problems into one. */
function withOneMissing(problems: readonly Problem[]): readonly Problem[] {
  const missing = problems.filter(({ code }) => code === 'PTX2032');
  const [first, ...others] = missing;
  if (first === undefined || others.length === 0) return problems;
  const allowed = allOf(missing.map(({ parameters }) => parameters['allowed'] ?? ''));
  const all: Problem = { ...first, parameters: { ...first.parameters, allowed } };
  return problems.filter((found) => !others.includes(found)).map((found) => (found === first ? all : found));
}

/**
 * If one part is missing and one modifier is wrong, the modifier was probably written in place of the part. In this
 * case, only the wrong modifier is reported, such as `.global` in `membar.global`.
 */
function inPlaceOfMissing(problems: readonly Problem[]): readonly Problem[] {
  const [missing] = problems.filter(({ code }) => code === 'PTX2032');
  const [wrong] = problems.filter(({ code }) => code === 'PTX2011');
  if (problems.length !== 2 || missing === undefined || wrong === undefined || helpOf(wrong) !== null) return problems;
  const { what = '', allowed = '' } = missing.parameters;
  return [{ ...wrong, help: `${what} needs ${allowed}` }];
}

/** Joins the parts that are needed into a list. A part can be a choice, as in `.sync, and .add or .min`. */
function allOf(needs: readonly string[]): string {
  const last = needs.at(-1) ?? '';
  const isPlain = needs.every((need) => !need.includes(' or '));
  return isPlain ? joinWords(needs, 'and') : `${needs.slice(0, -1).join(', ')}, and ${last}`;
}

/**
 * Returns an example spelling that has the first possible choice for each missing part; null if the mnemonic has other
 * problems.
 */
function example(made: FormMatch): string | null {
  if (made.unsure || !made.problems.every(({ code }) => code === 'PTX2032')) return null;
  const modifiers = complete(made, ({ values }) => values[0] ?? null);
  return modifiers === null ? null : `for example ${printMnemonic(made.compiled, made.types, modifiers)}`;
}

/**
 * Help for a mnemonic that lacks a modifier of the closest form. There may be another form that accepts all modifiers
 * of the mnemonic except one; the help then lists what this other form accepts instead of the wrong modifier. For
 * example, `mma` accepts the shape `.m16n8k32` for `.bf16` only with `.sp`.
 */
function withoutMissing(first: Problem, others: readonly Problem[]): string | null {
  const other = others.find(({ code, choices }) => code === 'PTX2011' && choices.length > 0);
  if (first.code !== 'PTX2032' || other === undefined) return null;
  const help = helpOf(joinedModifiers(other, others) ?? other);
  return `without ${first.parameters['allowed'] ?? ''}, ${help ?? ''}`;
}

/** Compares an unknown modifier with the modifiers of all forms, not only with those of the closest form. */
function comparedWithAll(found: Problem, attempts: readonly FormMatch[]): Problem {
  const { code, place, parameters } = found;
  if (code !== 'PTX2010' || place.kind !== 'part') return found;
  const forms = attempts.map(({ compiled }) => compiled);
  return unknownModifier(forms, { text: parameters['modifier'] ?? '', index: place.index });
}

/**
 * If the same modifier is the only problem with several forms, lists the modifiers that any of these forms accept
 * instead.
 */
function joinedModifiers(first: Problem, others: readonly Problem[]): Problem | null {
  if (first.code !== 'PTX2011' || first.choices.length === 0) return null;
  const same = others.filter(({ parameters }) => parameters['modifier'] === first.parameters['modifier']);
  const choices = unique([first, ...same].flatMap((found) => found.choices));
  return choices.length === first.choices.length ? null : { ...first, choices };
}

/**
 * A missing part is a more likely mistake than an extra one, and a wrong shape is the least likely mistake. Several
 * missing parts weigh hardly more than a single one: `ld.mmio` needs both `.relaxed` and `.sys`.
 */
function weigh({ problems }: FormMatch): number {
  const missing = problems.filter(({ code }) => code === 'PTX2030' || code === 'PTX2032');
  const others = problems.filter((found) => !missing.includes(found));
  return others.reduce(
    (sum, { code, parameters: { modifier = '' } }) => {
      if (code === 'PTX2034') return sum + 9.5;
      return sum + (code === 'PTX2011' && liesOn(modifier, 'shape') ? 11 : 10);
    },
    missing.length === 0 ? 0 : 8.8 + 0.2 * missing.length,
  );
}

/**
 * If several forms each require a different modifier, combines their problems into one problem that lists all of these
 * modifiers. For example, `atom.u32` lacks its operation, and adding any of the operations would make it legal.
 */
function joinedChoices(first: Problem, others: readonly Problem[]): Problem | null {
  if (first.code !== 'PTX2032') return null;
  const choices = new Set(
    [first, ...others].flatMap(({ parameters }) => parameters['allowed']?.split(/, | or /) ?? []),
  );
  if (choices.size < 2 || others.length === 0) return null;
  return { ...first, parameters: { ...first.parameters, allowed: listed([...choices]) } };
}

/**
 * Adds missing parts to the spelling and removes wrong ones. Returns null if the result is not legal, or if there are
 * several possible results.
 */
function legalSpelling(made: FormMatch): string | null {
  const { compiled, types } = made;
  const modifiers = made.unsure ? null : complete(made, naturalValue);
  return modifiers === null ? null : printMnemonic(compiled, types, modifiers);
}

/**
 * The modifiers that were written, together with those that `choose` selects for the missing ones; null if the result
 * is not legal.
 */
export function complete(
  { compiled, types, modifiers }: FormMatch,
  choose: (axis: Axis) => string | null,
): Readonly<Record<string, string>> | null {
  const completed: Record<string, string> = { ...modifiers };
  for (const axis of compiled.axes) {
    if (axis.optional || completed[axis.axis] !== undefined) continue;
    const value = choose(axis);
    if (value === null) return null;
    completed[axis.axis] = value;
  }
  for (const constraint of compiled.form.constraints ?? []) {
    const choices = { types: types.map(typeOf), modifiers: completed };
    if (constraintHolds(constraint, choices)) continue;
    if (!('modifier' in constraint)) return null;
    const needed = neededModifier(compiled, constraint);
    if (needed !== null && completed[needed.axis] === undefined) {
      completed[needed.axis] = needed.modifier;
      continue;
    }
    for (const axis of compiled.axes) if (completed[axis.axis] === constraint.modifier) delete completed[axis.axis];
  }
  return completed;
}

/** The modifier that a constraint requires, and its axis; null if any one of several modifiers is sufficient. */
function neededModifier(
  { axes }: CompiledForm,
  constraint: Constraint,
): { readonly axis: string; readonly modifier: string } | null {
  const [modifier, ...others] = constraint.kind === 'needs-modifier' ? constraint.oneOf : [];
  if (modifier === undefined || others.length > 0) return null;
  const axis = axes.find(({ values }) => values.includes(modifier));
  return axis === undefined ? null : { axis: axis.axis, modifier };
}

/** The modifier that an author most likely left out: the only possible one, or rounding to nearest. */
function naturalValue({ values }: Axis): string | null {
  return values.length === 1 || values[0] === '.rn' ? (values[0] ?? null) : null;
}

/** Returns the problems to report if no form accepts the types. Their help lists the types that are accepted. */
export function wrongTypes(
  table: OpcodeTable,
  opcode: string,
  types: readonly Written[],
  modifiers: readonly Written[],
): readonly Problem[] {
  const forms = table.forms(opcode);
  const names = types.map(({ text }) => text).filter(isTypeName);
  const unknown = modifiers.filter((modifier) => !isModifier(modifier.text));
  const lengths = forms.map(({ slots }) => slots.length);
  // An unknown word may be a misspelled type.
  if (unknown.length > 0 && names.length < Math.max(...lengths)) {
    return unknown.map((modifier) => unknownModifier(forms, modifier));
  }
  const place = types[0] === undefined ? wholeMnemonic : part(types[0].index);
  const options = {
    help: typeHelp(forms, names) + longerHelp(table, opcode),
    spelling: swapped(forms, names, modifiers),
    section: forms[0]?.form.section ?? null,
  };
  const found = names.length === 0 ? 'needs a type' : `does not take the ${typesInWords(names)}`;
  return [
    problem('PTX2020', place, { opcode, found }, options),
    ...unknown.map((modifier) => unknownModifier(forms, modifier)),
  ];
}

/** Points to longer opcodes that accept other types, such as `mul.lo` instead of `mul` for integers. */
function longerHelp(table: OpcodeTable, opcode: string): string {
  const longer = table.opcodes().filter((other) => other.startsWith(`${opcode}.`));
  if (longer.length === 0) return '';
  return `; ${joinWords(longer, 'and')} ${longer.length === 1 ? 'takes' : 'take'} other types`;
}

function typesInWords(names: readonly TypeName[]): string {
  return names.length === 1 ? `type ${names[0]}` : `types ${joinWords(names, 'and')}`;
}

/**
 * Help text that lists legal types. If the result type is wrong, these are the legal result types; otherwise, they are
 * the source types that are legal together with the given result type.
 */
function typeHelp(forms: readonly CompiledForm[], names: readonly TypeName[]): string {
  const [first] = names;
  const lengths = [...new Set(forms.map((compiled) => compiled.slots.length))].sort((a, b) => a - b);
  if (names.length > 0 && !lengths.includes(names.length)) {
    return `it takes ${joinWords(lengths.map(String), 'or')} type${lengths[0] === 1 && lengths.length === 1 ? '' : 's'}; found ${names.length}`;
  }
  const lists = names.length > 2 ? nearestLists(forms, names) : [];
  if (lists.length > 0) return `types that fit: ${listed(lists.map((list) => list.join('')))}`;
  for (const name of names) {
    const vectors = vectorsOf(forms, name);
    if (vectors.length > 0) return `${name} is only available packed: ${listed(vectors)}`;
  }
  const sameLength = forms.filter(({ slots }) => slots.length === (names.length === 0 ? lengths[0] : names.length));
  const sameResult = sameLength.filter(({ slots }) => first !== undefined && slots[0]?.types.includes(first));
  if (first === undefined || sameResult.length === 0) {
    return `${names.length > 1 ? 'the first type can be' : 'the type can be'} ${listed(unique(sameLength.flatMap((compiled) => compiled.slots[0]?.types ?? [])))}`;
  }
  const second = sameResult.flatMap((compiled) =>
    (compiled.slots[1]?.types ?? []).filter((type) => slotsFit(compiled, [first, type, ...names.slice(2)])),
  );
  if (second.length === 0) return `${first} cannot be followed by a second type`;
  return `with ${first}, the second type can be ${listed(unique(second))}`;
}

/** The maximum number of lists of types that a message suggests, and the maximum number that are tried per form. */
const mostLists = 6;
const mostTried = 4096;

/** The lists of types that forms accept and that differ from the given one in as few places as possible. */
function nearestLists(forms: readonly CompiledForm[], names: readonly TypeName[]): readonly (readonly TypeName[])[] {
  let least = names.length;
  let nearest = new Map<string, readonly TypeName[]>();
  for (const compiled of forms) {
    for (const list of typeLists(compiled, names.length)) {
      const differences = list.filter((type, i) => type !== names[i]).length;
      if (differences > least || !slotsFit(compiled, list)) continue;
      if (differences < least) nearest = new Map();
      least = differences;
      nearest.set(list.join(''), list);
    }
  }
  return least === names.length ? [] : [...nearest.values()].slice(0, mostLists);
}

/** Every list that consists of one type from each slot of a form; empty if there are too many such lists. */
function typeLists({ slots }: CompiledForm, length: number): readonly (readonly TypeName[])[] {
  const count = slots.reduce((product, { types }) => product * types.length, 1);
  if (slots.length !== length || count > mostTried) return [];
  return slots.reduce<readonly (readonly TypeName[])[]>(
    (lists, { types }) => lists.flatMap((list) => types.map((type) => [...list, type])),
    [[]],
  );
}

/** The packed types in these forms that consist of several elements of `type`: `.e4m3x2` for `.e4m3`. */
function vectorsOf(forms: readonly CompiledForm[], type: TypeName): readonly TypeName[] {
  const all = unique(forms.flatMap(({ slots }) => slots.flatMap(({ types }) => types)));
  return all.includes(type)
    ? []
    : all.filter((other) => /^x\d$/.test(other.slice(type.length)) && other.startsWith(type));
}

/**
 * The spelling with the two types swapped, because swapping them is a common mistake; null if the result is not legal.
 */
function swapped(
  forms: readonly CompiledForm[],
  names: readonly TypeName[],
  modifiers: readonly Written[],
): string | null {
  if (names.length !== 2) return null;
  return cleanSpelling(forms, [...names].reverse(), modifiers);
}

/** The mnemonic of the first form that accepts these types and modifiers unchanged, or null. */
export function cleanSpelling(
  forms: readonly CompiledForm[],
  names: readonly TypeName[],
  modifiers: readonly Written[],
): string | null {
  for (const compiled of forms) {
    const choices = slotsFit(compiled, names) ? choicesIn(compiled, names, modifiers) : null;
    if (choices !== null) return printMnemonic(compiled, names, choices);
  }
  return null;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
