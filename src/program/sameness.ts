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

/** Combines the limits of the values that a result depends on. */
function originFrom(among: Sameness, inputs: readonly Origin[]): Origin {
  const given = new Set<number>();
  for (const input of inputs) {
    among = meet(among, input.among);
    for (const place of input.given) given.add(place);
  }
  return { among, given: [...given] };
}

/** The origins of the values of one instruction, by slot. The same object is reused for each instruction. */
class Origins {
  private readonly isRegister: (place: number) => boolean;
  private readonly known: (Origin | undefined)[] = [];
  private places: number[] = [];

  constructor(isRegister: (place: number) => boolean) {
    this.isRegister = isRegister;
  }

  /** Starts a new instruction. */
  begin(): void {
    for (const place of this.places) this.known[place] = undefined;
    this.places = [];
  }

  set(place: number, origin: Origin): void {
    this.known[place] = origin;
    this.places.push(place);
  }

  of(place: number): Origin {
    return this.known[place] ?? this.ofRegister(place);
  }

  ofRegister(place: number): Origin {
    return this.isRegister(place) ? { among: 'grid', given: [place] } : constant;
  }
}

/** For each register that an instruction writes, adds the inputs on which the new value of the register depends. */
function addResults(
  instruction: ProgramInstruction,
  origins: Origins,
  registers: ReadonlyMap<number, Sameness>,
  hasLocal: boolean,
  to: Result[],
): void {
  const { guard, specials, addresses, reads, writes, steps, places, call } = instruction;
  origins.begin();
  for (const { place, register, part } of specials)
    origins.set(place, { among: samenessOf(register, part), given: [] });
  for (const { place, base } of addresses) {
    if (base.kind === 'register') origins.set(place, origins.ofRegister(base.register));
  }
  for (const { operand, register } of reads) origins.set(operand, origins.ofRegister(register));
  const condition = guard === null ? null : origins.ofRegister(guard.register);
  const written: number[] = [];
  for (const step of steps) {
    const { among, given, outputs } = uniformityOf(step, hasLocal);
    const inputs = given.map((ref) => origins.of(places.get(ref) ?? -1));
    const origin = originFrom(among, inputs);
    for (const ref of outputs) {
      const place = places.get(ref) ?? -1;
      origins.set(place, origin);
      if (registers.has(place)) written.push(place);
    }
  }
  const add = (register: number, origin: Origin): void => {
    to.push({ register, ...(condition === null ? origin : originFrom(origin.among, [origin, condition])) });
  };
  for (const place of new Set(written)) add(place, origins.of(place));
  for (const { operand, register } of writes) add(register, origins.of(operand));
  // The results of a call may differ between threads, even if the arguments are the same.
  for (const { value } of call?.results ?? []) {
    if (value.kind === 'register') add(value.place, { among: 'thread', given: [] });
  }
}

/**
 * Maps the slot of each register to the largest kind of group whose threads share the register's value. `hasLocal` is
 * true if a generic address may point to local memory. The registers in `mixed` may differ between any two threads.
 */
export function samenessOfRegisters(
  program: FunctionProgram,
  hasLocal: boolean,
  mixed: Iterable<number> = [],
): ReadonlyMap<number, Sameness> {
  const found = new Map<number, Sameness>(program.registers.map(({ place }) => [place, 'grid']));
  for (const place of mixed) found.set(place, 'thread');
  const origins = new Origins((place) => found.has(place));
  const results: Result[] = [];
  for (const instruction of program.instructions) addResults(instruction, origins, found, hasLocal, results);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { register, among, given } of results) {
      const before = found.get(register) ?? 'grid';
      let after = meet(before, among);
      for (const place of given) after = meet(after, found.get(place) ?? 'grid');
      if (after === before) continue;
      found.set(register, after);
      changed = true;
    }
  }
  return found;
}
