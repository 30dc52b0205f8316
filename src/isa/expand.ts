/**
 * The table, unrolled lazily: every legal variant of the forms asked for. Nothing is expanded at start-up; tests,
 * listings and completion draw as many as they need.
 */
import type { InstructionForm, Variant } from './form.ts';
import { type Axis, type CompiledForm, compileForm, makeVariant } from './notation.ts';
import { constraintHolds, relationHolds } from './rules.ts';
import { type TypeName, typeOf } from './types.ts';

export interface ExpandOptions {
  /**
   * What to do with axes that change no result (cache operators, eviction hints): `absent` leaves them out, `each`
   * shows every value of one such axis at a time.
   */
  readonly inert?: 'absent' | 'each';
}

/** Every legal variant of a form, types outermost, in the order of the table's sets. */
export function* expandForm(form: InstructionForm, options: ExpandOptions = {}): Generator<Variant> {
  const compiled = compileForm(form);
  for (const types of typeChoices(compiled, 0, [])) {
    if (!relationHolds(form.relation, types.map(typeOf))) continue;
    for (const modifiers of modifierChoices(compiled, options.inert ?? 'absent')) {
      const choices = { types: types.map(typeOf), modifiers };
      if ((form.constraints ?? []).every((constraint) => constraintHolds(constraint, choices))) {
        yield makeVariant(compiled, types, modifiers);
      }
    }
  }
}

/** Every legal variant of many forms. */
export function* expand(forms: Iterable<InstructionForm>, options: ExpandOptions = {}): Generator<Variant> {
  for (const form of forms) yield* expandForm(form, options);
}

function* typeChoices(
  compiled: CompiledForm,
  slot: number,
  chosen: readonly TypeName[],
): Generator<readonly TypeName[]> {
  const here = compiled.slots[slot];
  if (here === undefined) {
    yield chosen;
    return;
  }
  for (const type of here.types) yield* typeChoices(compiled, slot + 1, [...chosen, type]);
}

function* modifierChoices(
  compiled: CompiledForm,
  inert: 'absent' | 'each',
): Generator<Readonly<Record<string, string>>> {
  const still = compiled.form.inert ?? [];
  const moving = compiled.axes.filter((axis) => !still.includes(axis.axis) || !axis.optional);
  yield* axisChoices(moving, 0, {});
  if (inert === 'absent') return;
  for (const axis of compiled.axes.filter((candidate) => !moving.includes(candidate))) {
    for (const value of axis.values) {
      for (const chosen of axisChoices(moving, 0, {})) yield { ...chosen, [axis.axis]: value };
    }
  }
}

function* axisChoices(
  axes: readonly Axis[],
  index: number,
  chosen: Readonly<Record<string, string>>,
): Generator<Readonly<Record<string, string>>> {
  const axis = axes[index];
  if (axis === undefined) {
    yield chosen;
    return;
  }
  if (axis.optional) yield* axisChoices(axes, index + 1, chosen);
  for (const value of axis.values) yield* axisChoices(axes, index + 1, { ...chosen, [axis.axis]: value });
}
