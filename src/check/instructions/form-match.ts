/**
 * Matches the parts of a mnemonic against one form of an instruction: finds the modifier that was chosen on each axis
 * of the form, and all parts that the form does not accept.
 */
import type { Constraint } from '../../isa/conditions.ts';
import { liesOn, modifierSets, modifiersOutside } from '../../isa/modifiers.ts';
import type { Axis, CompiledForm } from '../../isa/notation.ts';
import { constraintHolds, relationHolds } from '../../isa/rules.ts';
import { ptxForms } from '../../isa/table.ts';
import { type TypeName, typeOf } from '../../isa/types.ts';
import { once } from '../../base/once.ts';
import { likelyWord, listed, splitWord, withoutNumbers } from './modifier-words.ts';
import { type InstructionPart, part, type Problem, problem, wholeMnemonic } from './problem.ts';
import { elementAt } from '../../base/element-at.ts';

/** A dot-part of a mnemonic. */
export interface Written {
  readonly text: string;
  /** Index of the dot-part in the mnemonic as written; the opcode has index 0. */
  readonly index: number;
}

export interface FormMatch {
  readonly compiled: CompiledForm;
  readonly types: readonly TypeName[];
  readonly modifiers: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
  /**
   * True if there is a modifier that the form does not accept, and it is not clear which modifier was intended instead.
   */
  readonly unsure: boolean;
}

/**
 * True if each type is allowed in its slot of the form, and the types are related in the way that the form requires.
 */
export function slotsFit(compiled: CompiledForm, names: readonly TypeName[]): boolean {
  const { slots, form } = compiled;
  if (slots.length !== names.length) return false;
  if (!names.every((name, i) => slots[i]?.types.includes(name))) return false;
  return relationHolds(form.relation, names.map(typeOf));
}

/** The modifiers by axis if the form accepts all of them and none is missing; otherwise null. */
export function choicesIn(
  compiled: CompiledForm,
  types: readonly TypeName[],
  written: readonly Written[],
): Readonly<Record<string, string>> | null {
  const chosen: Record<string, string> = {};
  for (const { text } of written) {
    const axis = axisFor(compiled, text, chosen);
    if (axis === undefined || chosen[axis.axis] !== undefined) return null;
    chosen[axis.axis] = text;
  }
  if (compiled.axes.some((axis) => !axis.optional && chosen[axis.axis] === undefined)) return null;
  if (compiled.ordered.length > 0 && exchanged(compiled, written, chosen).length > 0) return null;
  const choices = { types: types.map(typeOf), modifiers: chosen };
  return (compiled.form.constraints ?? []).every((constraint) => constraintHolds(constraint, choices)) ? chosen : null;
}

/** Assigns modifiers to the form's axes and checks the result. */
export function matchForm(compiled: CompiledForm, types: readonly TypeName[], written: readonly Written[]): FormMatch {
  const chosen: Record<string, string> = {};
  const excused = new Set<string>();
  const problems: Problem[] = [];
  let unsure = false;
  for (const modifier of written) {
    const axis = axisFor(compiled, modifier.text, chosen);
    if (axis === undefined) {
      problems.push(misplaced(compiled, types, modifier, chosen));
      unsure = !assume(compiled, modifier, chosen, excused) || unsure;
      continue;
    }
    const first = chosen[axis.axis];
    if (first === undefined) chosen[axis.axis] = modifier.text;
    else {
      const parameters = { modifier: modifier.text, first, axis: axis.axis };
      problems.push(problem('PTX2012', part(modifier.index), parameters));
    }
  }
  const lacking = missing(compiled, types, chosen).filter(({ axis }) => !excused.has(axis));
  problems.push(...lacking.map(({ found }) => found));
  problems.push(
    ...exchanged(compiled, written, chosen).map(({ before, after }) =>
      problem('PTX2036', part(before.index), { modifier: before.text, other: after.text }, sectionOf(compiled)),
    ),
  );
  const choices = { types: types.map(typeOf), modifiers: chosen };
  for (const constraint of compiled.form.constraints ?? []) {
    if (constraintHolds(constraint, choices) || isReported(constraint, lacking)) continue;
    problems.push(broken(constraint, compiled, types, written, chosen));
  }
  return { compiled, types, modifiers: chosen, problems, unsure };
}

/** True if the modifier that a constraint requires has already been found to be missing. */
function isReported(constraint: Constraint, lacking: readonly Missing[]): boolean {
  if (constraint.kind !== 'needs-modifier') return false;
  return lacking.some(({ values }) => values.some((value) => constraint.oneOf.includes(value)));
}

/** Pairs of modifiers that are in the wrong order. */
function exchanged(
  { ordered }: CompiledForm,
  written: readonly Written[],
  chosen: Readonly<Record<string, string>>,
): readonly { readonly before: Written; readonly after: Written }[] {
  return ordered.flatMap((pair) => {
    const [before, after] = pair.map((axis) => written.find(({ text }) => text === chosen[axis]));
    return before !== undefined && after !== undefined && before.index > after.index ? [{ before, after }] : [];
  });
}

/**
 * The axis to which a modifier belongs. If several axes contain the modifier, this is the first of these axes that has
 * no modifier yet.
 */
function axisFor(compiled: CompiledForm, text: string, chosen: Readonly<Record<string, string>>): Axis | undefined {
  const axes = compiled.axes.filter((candidate) => candidate.values.includes(text));
  return axes.find((candidate) => chosen[candidate.axis] === undefined) ?? axes[0];
}

/**
 * The modifiers in the shared sets of the instruction table. Nearly all modifiers are in these sets, so it is rarely
 * necessary to search all syntax lines of the table for a modifier.
 */
const setModifiers: ReadonlySet<string> = new Set(Object.values(modifierSets).flatMap((set) => set.values));

let tableModifiers: ReadonlySet<string> | null = null;

/** True for a modifier of any PTX instruction, and for a word such as `.wide` that is part of an opcode. */
export function isModifier(text: string): boolean {
  if (setModifiers.has(text) || modifiersOutside.has(text)) return true;
  tableModifiers ??= new Set(
    ptxForms
      .opcodes()
      .flatMap((opcode) => [
        ...wordsOf(opcode),
        ...ptxForms.forms(opcode).flatMap(({ axes }) => axes.flatMap(({ values }) => values)),
      ]),
  );
  return tableModifiers.has(text);
}

function wordsOf(opcode: string): readonly string[] {
  const [, ...words] = opcode.split('.');
  return words.map((word) => `.${word}`);
}

function misplaced(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifier: Written,
  chosen: Readonly<Record<string, string>>,
): Problem {
  const what = nameOf(compiled, types);
  const place = part(modifier.index);
  const { text } = modifier;
  if (!isModifier(text)) return unknownModifier([compiled], modifier);
  const rounding = compiled.axes.find((axis) => axis.axis === 'rounding');
  if (liesOn(text, 'rounding')) {
    const first = chosen['rounding'];
    if (first !== undefined) return problem('PTX2012', place, { modifier: text, first, axis: 'rounding' });
    const allowed = rounding === undefined ? 'takes no rounding modifier' : `rounds with ${listed(rounding.values)}`;
    return problem('PTX2031', place, { modifier: text, what, allowed, opcode: compiled.opcode }, sectionOf(compiled));
  }
  const { section } = compiled.form;
  const choices = nearestChoices(replacedAxis(compiled, text)?.values ?? [], text);
  return problem('PTX2011', place, { modifier: text, what, opcode: compiled.opcode }, { section, choices });
}

/** A message lists at most this many modifiers. */
const mostChoices = 8;

/**
 * The modifiers of an axis. If there are many, returns only those that share the longest prefix with the written
 * modifier.
 */
function nearestChoices(values: readonly string[], text: string): readonly string[] {
  if (values.length <= mostChoices) return values;
  const lengths = values.map((value) => commonLength(value, text));
  const longest = Math.max(...lengths);
  return values.filter((_, i) => lengths[i] === longest).slice(0, mostChoices);
}

/** The length of the common prefix of two strings. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charAt(length) === other.charAt(length)) length += 1;
  return length;
}

/**
 * Treats a wrong modifier as if the intended modifier had been written, so that the intended modifier is not also
 * reported as missing. Returns false if it is not clear which modifier was intended.
 */
function assume(
  compiled: CompiledForm,
  { text }: Written,
  chosen: Record<string, string>,
  excused: Set<string>,
): boolean {
  if (!isModifier(text) && assumeBoth(compiled, text, chosen)) return true;
  const own = replacedAxis(compiled, text);
  if (isModifier(text) && own === undefined) return true;
  const meant = nearestModifier(own === undefined ? compiled.axes : [own], text);
  const axis = own ?? compiled.axes.find((candidate) => meant !== null && candidate.values.includes(meant));
  if (axis !== undefined) excused.add(axis.axis);
  if (axis === undefined || meant === null) return false;
  chosen[axis.axis] ??= meant;
  return true;
}

/**
 * Like `assume`, but for two modifiers of the form that are written without a dot between them. Returns false if the
 * text does not consist of two modifiers.
 */
function assumeBoth(compiled: CompiledForm, text: string, chosen: Record<string, string>): boolean {
  const words =
    splitWord(
      text,
      compiled.axes.flatMap(({ values }) => values),
    ) ?? [];
  for (const word of words) {
    const axis = axisFor(compiled, word, chosen);
    if (axis !== undefined) chosen[axis.axis] ??= word;
  }
  return words.length > 0;
}

/**
 * For a PTX modifier that only other forms accept, finds the axis to which it belongs in those forms. The author
 * probably meant one of the modifiers that this form accepts on that axis.
 */
function replacedAxis(compiled: CompiledForm, text: string): Axis | undefined {
  const alike = text.toLowerCase();
  return (
    compiled.axes.find(({ values }) => values.some((value) => value.toLowerCase() === alike)) ??
    compiled.axes.find(({ axis }) => liesOn(text, axis)) ??
    compiled.axes.find(({ values }) => values.some((value) => withoutNumbers(value) === withoutNumbers(text)))
  );
}

function nearestModifier(axes: readonly Axis[], text: string): string | null {
  return likelyWord(
    text,
    axes.flatMap(({ values }) => values),
  );
}

/** The problem to report for a part that is not a PTX modifier. */
export function unknownModifier(forms: readonly CompiledForm[], { text, index }: Written): Problem {
  const meant = once(() => {
    const words = modifiersOf(forms);
    return splitWord(text, words)?.join('') ?? likelyWord(text, words);
  });
  return problem('PTX2010', part(index), { modifier: text }, { meant, help: () => alikeHelp(forms, text) });
}

function modifiersOf(forms: readonly CompiledForm[]): readonly string[] {
  return forms.flatMap(({ axes, slots }) => [
    ...axes.flatMap(({ values }) => values),
    ...slots.flatMap(({ types }) => types),
  ]);
}

/** Help text with a list of all modifiers that differ from `text` only in their numbers. */
function alikeHelp(forms: readonly CompiledForm[], text: string): string | null {
  const alike = [...new Set(modifiersOf(forms))].filter((word) => withoutNumbers(word) === withoutNumbers(text));
  return alike.length === 0 ? null : `${forms[0]?.opcode ?? ''} takes ${listed(alike)}`;
}

interface Missing extends Pick<Axis, 'axis' | 'values'> {
  readonly found: Problem;
}

function missing(
  compiled: CompiledForm,
  types: readonly TypeName[],
  chosen: Readonly<Record<string, string>>,
): readonly Missing[] {
  const what = nameOf(compiled, types);
  return compiled.axes
    .filter((axis) => !axis.optional && chosen[axis.axis] === undefined)
    .map(({ axis, values }) => {
      const parameters = { what, allowed: listed(values), opcode: compiled.opcode };
      const code = axis === 'rounding' ? 'PTX2030' : 'PTX2032';
      return { axis, values, found: problem(code, wholeMnemonic, parameters, sectionOf(compiled)) };
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
      const reason = `has nothing to clamp, because every ${types[1] ?? ''} value is in the range of ${types[0] ?? ''}`;
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
      const reason = `needs ${listed(constraint.oneOf)} as well`;
      return problem(
        'PTX2034',
        placeOf(constraint.modifier),
        { modifier: constraint.modifier, reason, opcode },
        section,
      );
    }
    case 'axis-goes-with':
      return discord(constraint, compiled, chosen, placeOf);
    case 'axis-needs-bits': {
      const modifier = chosen[constraint.axis] ?? '';
      const reason = `needs ${constraint.bits}-bit vectors`;
      return problem('PTX2034', placeOf(modifier), { modifier, reason, opcode }, section);
    }
    case 'vector-bits': {
      const lanes = Number(chosen['vec']?.slice(2) ?? 1);
      const found = String(lanes * typeOf(elementAt(types, 0)).width);
      return problem('PTX2035', placeOf(chosen['vec'] ?? ''), { found, allowed: String(constraint.bits) }, section);
    }
  }
}

function nameOf(compiled: CompiledForm, types: readonly TypeName[]): string {
  return compiled.opcode + types.join('');
}

/** The problem to report if the modifiers on two axes cannot be combined. */
function discord(
  { axis: own, other, values }: Extract<Constraint, { readonly kind: 'axis-goes-with' }>,
  compiled: CompiledForm,
  chosen: Readonly<Record<string, string>>,
  placeOf: (modifier: string) => InstructionPart,
): Problem {
  const modifier = chosen[own] ?? '';
  const found = chosen[other];
  const section = sectionOf(compiled);
  const allowed = listed(values.filter((value) => value !== ''));
  if (found === undefined) {
    const reason = `needs ${allowed} as well`;
    return problem('PTX2034', placeOf(modifier), { modifier, reason, opcode: compiled.opcode }, section);
  }
  const orderOf = (name: string): number => compiled.axes.findIndex(({ axis }) => axis === name);
  const which = orderOf(other) < orderOf(own) ? 'first' : 'second';
  const help = found === modifier ? `the ${which} one must be ${allowed}` : `${modifier} goes only with ${allowed}`;
  const options = { ...section, help: allowed === '' ? null : help };
  return problem('PTX2033', placeOf(modifier), { modifier, other: found }, options);
}

function sectionOf(compiled: CompiledForm): { readonly section: string } {
  return { section: compiled.form.section };
}
