/**
 * An instruction form: one line of the ISA's syntax block, as plain data. All code that needs information about
 * instructions reads it from the table of forms: the resolver, the checker, the engines, `explain`, the listing and the
 * documentation. To add a form, it is therefore enough to add one entry to the table.
 */
import type { AvailabilityRow, Constraint, TypeRelation } from './conditions.ts';
import type { Environment } from './environment.ts';
import type { OperandPattern, Regime } from './operand-patterns.ts';
import type { Ref } from './steps/ref.ts';
import type { Step } from './steps/step.ts';
import type { PtxType } from './types.ts';

/** The values of constant operands, by the name of the operand. */
export type Constants = ReadonlyMap<string, number>;

export const noConstants: Constants = new Map();

export interface InstructionForm {
  /** A permanent, unique name, such as `cvt.f8x2.f32`. The name is used in test ids, documentation and listings. */
  readonly id: string;
  /** Section of PTX ISA 9.1. */
  readonly section: string;
  /** The syntax line in the ISA's notation, operands included. */
  readonly syntax: string;
  readonly summary: string;
  /** Sets of types or modifiers that the syntax line uses, but that modifiers.ts does not define. */
  readonly sets?: Readonly<Record<string, readonly string[]>>;
  readonly regime: Regime;
  readonly relation?: TypeRelation;
  readonly constraints?: readonly Constraint[];
  readonly availability: readonly AvailabilityRow[];
  readonly operands: readonly OperandPattern[];
  /**
   * Whether the instruction waits for other threads, or tests whether the thread must keep waiting. A loop that
   * contains such an instruction is recognized as a loop that waits for other threads.
   */
  readonly polls?: true;
  /**
   * The value that the instruction sets to true if the thread has to wait for other threads. The thread then executes
   * the instruction again.
   */
  readonly repeatsWhile?: Ref;
  /**
   * Whether the threads of the warp wait for each other only before the instruction (`before`), or before and after it
   * (`around`).
   */
  readonly meets?: 'before' | 'around';
  /** Axes whose modifiers do not affect results, so that tests and listings may ignore them. */
  readonly inert?: readonly string[];
  /**
   * The value of the condition code if the instruction is evaluated on its own, without an earlier instruction that
   * sets the condition code. This value means that there is no carry or borrow; it is 1 for instructions that borrow.
   * Default: 0.
   */
  readonly nothingCarried?: 0 | 1;
  /**
   * Builds the steps of the variant, as pure data. `constants` contains the values of the operands listed in
   * `decidedBy`; it is empty if only the variant is known, in which case typical values are assumed.
   */
  readonly steps: (variant: Variant, environment: Environment, constants?: Constants) => readonly Step[];
  /** Constant operands whose values determine the steps. */
  readonly decidedBy?: readonly string[];
}

/** A form for which all choices have been made. */
export interface Variant {
  readonly form: InstructionForm;
  /**
   * The opcode with its modifiers and types. The modifiers and types are always in the order in which the ISA lists
   * them, even if the text has a different order.
   */
  readonly mnemonic: string;
  readonly types: readonly PtxType[];
  /** The chosen modifier for each axis; an axis for which no modifier was chosen has no entry. */
  readonly modifiers: Readonly<Record<string, string>>;
  /** The selectors and signs of operands, by operand name: `.b3`, `-`, `-.b3`. Absent if empty. */
  readonly selectors?: Readonly<Record<string, string>>;
}
