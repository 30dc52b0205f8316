/**
 * The values of four threads. Registers that are the same for all four are held in the scalar locals of `Values`.
 * Registers whose values may differ are held in vectors: one vector of four words, or two vectors with two 64-bit
 * values each. Code that handles one thread at a time uses the scalar locals: the values of each lane are copied to
 * these locals before the code for that lane runs.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import { type Uses, usesOf } from '../../program/uses.ts';
import type { Code } from '../../wasm/code.ts';
import type { IntegerType, Values } from '../regions/values.ts';
import { evenWords, highWordsTwice, lowWordsTwice } from './word-shuffles.ts';

/** Number of threads that run together. */
export const laneCount = 4;

/** A bit mask that contains all lanes. */
export const allLanes: number = 2 ** laneCount - 1;

/** The values of four threads: one vector of four words, or two vectors with two 64-bit values each. */
export type Vector =
  | { readonly type: 'i32'; readonly locals: readonly [number] }
  | { readonly type: 'i64'; readonly locals: readonly [number, number] };

/**
 * Returns the local that holds the value of a lane, the index of the value in the local, and the shape of the local.
 */
export function laneOf({ type, locals }: Vector, lane: number): readonly [number, number, 'i32x4' | 'i64x2'] {
  if (type === 'i32') return [locals[0], lane, 'i32x4'];
  return [elementAt(locals, lane >> 1), lane & 1, 'i64x2'];
}

interface MaskLocals {
  readonly i32: readonly [number];
  readonly i64: readonly [number, number];
}

export class Vectors {
  private readonly code: Code;
  private readonly values: Values;
  private readonly varying: ReadonlySet<number>;
  private readonly crosses: (place: number) => boolean;
  private readonly homes = new Map<number, Vector>();
  /** Locals that have been released. They can be used for other registers that are live only within one basic block. */
  private readonly spare: number[] = [];
  private readonly temporaries = new Map<number, Vector>();
  /** Slots whose value is in a scalar local, and whose vectors in `temporaries` are copies of this value. */
  private readonly copies = new Set<number>();
  private places: ReadonlyMap<Ref, number> = new Map();
  /**
   * The masks for 32-bit values and for the halves of 64-bit values. In lanes whose mask bits are 0, registers keep
   * their values. Null if all lanes are written.
   */
  private mask: MaskLocals | null = null;
  private maskLocals: MaskLocals | null = null;

  /**
   * `crosses` returns whether a register is live at the start of at least one basic block. Such a register needs locals
   * of its own.
   */
  constructor(code: Code, values: Values, varying: ReadonlySet<number>, crosses: (place: number) => boolean) {
    this.crosses = crosses;
    this.code = code;
    this.values = values;
    this.varying = varying;
  }

  begin(instruction: ProgramInstruction): void {
    this.values.begin(instruction);
    this.places = instruction.places;
    this.temporaries.clear();
    this.copies.clear();
  }

  isVarying(place: number): boolean {
    return this.varying.has(place);
  }

  // --- one thread at a time ------------------------------------------------------------------------------------------

  /** Copies the operands of an instruction, for one lane, into the scalar locals. */
  extractReads(instruction: ProgramInstruction, lane: number): void {
    for (const place of new Set(usesOf(instruction).reads)) if (this.varying.has(place)) this.extract(place, lane);
  }

  /** Copies the results of an instruction from the scalar locals back to one lane of the vectors. */
  insertWrites(instruction: ProgramInstruction, lane: number): void {
    for (const place of new Set(usesOf(instruction).writes)) {
      if (!this.varying.has(place)) continue;
      const { code } = this;
      const home = this.home(place);
      const [vector, index, name] = laneOf(home, lane);
      const insert = (): void => {
        code.get(vector);
        this.values.getPlace(place, home.type);
        code.lane(`${name}.replace_lane`, index).set(vector);
      };
      if (this.mask === null) insert();
      else code.get(this.mask.i32[0]).lane('i32x4.extract_lane', lane).if(insert);
    }
  }

  /** After an instruction whose results are the same for all lanes, copies the results to each lane. */
  splatWrites(instruction: ProgramInstruction): void {
    for (const place of new Set(usesOf(instruction).writes)) if (this.varying.has(place)) this.splatHome(place);
  }

  extract(place: number, lane: number): void {
    const home = this.home(place);
    const [vector, index, name] = laneOf(home, lane);
    this.code.get(vector).lane(`${name}.extract_lane`, index);
    this.values.setPlace(place, home.type);
  }

  /** Copies the value of a register's scalar local to all lanes of its vectors. */
  splatHome(place: number): void {
    const { code } = this;
    const { type, locals } = this.home(place);
    for (const vector of locals) {
      this.values.getPlace(place, type);
      code.vector(type === 'i64' ? 'i64x2.splat' : 'i32x4.splat').set(vector);
    }
  }

  /** Returns the vectors of a register whose value may differ between threads. */
  home(place: number): Vector {
    const known = this.homes.get(place);
    if (known !== undefined) return known;
    const reused = (): number | undefined => (this.crosses(place) ? undefined : this.spare.pop());
    const made = this.make(this.values.registerType(place), () => reused() ?? this.code.local('v128'));
    this.homes.set(place, made);
    return made;
  }

  /** If a register is live only within one basic block, makes its locals available to other registers. */
  release(place: number): void {
    this.values.release(place);
    this.spare.push(...(this.homes.get(place)?.locals ?? []));
    this.homes.delete(place);
  }

  private make(type: IntegerType, local: () => number): Vector {
    return type === 'i32' ? { type, locals: [local()] } : { type, locals: [local(), local()] };
  }

  // --- four threads at once ------------------------------------------------------------------------------------------

  placeOf(ref: Ref): number {
    const place = this.places.get(ref);
    if (place === undefined) throw new Error(`no slot for '${ref}'`);
    return place;
  }

  typeOf(ref: Ref): IntegerType {
    return this.temporaries.get(this.placeOf(ref))?.type ?? this.values.typeOf(ref);
  }

  /** Returns a local that can be used until the next instruction. */
  temporary(): number {
    return this.values.temporary('v128');
  }

  /** Returns the value of a slot as vectors of the given type. Constants and uniform values are copied to all lanes. */
  read(place: number, type: IntegerType): Vector {
    const found = this.temporaries.get(place) ?? (this.varying.has(place) ? this.home(place) : null);
    if (found !== null) return this.converted(found, type);
    const { code, values } = this;
    const made = this.make(type, () => this.temporary());
    made.locals.forEach((local) => {
      values.getPlace(place, type);
      code.vector(type === 'i64' ? 'i64x2.splat' : 'i32x4.splat').set(local);
    });
    return made;
  }

  /** Whether a scalar local holds the value, because it is the same for all four threads. */
  isSame(ref: Ref): boolean {
    const place = this.placeOf(ref);
    return !this.varying.has(place) && (!this.temporaries.has(place) || this.copies.has(place));
  }

  /** Records that the scalar local of a name holds the same value as every lane of its vectors. */
  markSame(ref: Ref): void {
    this.copies.add(this.placeOf(ref));
  }

  /**
   * Discards the vectors that an earlier step has set for a name. Called after code that sets the name's scalar local.
   */
  discard(ref: Ref): void {
    const place = this.placeOf(ref);
    this.temporaries.delete(place);
    this.copies.delete(place);
  }

  get(ref: Ref, type: IntegerType): Vector {
    return this.read(this.placeOf(ref), type);
  }

  /** Sets the value of a slot from vectors. */
  write(place: number, value: Vector): void {
    const { code } = this;
    if (!this.varying.has(place)) {
      this.temporaries.set(place, value);
      this.copies.delete(place);
      return;
    }
    const home = this.home(place);
    const source = this.converted(value, home.type);
    home.locals.forEach((local, i) => {
      const from = elementAt(source.locals, i);
      if (local === from) return;
      code.get(from);
      if (this.mask !== null) code.get(local).get(elementAt(this.mask[home.type], i)).vector('v128.bitselect');
      code.set(local);
    });
  }

  /** Writes the code of an instruction that changes only some lanes. `push` pushes the mask. */
  keepOnly({ writes }: Uses, push: () => unknown, write: () => void): void {
    const { code } = this;
    this.maskLocals ??= { i32: [code.local('v128')], i64: [code.local('v128'), code.local('v128')] };
    const { i32, i64 } = this.maskLocals;
    push();
    code.set(i32[0]);
    if (writes.some((place) => this.varying.has(place) && this.home(place).type === 'i64')) {
      code.get(i32[0]).get(i32[0]).shuffle(lowWordsTwice).set(i64[0]);
      code.get(i32[0]).get(i32[0]).shuffle(highWordsTwice).set(i64[1]);
    }
    this.mask = this.maskLocals;
    write();
    this.mask = null;
  }

  /**
   * Copies results that are the same for all threads to the scalar locals. This is needed if a result was computed as a
   * vector because one of the operands differs between threads.
   */
  keepUniform(instruction: ProgramInstruction): void {
    const { code } = this;
    for (const place of new Set(usesOf(instruction).writes)) {
      const value = this.temporaries.get(place);
      if (value === undefined || this.varying.has(place) || !this.values.isRegister(place)) continue;
      const type = this.values.registerType(place);
      const name = type === 'i32' ? 'i32x4.extract_lane' : 'i64x2.extract_lane';
      code.get(this.converted(value, type).locals[0]).lane(name, 0);
      this.values.setPlace(place, type);
    }
  }

  set(ref: Ref, value: Vector): void {
    this.write(this.placeOf(ref), value);
  }

  /** Returns the value of a name, in its current type. */
  present(ref: Ref): Vector {
    return this.get(ref, this.typeOf(ref));
  }

  /** Creates a value with new vectors, which the caller has to set. */
  fresh(type: IntegerType): Vector {
    return this.make(type, () => this.temporary());
  }

  /**
   * Creates a value and sets its vectors. `push` is called for each vector, with the vector's index, and must push its
   * contents.
   */
  made(type: IntegerType, push: (half: number) => unknown): Vector {
    const vector = this.make(type, () => this.temporary());
    vector.locals.forEach((local, half) => {
      push(half);
      this.code.set(local);
    });
    return vector;
  }

  /** Converts a value to another type by zero-extending it or taking the low halves. */
  converted(value: Vector, type: IntegerType): Vector {
    const { code } = this;
    if (value.type === type) return value;
    if (value.type === 'i32') {
      const [from] = value.locals;
      return this.made('i64', (half) =>
        code.get(from).vector(half === 0 ? 'i64x2.extend_low_i32x4_u' : 'i64x2.extend_high_i32x4_u'),
      );
    }
    const [low, high] = value.locals;
    return this.made('i32', () => code.get(low).get(high).shuffle(evenWords));
  }
}
