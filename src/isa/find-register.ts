/** Finds special registers by name. */
import type { AvailabilityRow } from './conditions.ts';
import { registerParts, registerRows, type SpecialRegister } from './registers.ts';
import { isAlways } from './targets.ts';

const byName: ReadonlyMap<string, SpecialRegister> = new Map(registerRows.map((row) => [row.name, row]));

const availability: ReadonlyMap<SpecialRegister, AvailabilityRow> = new Map(
  registerRows.filter(({ since }) => !isAlways(since)).map((row) => [row, { subject: row.name, ways: [row.since] }]),
);

/**
 * The special register with a given name, such as `%laneid` or `%tid`; the name must not include a component such as
 * `.x`. Undefined if the name is unknown.
 */
export function findRegister(name: string): SpecialRegister | undefined {
  return byName.get(name);
}

/**
 * All names of special registers that can be written in an instruction, for suggestions. Vector registers are included
 * with each of their components, such as `%tid.x`.
 */
export function* registerSpellings(): Generator<string> {
  for (const { name, isVector } of registerRows) {
    if (isVector) for (const part of registerParts) yield name + part;
    else yield name;
  }
}

/**
 * The version and target that introduced a special register. Null if it exists in every version and on every target.
 */
export function availabilityOfRegister(register: SpecialRegister): AvailabilityRow | null {
  return availability.get(register) ?? null;
}

/** The index of `.x`, `.y`, `.z` or `.w`; null for any other word. */
export function partOfRegister(member: string): number | null {
  const part = registerParts.findIndex((known) => known === member);
  return part < 0 ? null : part;
}
