/**
 * Generates every legal variant of the requested forms, one at a time. Nothing is expanded at start-up; tests, listings
 * and completion request only as many variants as they need.
 */
import type { InstructionForm, Variant } from './form.ts';
import { type Axis, type CompiledForm, compileForm, makeVariant } from './notation.ts';
import { constraintHolds, relationHolds } from './rules.ts';
import { type TypeName, typeOf } from './types.ts';

export interface ExpandOptions {
  /**
   * What to do with axes that do not affect results, such as cache operators and eviction hints. `absent` leaves them
   * out. `each` also yields variants that have a modifier on exactly one of these axes.
   */
  readonly inert?: 'absent' | 'each';
  /**
   * How to combine the optional modifiers of a form. `all` yields every combination of the optional modifiers, except
   * that modifiers without an effect are left out. `one` yields variants with at most one optional modifier, and `two`
   * yields variants with at most two.
   */
  readonly optional?: 'all' | 'one' | 'two';
}

/**
 * Every legal variant of a form. Variants with the same types are yielded consecutively. Types and modifiers are used
 * in the order in which the table lists them.
 */
export function expandForm(form: InstructionForm, options: ExpandOptions = {}): Generator<Variant> {
  return expandCompiled(compileForm(form), options);
}

/** Like `expandForm`, for a form whose syntax line has already been parsed. */
export function* expandCompiled(compiled: CompiledForm, options: ExpandOptions = {}): Generator<Variant> {
  const { form } = compiled;
  for (const types of typeChoices(compiled, 0, [])) {
    if (!relationHolds(form.relation, types.map(typeOf))) continue;
    for (const modifiers of modifierChoices(compiled, options)) {
      const choices = { types: types.map(typeOf), modifiers };
      if ((form.constraints ?? []).every((constraint) => constraintHolds(constraint, choices))) {
        yield makeVariant(compiled, types, modifiers);
      }
    }
  }
}

/** Every legal variant of several forms. */
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

type Choice = Readonly<Record<string, string>>;

function modifierChoices(compiled: CompiledForm, { inert, optional }: ExpandOptions): Generator<Choice> {
  if (optional === 'one' || optional === 'two') return fewChoices(compiled.axes, optional === 'one' ? 1 : 2);
  return allChoices(compiled, inert ?? 'absent');
}

function* allChoices(compiled: CompiledForm, inert: 'absent' | 'each'): Generator<Choice> {
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

function* fewChoices(axes: readonly Axis[], most: number): Generator<Choice> {
  const optional = axes.filter((axis) => axis.optional);
  for (const base of axisChoices(
    axes.filter((axis) => !axis.optional),
    0,
    {},
  )) {
    yield* optionalChoices(optional, 0, most, base);
  }
}

/**
 * Yields the given choice, followed by every choice that adds at least one and at most `most` modifiers to it. At most
 * one modifier per axis is added. Only the axes from `index` on are used.
 */
function* optionalChoices(axes: readonly Axis[], index: number, most: number, chosen: Choice): Generator<Choice> {
  yield chosen;
  if (most === 0) return;
  for (const [offset, axis] of axes.slice(index).entries()) {
    for (const value of axis.values) {
      yield* optionalChoices(axes, index + offset + 1, most - 1, { ...chosen, [axis.axis]: value });
    }
  }
}

function* axisChoices(axes: readonly Axis[], index: number, chosen: Choice): Generator<Choice> {
  const axis = axes[index];
  if (axis === undefined) {
    yield chosen;
    return;
  }
  if (axis.optional) yield* axisChoices(axes, index + 1, chosen);
  for (const value of axis.values) yield* axisChoices(axes, index + 1, { ...chosen, [axis.axis]: value });
}
