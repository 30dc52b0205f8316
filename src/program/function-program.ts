/**
 * A checked function made ready for an engine: registers have places in a frame, instructions their operands tied to
 * those places, labels are indices. It says nothing about how steps are executed.
 */
import type { Bits } from '../base/bits.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { Variant } from '../isa/form.ts';
import type { SpecialRegister } from '../isa/registers.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import type { PtxType, TypeName } from '../isa/types.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { CallSite } from './call-site.ts';
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
  readonly base:
    | { readonly kind: 'variable'; readonly symbol: VariableSymbol }
    | { readonly kind: 'function'; readonly address: number };
  readonly offset: bigint;
}

/** An operand that reads a special register. */
export interface SpecialRead {
  readonly place: number;
  readonly register: SpecialRegister;
  /** Number of the part, from `.x`; 0 for a register without parts. */
  readonly part: number;
  readonly width: number;
}

/** An operand that is a register, with the type that the instruction sees it with; for traces. */
export interface RegisterOperand {
  readonly register: number;
  readonly type: TypeName;
  readonly role: 'read' | 'write';
}

export interface ProgramInstruction {
  readonly variant: Variant;
  /** 1-based line in the PTX text. */
  readonly line: number;
  readonly text: string;
  /** Where it comes from; null where no `.loc` says so. */
  readonly source: SourcePlace | null;
  readonly guard: { readonly register: number; readonly negated: boolean } | null;
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
  readonly registers: readonly RegisterOperand[];
  readonly steps: readonly Step[];
  /** Place of every name in the steps. */
  readonly places: ReadonlyMap<Ref, number>;
  /** Index of the instruction that a branch goes to; -1 for an instruction that does not branch. */
  readonly target: number;
  /** Indices of the instructions that `brx.idx` may go to, in the order of its list; empty for all others. */
  readonly targets: readonly number[];
  /** What a call hands over; null for all others. */
  readonly call: CallSite | null;
}

/** `ret` is not counted as an executed instruction. */
export function isCounted({ steps }: ProgramInstruction): boolean {
  return !steps.some((step) => step.kind === 'return');
}

/** A register by its place, for traces and messages. */
export interface NamedRegister {
  readonly name: string;
  readonly type: PtxType;
  readonly place: number;
}

/** A parameter or return value in a register of the function, and where its bytes lie in an activation's local memory. */
export interface RegisterFormal {
  readonly place: number;
  /** Bits of the register. */
  readonly width: number;
  readonly offset: number;
}

export interface FunctionProgram {
  readonly name: string;
  /** A kernel; its activation begins at local address 0. */
  readonly entry: boolean;
  /** Parameters of a kernel, by their place in `.param` memory; a function has none there. */
  readonly parameters: readonly Placed[];
  readonly parameterBytes: number;
  /** Parameters of a function in `.reg`: loaded from local memory when it is entered. */
  readonly registerParameters: readonly RegisterFormal[];
  /** Return values of a function in `.reg`: stored to local memory when it returns. */
  readonly registerResults: readonly RegisterFormal[];
  /** Values at the start of a thread: zeros of the right kind, and the constants of operands. */
  readonly initialFrame: readonly Bits[];
  /** Places that hold the constant of an operand. */
  readonly constants: ReadonlySet<number>;
  readonly registers: readonly NamedRegister[];
  readonly instructions: readonly ProgramInstruction[];
  /** Variables of `.shared` that the kernel and all it may call declare or use. */
  readonly shared: readonly Placed[];
  readonly sharedBytes: number;
  /** Those at the start of them that are the system's. */
  readonly reservedBytes: number;
  /**
   * What an activation has in local memory, from its base on: a function's parameters and return values, local variables,
   * arguments of calls.
   */
  readonly local: readonly Placed[];
  readonly localBytes: number;
  /** Where the activation of a function that this one calls begins, from the base of this one. */
  readonly calleeBase: number;
  /** Threads of a block that `.reqntid` and `.maxntid` demand or allow. */
  readonly requiredThreads: readonly number[] | null;
  readonly mostThreads: number | null;
  /**
   * Offset of a variable in the space it lives in, for local memory from the activation's base; null for module
   * variables, whose place the module knows.
   */
  readonly offsetOf: (symbol: VariableSymbol) => number | null;
}
