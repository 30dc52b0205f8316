/**
 * The values of one region, which are held in locals: registers, which exist for the whole region, and temporaries,
 * which exist for one instruction. The bits of a value are zero-extended to the type of the local: an i32 for up to 32
 * bits, and an i64 for up to 64 bits. A 128-bit value has two i64 locals, and its upper half has a slot of its own. If
 * a region needs very many registers, some of them are held in memory instead.
 */
import type { Bits } from '../../base/bits.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';
import type { ValueType } from '../../wasm/opcodes.ts';
import { pushField } from '../context-field.ts';
import type { LaunchLayout } from '../layout.ts';
import { wholeOf } from '../upper-half.ts';
import type { FrameLayout } from './frame.ts';

export type IntegerType = 'i32' | 'i64';

type Home = { readonly kind: 'local'; readonly local: number } | { readonly kind: 'memory'; readonly offset: number };

interface Slot {
  readonly home: Home;
  readonly type: IntegerType;
}

/**
 * Maximum number of registers of a region that are held in locals. V8's baseline compiler does work for every local at
 * every branch, so the time to compile a region would otherwise grow with the square of its size.
 */
const mostRegisterLocals = 512;

/** Where registers without a local are held. */
export interface Overflow {
  readonly layout: LaunchLayout;
  readonly frame: Pick<FrameLayout, 'overflow'>;
}

/** The type that holds a value of `width` bits, or each half of a 128-bit value. */
export function holder(width: number): IntegerType {
  return width > 32 ? 'i64' : 'i32';
}

/**
 * Returns the slot of the upper half of a 128-bit value. Slots of upper halves come after all other slots of the
 * function.
 */
export function upperPlace({ initialFrame }: FunctionProgram, place: number): number {
  return initialFrame.length + place;
}

const knownWidths = new WeakMap<FunctionProgram, ReadonlyMap<number, number>>();

/**
 * Returns the widths of registers and of the halves of wide registers, by slot. The widths are the same for all regions
 * of a function.
 */
function widthsOf(program: FunctionProgram): ReadonlyMap<number, number> {
  const known = knownWidths.get(program);
  if (known !== undefined) return known;
  const made = new Map(
    program.registers.flatMap(({ place, type: { width } }) =>
      width <= 64
        ? [[place, width] as const]
        : ([
            [place, width / 2],
            [upperPlace(program, place), width / 2],
          ] as const),
    ),
  );
  knownWidths.set(program, made);
  return made;
}

export class Values {
  private readonly code: Code;
  private readonly program: FunctionProgram;
  private readonly widths: ReadonlyMap<number, number>;
  private readonly crosses: (place: number) => boolean;
  private readonly registers = new Map<number, Slot>();
  /** Storage locations that have been released. Other registers that are live only within one block can reuse them. */
  private readonly spare: Readonly<Record<IntegerType, Home[]>> = { i32: [], i64: [] };
  /** The number of storage locations that have been created, for both types together. */
  private homes = 0;
  private readonly overflow: Overflow;
  /** Locals that hold a value while the address for storing it is pushed. */
  private readonly passing: Partial<Record<IntegerType, number>> = {};
  private readonly temporaries = new Map<number, Slot>();
  private readonly pool: Readonly<Record<ValueType, number[]>> = { i32: [], i64: [], f32: [], f64: [], v128: [] };
  private readonly taken: Record<ValueType, number> = { i32: 0, i64: 0, f32: 0, f64: 0, v128: 0 };
  private places: ReadonlyMap<Ref, number> = new Map();

  /**
   * The function `crosses` returns whether a register is live at the start of at least one basic block. Such a register
   * does not share its storage location with other registers.
   */
  constructor(code: Code, program: FunctionProgram, crosses: (place: number) => boolean, overflow: Overflow) {
    this.code = code;
    this.overflow = overflow;
    this.program = program;
    this.crosses = crosses;
    this.widths = widthsOf(program);
  }

  /**
   * Starts a new instruction: from now on, names refer to the values of this instruction, and the temporaries of the
   * previous instruction can be reused.
   */
  begin(instruction: ProgramInstruction): void {
    this.places = instruction.places;
    // Clearing a map that is already empty would still allocate memory.
    if (this.temporaries.size > 0) this.temporaries.clear();
    this.taken.i32 = 0;
    this.taken.i64 = 0;
    this.taken.f32 = 0;
    this.taken.f64 = 0;
    this.taken.v128 = 0;
  }

  placeOf(ref: Ref): number {
    const place = this.places.get(ref);
    if (place !== undefined) return place;
    const whole = wholeOf(ref);
    if (whole === null) throw new Error(`no slot for '${ref}'`);
    return this.upperOf(this.placeOf(whole));
  }

  upperOf(place: number): number {
    return upperPlace(this.program, place);
  }

  /** Whether the value that a name refers to is 128 bits wide. */
  isWide(ref: Ref): boolean {
    const place = this.placeOf(ref);
    const upper = this.upperOf(place);
    if (this.widths.has(upper) || this.temporaries.has(upper)) return true;
    return this.slotOf(place) === null && BigInt(this.program.initialFrame[place] ?? 0) >> 64n !== 0n;
  }

  /** Returns a local that can be used until the next instruction. */
  temporary(type: ValueType): number {
    const pool = this.pool[type];
    const known = pool[this.taken[type]++];
    if (known !== undefined) return known;
    const local = this.code.local(type);
    pool.push(local);
    return local;
  }

  /** Returns the current type of the value that a name refers to. */
  typeOf(ref: Ref): IntegerType {
    const place = this.placeOf(ref);
    const slot = this.slotOf(place);
    return slot?.type ?? (typeof this.program.initialFrame[place] === 'bigint' ? 'i64' : 'i32');
  }

  /** Returns the value that a name refers to if the value is a constant, otherwise null. */
  constantOf(ref: Ref): Bits | null {
    const place = this.placeOf(ref);
    return this.slotOf(place) === null ? (this.program.initialFrame[place] ?? null) : null;
  }

  /** Whether a slot belongs to a register. */
  isRegister(place: number): boolean {
    return this.slotOf(place) !== null;
  }

  /** Returns the type in which a register is held. */
  registerType(place: number): IntegerType {
    const slot = this.slotOf(place);
    if (slot === null) throw new Error(`slot ${place} is not a register`);
    return slot.type;
  }

  /**
   * Releases the storage location of a register, so that others can reuse it. The register must be live only within one
   * block.
   */
  release(place: number): void {
    const slot = this.registers.get(place);
    if (slot === undefined) return;
    this.registers.delete(place);
    this.spare[slot.type].push(slot.home);
  }

  /** Sets a register to zero. */
  clear(place: number): void {
    const type = this.registerType(place);
    if (type === 'i64') this.code.i64(0n);
    else this.code.i32(0);
    this.setPlace(place, type);
  }

  get(ref: Ref, type: IntegerType): void {
    this.getPlace(this.placeOf(ref), type);
  }

  set(ref: Ref, type: IntegerType): void {
    this.setPlace(this.placeOf(ref), type);
  }

  /** Pushes a value. If no instruction writes to a slot, its value is a constant. */
  getPlace(place: number, type: IntegerType): void {
    const { code } = this;
    const slot = this.slotOf(place);
    if (slot === null) {
      const bits = this.initial(place);
      if (type === 'i32') code.i32(Number(BigInt.asIntN(32, BigInt(bits))));
      else code.i64(BigInt(bits));
      return;
    }
    if (slot.home.kind === 'local') code.get(slot.home.local);
    else this.pushFrames().memory(`${slot.type}.load`, slot.home.offset);
    this.convert(slot.type, type);
  }

  private initial(place: number): Bits {
    const { initialFrame } = this.program;
    const known = initialFrame[place];
    return known ?? BigInt(initialFrame[place - initialFrame.length] ?? 0) >> 64n;
  }

  /** Pops a value of the given type from the stack and stores it in a slot. */
  setPlace(place: number, type: IntegerType): void {
    let slot = this.slotOf(place);
    if (slot === null || (!this.widths.has(place) && slot.type !== type)) {
      slot = { home: { kind: 'local', local: this.temporary(type) }, type };
      this.temporaries.set(place, slot);
    }
    this.convert(type, slot.type);
    this.setHome(slot);
  }

  private setHome({ home, type }: Slot): void {
    const { code } = this;
    if (home.kind === 'local') {
      code.set(home.local);
      return;
    }
    this.passing[type] ??= code.local(type);
    const value = this.passing[type];
    code.set(value);
    this.pushFrames().get(value).memory(`${type}.store`, home.offset);
  }

  private pushFrames(): Code {
    return pushField(this.code, this.overflow.layout, 'frames');
  }

  private slotOf(place: number): Slot | null {
    const known = this.registers.get(place) ?? this.temporaries.get(place);
    if (known !== undefined) return known;
    const width = this.widths.get(place);
    if (width === undefined) return null;
    const type = holder(width);
    const reused = this.crosses(place) ? undefined : this.spare[type].pop();
    const slot = { home: reused ?? this.newHome(type), type };
    this.registers.set(place, slot);
    return slot;
  }

  private newHome(type: IntegerType): Home {
    const { layout, frame } = this.overflow;
    const index = this.homes++ - mostRegisterLocals;
    const offset = index < 0 ? null : frame.overflow(index);
    if (offset === null) return { kind: 'local', local: this.code.local(type) };
    return { kind: 'memory', offset: layout.origin + offset };
  }

  private convert(from: IntegerType, to: IntegerType): void {
    if (from === to) return;
    this.code.op(from === 'i32' ? 'i64.extend_i32_u' : 'i32.wrap_i64');
  }
}
