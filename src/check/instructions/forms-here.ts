/**
 * Reduces a table of forms to the forms that a module may use, so that messages suggest only what the module's version
 * and target support.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { CompiledForm } from '../../isa/notation.ts';
import type { Variant } from '../../isa/form.ts';
import { type OpcodeTable, ptxForms } from '../../isa/table.ts';
import { formatVersion, isAvailable } from '../../isa/targets.ts';
import type { TypeName } from '../../isa/types.ts';
import type { Judged } from '../availability.ts';
import { listed } from './modifier-words.ts';
import { cleanSpelling } from './refuse.ts';

/** The forms in `table` that the version and target support, without any types and modifiers that are not supported. */
export function formsHere(table: OpcodeTable, { version, target }: Judged): OpcodeTable {
  const known = new BoundedCache<string, readonly CompiledForm[]>(1000);
  const lacks = ({ ways }: AvailabilityRow): boolean => !isAvailable(ways, version, target);
  const forms = (opcode: string): readonly CompiledForm[] =>
    known.of(opcode, () => table.forms(opcode).flatMap((form) => without(form, form.form.availability.filter(lacks))));
  return {
    forms,
    opcodes: () => table.opcodes(),
    longerOpcodes: (opcode) => table.longerOpcodes(opcode).filter((longer) => forms(longer).length > 0),
  };
}

/**
 * Help text for an instruction whose type the version and target do not support, with a list of the supported types.
 * Returns null if no type is supported, or if the instruction has several types.
 */
export function typesInstead(opcode: string, { types, modifiers }: Variant, environment: Judged): string | null {
  if (types.length !== 1) return null;
  const written = Object.values(modifiers).map((text, index) => ({ text, index }));
  const forms = formsHere(ptxForms, environment).forms(opcode);
  const names = new Set(forms.flatMap(({ slots }) => (slots.length === 1 ? (slots[0]?.types ?? []) : [])));
  const accepted = [...names].filter((name) => cleanSpelling(forms, [name], written) !== null);
  if (accepted.length === 0) return null;
  const { version, target } = environment;
  const what = opcode + written.map(({ text }) => text).join('');
  return `for ${target.name} with .version ${formatVersion(version)}, ${what} takes ${listed(accepted)}`;
}

/**
 * Removes from a form the types and modifiers to which the rows apply. Returns an empty list if no variant is left.
 * Rows that apply only to a combination of types and modifiers are ignored.
 */
function without(compiled: CompiledForm, rows: readonly AvailabilityRow[]): readonly CompiledForm[] {
  if (rows.length === 0) return [compiled];
  const modifiers = new Set(rows.flatMap(onlyModifier));
  const slots = compiled.slots.map((slot, i) => {
    const types = new Set(rows.flatMap((row) => onlyTypes(row, i, compiled.slots.length)));
    return { ...slot, types: slot.types.filter((type) => !types.has(type)) };
  });
  const axes = compiled.axes.map((axis) => ({
    ...axis,
    values: axis.values.filter((value) => !modifiers.has(value)),
  }));
  const isEmpty =
    rows.some(({ when }) => when === undefined) ||
    slots.some(({ types }) => types.length === 0) ||
    axes.some(({ values, optional }) => values.length === 0 && !optional);
  return isEmpty ? [] : [{ ...compiled, slots, axes }];
}

/** The modifier to which a row applies regardless of the types. */
function onlyModifier({ when }: AvailabilityRow): readonly string[] {
  if (when === undefined || when.types !== undefined || when.without !== undefined) return [];
  return when.modifiers?.length === 1 ? when.modifiers : [];
}

/** The types in a slot to which a row applies regardless of the modifiers. */
function onlyTypes({ when }: AvailabilityRow, slot: number, slots: number): readonly TypeName[] {
  if (when === undefined || when.modifiers !== undefined || when.without !== undefined) return [];
  return when.slot === slot || (when.slot === undefined && slots === 1) ? (when.types ?? []) : [];
}
