/**
 * Assigns slots to the values of one function: registers, constant operands and temporaries. The slots of temporaries
 * are reused by each instruction.
 */
import type { Bits } from '../base/bits.ts';
import type { RegisterUse } from '../check/binding/bind.ts';
import type { RegisterSymbol } from '../check/symbols.ts';
import { type Ref, sharedRefs } from '../isa/steps/ref.ts';
import { type PtxType, typeOf } from '../isa/types.ts';

/** A register and its slot, for traces and messages. */
export interface NamedRegister {
  readonly name: string;
  readonly type: PtxType;
  readonly place: number;
}

export class FrameBuilder {
  readonly initial: Bits[] = [];
  readonly registers: NamedRegister[] = [];
  private readonly bySymbol = new Map<RegisterSymbol, Map<string, number>>();
  private readonly constants = new Map<string, number>();
  private readonly temporaries: number[] = [];
  private used = 0;
  private readonly shared = new Map<Ref, number>();

  /** Returns the slot of a register. All uses of the register get the same slot. */
  register({ symbol, register, element }: RegisterUse): number {
    const name = element === null ? register : `${register}.${'xyzw'[element]}`;
    let names = this.bySymbol.get(symbol);
    if (names === undefined) {
      names = new Map();
      this.bySymbol.set(symbol, names);
    }
    const known = names.get(name);
    if (known !== undefined) return known;
    const place = this.value(symbol.type.width);
    names.set(name, place);
    this.registers.push({ name, type: symbol.type, place });
    return place;
  }

  /** Returns a new slot for a value of `width` bits. */
  value(width: number): number {
    this.initial.push(width > 32 ? 0n : 0);
    return this.initial.length - 1;
  }

  /** Makes the slots of all temporaries available again, because no temporary is used by more than one instruction. */
  beginInstruction(): void {
    this.used = 0;
  }

  /** Returns a slot for a temporary of the instruction being built. */
  temporary(): number {
    const known = this.temporaries[this.used++];
    if (known !== undefined) return known;
    const place = this.value(32);
    this.temporaries.push(place);
    return place;
  }

  /**
   * Returns the slot of a name that is listed in `sharedRefs`; null for all other names. A listed name has the same
   * slot in all instructions of the function.
   */
  sharedPlace(name: Ref): number | null {
    const type = sharedRefs.get(name);
    if (type === undefined) return null;
    const known = this.shared.get(name);
    if (known !== undefined) return known;
    const place = this.value(typeOf(type).width);
    this.shared.set(name, place);
    this.registers.push({ name, type: typeOf(type), place });
    return place;
  }

  /** Slots of constants. */
  get constantPlaces(): ReadonlySet<number> {
    return new Set(this.constants.values());
  }

  /** Returns a slot for a constant. The slot contains the constant from the start and is never written. */
  constant(bits: Bits): number {
    const key = `${typeof bits} ${bits}`;
    const known = this.constants.get(key);
    if (known !== undefined) return known;
    this.initial.push(bits);
    this.constants.set(key, this.initial.length - 1);
    return this.initial.length - 1;
  }
}
