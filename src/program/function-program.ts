/**
 * A checked function prepared for an engine: registers have slots in a frame, operands are bound to those slots, and
 * labels are replaced with the indices of instructions. The engine decides how steps are executed.
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

/**
 * Describes how a value is moved between a register and an operand. The value is truncated when the register is read
 * and extended when the register is written.
 */
export interface Transfer {
  /** The slot that holds the operand's value. */
  readonly operand: number;
  readonly register: number;
  readonly registerWidth: number;
  readonly type: PtxType;
  /** Whether the predicate is inverted when read, as in `!%p`. */
  readonly negated: boolean;
}

/** The parts of an address operand: a register, a variable or neither, plus an offset in bytes. */
export interface AddressSource {
  readonly place: number;
  readonly base:
    | {
        readonly kind: 'register';
        readonly register: number;
        readonly width: number;
        /** Whether an 8-bit or 16-bit register is sign-extended to 32 bits; if false, it is zero-extended. */
        readonly signed: boolean;
      }
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
  /** Index of the part: 0 for `.x`, 1 for `.y`, and so on; 0 for a register without parts. */
  readonly part: number;
  readonly width: number;
}

/** A register operand, with the type that it has in the instruction. Traces print the value as this type. */
export interface RegisterOperand {
  readonly register: number;
  readonly type: TypeName;
  readonly role: 'read' | 'write';
}

export interface ProgramInstruction {
  readonly variant: Variant;
  /** The PTX source line, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Position in the original source, from `.loc`; null if unknown. */
  readonly source: SourcePlace | null;
  readonly guard: { readonly register: number; readonly negated: boolean } | null;
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
  readonly registers: readonly RegisterOperand[];
  readonly steps: readonly Step[];
  /** The slot of every name in the steps. */
  readonly places: ReadonlyMap<Ref, number>;
  /** Index of the instruction that a branch jumps to; -1 for instructions that do not branch. */
  readonly target: number;
  /** Indices of the instructions that `brx.idx` may jump to, in the order of its list; empty for other instructions. */
  readonly targets: readonly number[];
  /** The arguments and results of a call; null for other instructions. */
  readonly call: CallSite | null;
  /**
   * Whether this is the second or a later part of an instruction that is split into several parts. Such parts are
   * neither counted nor traced.
   */
  readonly isPart: boolean;
}

/**
 * Whether an instruction is included in the number of executed instructions. `ret` is not included. If an instruction
 * is split into several parts, only the first part is included.
 */
export function isCounted({ steps, isPart }: ProgramInstruction): boolean {
  return !isPart && !steps.some((step) => step.kind === 'return');
}

/** A parameter or return value held in a register, and the position of its bytes in an activation's local memory. */
export interface RegisterFormal {
  readonly place: number;
  /** Width of the register in bits. */
  readonly width: number;
  readonly offset: number;
}

export interface FunctionProgram {
  readonly name: string;
  /** True for a kernel, whose activation begins at local address 0. */
  readonly entry: boolean;
  /** The parameters of a kernel, with their offsets in `.param` memory; empty for functions that are not kernels. */
  readonly parameters: readonly Placed[];
  readonly parameterBytes: number;
  /** A function's `.reg` parameters, which are loaded from local memory on entry. */
  readonly registerParameters: readonly RegisterFormal[];
  /** A function's `.reg` return values, which are stored in local memory on return. */
  readonly registerResults: readonly RegisterFormal[];
  /** The initial values of a thread's slots: zeros of the right type, and the values of constant operands. */
  readonly initialFrame: readonly Bits[];
  /** The slots whose values are constant operands. */
  readonly constants: ReadonlySet<number>;
  readonly registers: readonly NamedRegister[];
  readonly instructions: readonly ProgramInstruction[];
  /**
   * The `.shared` variables that are declared or used by the kernel or by a function that it may call. `sharedBytes` is
   * their total size.
   */
  readonly shared: readonly Placed[];
  readonly sharedBytes: number;
  /** Number of bytes at the start of `shared` that are reserved for the system. */
  readonly reservedBytes: number;
  /**
   * The part of `sharedBytes` that is taken up by ptxlab's hidden variables. Real devices do not need these variables,
   * so they do not count toward the kernel's use of shared memory.
   */
  readonly hiddenBytes: number;
  /**
   * Offset of the cluster barrier in the first block's shared memory; null for kernels that do not use the cluster
   * barrier.
   */
  readonly clusterBarrier: number | null;
  /** Whether accesses to shared memory may reach the memory of other blocks in the cluster. */
  readonly reachesOtherBlocks: boolean;
  /** Whether the kernel, or a function that it may call, uses tensor memory. */
  readonly usesTensorMemory: boolean;
  /** Whether the kernel, or a function that it may call, cancels blocks of the launch that have not started. */
  readonly cancelsBlocks: boolean;
  /** Whether the kernel, or a function that it may call, uses the special function unit (numerics/mufu-tables.ts). */
  readonly usesSpecialFunctions: boolean;
  /** Whether the kernel, or a function that it may call, reads textures. */
  readonly readsTextures: boolean;
  /**
   * The contents of an activation in local memory: a function's parameters and return values, local variables, and call
   * arguments. `localBytes` is their total size.
   */
  readonly local: readonly Placed[];
  readonly localBytes: number;
  /** The offset at which the activation of a callee begins, relative to the base of this function's activation. */
  readonly calleeBase: number;
  /**
   * The block extents that `.reqntid` requires. `mostThreads` is the maximum number of threads that `.maxntid` allows.
   */
  readonly requiredThreads: readonly number[] | null;
  readonly mostThreads: number | null;
  /** The cluster extents that `.reqnctapercluster` requires. */
  readonly requiredCluster: readonly number[] | null;
  /** The header's performance directives, in source order. */
  readonly tuning: readonly { readonly name: string; readonly values: readonly number[] }[];
  /**
   * Returns the offset of a variable in its state space. In local memory, the offset is relative to the base of the
   * activation. Returns null for variables whose addresses are in the module image.
   */
  readonly offsetOf: (symbol: VariableSymbol) => number | null;
}
