/** Why no form takes a mnemonic, and the nearest spelling that one would take. */
import { type CompiledForm, printMnemonic } from '../isa/notation.ts';
import { constraintHolds } from '../isa/rules.ts';
import { joinWords } from '../base/join-words.ts';
import { type TypeName, typeOf } from '../isa/types.ts';
import { type Attempt, attempt, isModifier, listed, slotsFit, unknownModifier, type Written } from './attempt.ts';
import { part, type Problem, problem, wholeMnemonic } from './problem.ts';

/** The problems of the form that the mnemonic comes closest to, with a legal spelling if one is near. */
export function closestProblems(attempts: readonly Attempt[]): readonly Problem[] {
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

/** Types that no form has, with those that some form has. */
export function wrongTypes(
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

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
