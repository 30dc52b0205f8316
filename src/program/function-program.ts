/**
 * A checked function prepared for an engine: registers have slots in a frame, the operands of instructions are bound to
 * those slots, and labels are indices. It does not say how steps are executed.
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
import type { NamedRegister } from './frame.ts';
import type { Placed } from './layout.ts';

/** Moves a value between a register and an operand: truncated when read, extended when written. */
export interface Transfer {
  /** Slot of the operand's own value. */
  readonly operand: number;
  readonly register: number;
  readonly registerWidth: number;
  readonly type: PtxType;
  /** `!%p`: the predicate is inverted when read. */
  readonly negated: boolean;
}

/** The parts of an address operand: the value of a register, or a variable, or neither, and an offset in bytes. */
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

/** An operand that is a register, with the type that the instruction gives it; for traces. */
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
  /** The source position from `.loc`; null if there is none. */
  readonly source: SourcePlace | null;
  readonly guard: { readonly register: number; readonly negated: boolean } | null;
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
  readonly registers: readonly RegisterOperand[];
  readonly steps: readonly Step[];
  /** Slot of every name in the steps. */
  readonly places: ReadonlyMap<Ref, number>;
  /** Index of the instruction that a branch jumps to; -1 for an instruction that does not branch. */
  readonly target: number;
  /** Indices of the instructions that `brx.idx` may jump to, in the order of its list; empty for other instructions. */
  readonly targets: readonly number[];
  /** The arguments and results of a call; null for other instructions. */
  readonly call: CallSite | null;
}

/** `ret` is not counted as an executed instruction. */
export function isCounted({ steps }: ProgramInstruction): boolean {
  return !steps.some((step) => step.kind === 'return');
}

/**
 * A parameter or return value in a register of the function, and the position of its bytes in the local memory of an
 * activation.
 */
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
  /** Parameters of a kernel, by their offset in `.param` memory; empty for functions. */
  readonly parameters: readonly Placed[];
  readonly parameterBytes: number;
  /** Parameters of a function in `.reg`: loaded from local memory on entry. */
  readonly registerParameters: readonly RegisterFormal[];
  /** Return values of a function in `.reg`: stored to local memory on return. */
  readonly registerResults: readonly RegisterFormal[];
  /** Values at the start of a thread: zeros of the right type, and the constants of operands. */
  readonly initialFrame: readonly Bits[];
  /** Slots that hold the constant of an operand. */
  readonly constants: ReadonlySet<number>;
  readonly registers: readonly NamedRegister[];
  readonly instructions: readonly ProgramInstruction[];
  /** Bytes of `.shared` variables that the kernel and all functions it may call declare or use. */
  readonly shared: readonly Placed[];
  readonly sharedBytes: number;
  /** The part at their start that is reserved for the system. */
  readonly reservedBytes: number;
  /**
   * Bytes of local memory per activation: parameters and return values of a function, local variables, arguments of
   * calls.
   */
  readonly local: readonly Placed[];
  readonly localBytes: number;
  /** Start of the activation of a called function, from the base of this one. */
  readonly calleeBase: number;
  /** Threads of a block that `.reqntid` and `.maxntid` require or allow. */
  readonly requiredThreads: readonly number[] | null;
  readonly mostThreads: number | null;
  /** Performance directives of the header, in its order. */
  readonly tuning: readonly { readonly name: string; readonly values: readonly number[] }[];
  /**
   * Offset of a variable in its space; for local memory, from the base of the activation. Null for module variables,
   * whose addresses are in the module image.
   */
  readonly offsetOf: (symbol: VariableSymbol) => number | null;
}
