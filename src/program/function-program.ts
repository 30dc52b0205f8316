/**
 * A checked function made ready for an engine: registers have places in a frame, instructions their operands tied to
 * those places, labels are indices. It says nothing about how steps are executed.
 */
import type { Bits } from '../base/bits.ts';
import type { Variant } from '../isa/form.ts';
import type { Ref, Step } from '../isa/steps.ts';
import type { PtxType } from '../isa/types.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { Placed } from './layout.ts';

/** Moves a value between a register and an operand: chopped on the way in, extended on the way out. */
export interface Transfer {
  /** Place of the operand's own value. */
  readonly operand: number;
  readonly register: number;
  readonly registerWidth: number;
  readonly type: PtxType;
  /** `!%p`: the predicate is read inverted. */
  readonly negated: boolean;
}

/** What an address operand is made of: a register's value, or a variable, or nothing, and an offset in bytes. */
export interface AddressSource {
  readonly place: number;
  readonly base:
    | { readonly kind: 'register'; readonly register: number; readonly width: number }
    | { readonly kind: 'variable'; readonly symbol: VariableSymbol }
    | { readonly kind: 'none' };
  readonly offset: bigint;
}

/** An operand whose value is the address of a variable or function. */
export interface SymbolAddress {
  readonly place: number;
  readonly width: number;
  readonly symbol: VariableSymbol | null;
  readonly offset: bigint;
}

/** An operand that reads a special register. */
export interface SpecialRead {
  readonly place: number;
  readonly register: string;
  readonly width: number;
}

export interface ProgramInstruction {
  readonly variant: Variant;
  /** 1-based line in the PTX text. */
  readonly line: number;
  readonly text: string;
  readonly guard: { readonly register: number; readonly negated: boolean } | null;
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
  readonly steps: readonly Step[];
  /** Place of every name in the steps. */
  readonly places: ReadonlyMap<Ref, number>;
  /** Index of the instruction that a branch goes to; -1 for an instruction that does not branch. */
  readonly target: number;
}

/** A register by its place, for traces and messages. */
export interface NamedRegister {
  readonly name: string;
  readonly type: PtxType;
  readonly place: number;
}

export interface FunctionProgram {
  readonly name: string;
  readonly parameters: readonly Placed[];
  readonly parameterBytes: number;
  /** Values at the start of a thread: zeros of the right kind, and the constants of operands. */
  readonly initialFrame: readonly Bits[];
  /** Places that hold the constant of an operand. */
  readonly constants: ReadonlySet<number>;
  readonly registers: readonly NamedRegister[];
  readonly instructions: readonly ProgramInstruction[];
  /** Variables of `.shared` and `.local` that this function declares or uses. */
  readonly shared: readonly Placed[];
  readonly sharedBytes: number;
  readonly local: readonly Placed[];
  readonly localBytes: number;
  /** Threads of a block that `.reqntid` and `.maxntid` demand or allow. */
  readonly requiredThreads: readonly number[] | null;
  readonly mostThreads: number | null;
  /** Offset of a variable in the space it lives in; null for module variables, whose place the module knows. */
  readonly offsetOf: (symbol: VariableSymbol) => number | null;
}
