/**
 * Describes the meaning of an instruction as data. A form provides a short list of steps. Steps work on named values:
 * operands, which have the same names as in the syntax line, and temporaries. A step does not compute anything itself:
 * explain prints the steps, the reference engine executes them, and the fast engine compiles them.
 *
 * Before the first step, the operands that the instruction reads are truncated to the widths of their types. After the
 * last step, the results are extended to the width of the register (PTX ISA 9.1, section 9.4.1). The steps themselves
 * therefore do not depend on the widths of the registers.
 */
import type { Facts } from './facts.ts';
import { flowFacts, type FlowSteps } from './flow.ts';
import { groupFacts, type GroupSteps } from './group.ts';
import { memoryFacts, type MemorySteps } from './memory.ts';
import { tensorFacts, type TensorSteps } from './tensor.ts';
import { textureFacts, type TextureSteps } from './texture.ts';
import { valueFacts, type ValueSteps } from './value.ts';

/** The fields of each kind of step. */
export type Steps = ValueSteps & MemorySteps & FlowSteps & GroupSteps & TensorSteps & TextureSteps;

export type StepKind = keyof Steps;

/**
 * A step of one of the given kinds. An engine has a table with a handler for each kind of step, so it can look up the
 * handler with `handlers[step.kind]` and needs no switch statement.
 */
export type StepOf<Kind extends StepKind> = { [One in Kind]: { readonly kind: One } & Steps[One] }[Kind];

export type Step = StepOf<StepKind>;

/** A step that threads execute together. */
export type GroupStep = StepOf<keyof GroupSteps>;

/** The properties of each kind of step. */
export const stepFacts: { readonly [Kind in StepKind]: Facts<Steps[Kind]> } = {
  ...valueFacts,
  ...memoryFacts,
  ...flowFacts,
  ...groupFacts,
  ...tensorFacts,
  ...textureFacts,
};
