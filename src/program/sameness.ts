/**
 * Determines, for each register of a function, the largest kind of group whose threads all have the same value in the
 * register, such as a warp, a block or the whole grid. Only threads that take the same path are considered. If threads
 * execute an instruction with the same inputs, they also get the same result, unless the steps of the instruction
 * impose a stricter limit.
 */
import { samenessOf } from '../isa/registers.ts';
import { meet, type Sameness } from '../isa/sameness.ts';
import { uniformityOf } from '../isa/steps/effects.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';

/**
 * Limits on which threads share a value: they must be in the same group of the kind `among`, and they must share the
 * values of all registers in `given`.
 */
interface Origin {
  readonly among: Sameness;
  readonly given: readonly number[];
}

interface Result extends Origin {
  readonly register: number;
}

const constant: Origin = { among: 'grid', given: [] };

/** Combines the limits of all values that a result depends on, with `among` as an additional limit. */
function joined(origins: readonly Origin[], among: Sameness): Origin {
  return {
    among: origins.reduce((least, origin) => meet(least, origin.among), among),
    // Most values of a long instruction come from the same few registers.
    given: [...new Set(origins.flatMap(({ given }) => given))],
  };
}

/** Returns, for each register that an instruction writes, the inputs that it depends on. */
function resultsOf(
  instruction: ProgramInstruction,
  isRegister: (place: number) => boolean,
  hasLocal: boolean,
): readonly Result[] {
  const { guard, specials, addresses, reads, writes, steps, places, call } = instruction;
  const origins = new Map<number, Origin>();
  const register = (place: number): Origin => (isRegister(place) ? { among: 'grid', given: [place] } : constant);
  const originOf = (place: number): Origin => origins.get(place) ?? register(place);
  for (const { place, register: special, part } of specials) {
    origins.set(place, { among: samenessOf(special, part), given: [] });
  }
  for (const { place, base } of addresses) if (base.kind === 'register') origins.set(place, register(base.register));
  for (const { operand, register: source } of reads) origins.set(operand, register(source));
  const written = new Set<number>();
  for (const step of steps) {
    const { among, given, outputs } = uniformityOf(step, hasLocal);
    const origin = joined(
      given.map((ref) => originOf(places.get(ref) ?? -1)),
      among,
    );
    for (const ref of outputs) {
      const place = places.get(ref) ?? -1;
      origins.set(place, origin);
      if (isRegister(place)) written.add(place);
    }
  }
  const condition = guard === null ? constant : register(guard.register);
  const result = (place: number, origin: Origin): Result => ({
    register: place,
    ...joined([origin, condition], 'grid'),
  });
  return [
    ...[...written].map((place) => result(place, originOf(place))),
    ...writes.map(({ operand, register: place }) => result(place, originOf(operand))),
    // The results of a call may differ between threads, even if the arguments are the same.
    ...(call?.results ?? []).flatMap(({ value }) =>
      value.kind === 'register' ? [result(value.place, { among: 'thread', given: [] })] : [],
    ),
  ];
}

/**
 * Maps the slot of each register to the largest kind of group whose threads share the register's value. `hasLocal` is
 * true if a generic address may point to local memory.
 */
export function samenessOfRegisters(program: FunctionProgram, hasLocal: boolean): ReadonlyMap<number, Sameness> {
  const found = new Map<number, Sameness>(program.registers.map(({ place }) => [place, 'grid']));
  const isRegister = (place: number): boolean => found.has(place);
  const results = program.instructions.flatMap((instruction) => resultsOf(instruction, isRegister, hasLocal));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { register, among, given } of results) {
      const before = found.get(register) ?? 'grid';
      const after = given.reduce((least, place) => meet(least, found.get(place) ?? 'grid'), meet(before, among));
      if (after === before) continue;
      found.set(register, after);
      changed = true;
    }
  }
  return found;
}
