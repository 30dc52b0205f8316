/** One form tried on the parts of a mnemonic: the choices it makes of them, and everything that does not fit. */
import type { Constraint } from '../isa/form.ts';
import { modifierSets, otherModifiers } from '../isa/modifiers.ts';
import type { Axis, CompiledForm } from '../isa/notation.ts';
import { constraintHolds, relationHolds } from '../isa/rules.ts';
import { ptxForms } from '../isa/table.ts';
import { joinWords } from '../base/join-words.ts';
import { type TypeName, typeOf } from '../isa/types.ts';
import { nearest } from '../base/nearest.ts';
import { part, type Problem, problem, wholeMnemonic } from './problem.ts';

/** A dot-part of a mnemonic. */
export interface Written {
  readonly text: string;
  /** Index of the dot-part in the mnemonic as written; the opcode is 0. */
  readonly index: number;
}

export interface Attempt {
  readonly compiled: CompiledForm;
  readonly types: readonly TypeName[];
  readonly modifiers: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

/** True where the types can stand in the form's slots, and relate as it demands. */
export function slotsFit(compiled: CompiledForm, names: readonly TypeName[]): boolean {
  const { slots, form } = compiled;
  if (slots.length !== names.length) return false;
  if (!slots.every((slot, i) => slot.types.includes(names[i] as TypeName))) return false;
  return relationHolds(form.relation, names.map(typeOf));
}

/** Sorts modifiers into the form's axes and judges the result. */
export function attempt(compiled: CompiledForm, types: readonly TypeName[], written: readonly Written[]): Attempt {
  const chosen: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const modifier of written) {
    const axis = axisFor(compiled, modifier.text, chosen);
    if (axis === undefined) {
      problems.push(misplaced(compiled, types, modifier, chosen));
      if (!isModifier(modifier.text)) assume(compiled, nearestModifier(compiled, modifier), chosen);
    } else if (chosen[axis.axis] !== undefined) {
      const parameters = { modifier: modifier.text, first: chosen[axis.axis] as string, axis: axis.axis };
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

/** The axis of a modifier: of two that have it, the first on which nothing is chosen yet. */
function axisFor(compiled: CompiledForm, text: string, chosen: Readonly<Record<string, string>>): Axis | undefined {
  const axes = compiled.axes.filter((candidate) => candidate.values.includes(text));
  return axes.find((candidate) => chosen[candidate.axis] === undefined) ?? axes[0];
}

const knownModifiers: ReadonlySet<string> = new Set(Object.values(modifierSets).flatMap((set) => set.values));

let tableModifiers: ReadonlySet<string> | null = null;

/** True for a modifier of any instruction of PTX. */
export function isModifier(text: string): boolean {
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

/** A part that is no modifier at all, with the one that was probably meant. */
export function unknownModifier(compiled: CompiledForm, modifier: Written): Problem {
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

function nameOf(compiled: CompiledForm, types: readonly TypeName[]): string {
  return compiled.opcode + types.join('');
}

/** `a, b or c`. */
export function listed(words: readonly string[]): string {
  return joinWords(words, 'or');
}

function sectionOf(compiled: CompiledForm): { readonly section: string } {
  return { section: compiled.form.section };
}
