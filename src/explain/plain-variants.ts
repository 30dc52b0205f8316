/** The variants of a form that show what it can do: every choice of types and required modifiers, and one optional modifier more. */
import { isAvailableSomewhere, rowsOf } from '../check/availability.ts';
import type { Variant } from '../isa/form.ts';
import { type Axis, type CompiledForm, makeVariant } from '../isa/notation.ts';
import { constraintHolds, relationHolds } from '../isa/rules.ts';
import { isAvailable, newestVersion, type Target, type Version } from '../isa/targets.ts';
import { type TypeName, typeOf } from '../isa/types.ts';

/** A target and version to keep to; null for any target, and for the newest version. */
export interface Place {
  readonly target: Target | null;
  readonly version: Version | null;
}

/** The variants of a form that can be had at a place. */
export function* plainVariants(compiled: CompiledForm, place: Place): Generator<Variant> {
  for (const variant of legalVariants(compiled)) if (isHad(variant, place)) yield variant;
}

/** The variants of a form by its types, axes and constraints, wherever they can be had. */
export function* legalVariants(compiled: CompiledForm): Generator<Variant> {
  const required = compiled.axes.filter((axis) => !axis.optional);
  const optional = compiled.axes.filter((axis) => axis.optional);
  const extras: readonly Choice[] = [{}, ...optional.flatMap(choicesOf)];
  const bases = [...product(required)];
  for (const types of typeChoices(compiled)) {
    for (const base of bases) {
      for (const extra of extras) {
        const variant = makeVariant(compiled, types, { ...base, ...extra });
        if (isLegal(variant)) yield variant;
      }
    }
  }
}

type Choice = Readonly<Record<string, string>>;

function choicesOf({ axis, values }: Axis): readonly Choice[] {
  return values.map((value) => ({ [axis]: value }));
}

function* product([first, ...rest]: readonly Axis[]): Generator<Choice> {
  if (first === undefined) {
    yield {};
    return;
  }
  for (const choice of choicesOf(first)) for (const others of product(rest)) yield { ...choice, ...others };
}

function typeChoices({ slots }: CompiledForm): readonly (readonly TypeName[])[] {
  return slots.reduce<readonly (readonly TypeName[])[]>(
    (lists, slot) => lists.flatMap((list) => slot.types.map((type) => [...list, type])),
    [[]],
  );
}

function isLegal(variant: Variant): boolean {
  const { form, types } = variant;
  if (
    !relationHolds(
      form.relation,
      types.map(({ name }) => typeOf(name)),
    )
  )
    return false;
  return (form.constraints ?? []).every((constraint) => constraintHolds(constraint, variant));
}

/** True where the place has the variant. */
export function isHad(variant: Variant, { target, version }: Place): boolean {
  const judged = version ?? newestVersion;
  if (target === null) return isAvailableSomewhere(variant, judged);
  return judged >= target.since && rowsOf(variant).every((row) => isAvailable(row.ways, judged, target));
}
