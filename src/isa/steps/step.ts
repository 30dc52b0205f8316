/**
 * The meaning of an instruction as data. A form yields a short list of steps on named values: its operands, by their
 * names in the syntax line, and temporaries. Steps are printed by explain, executed by the reference engine, and
 * compiled by the fast engine; no step computes anything itself.
 *
 * Sources are read before the first step and truncated to the operand's type; results are written after the last step
 * and extended to the register (PTX ISA 9.1, 9.4.1). The steps themselves therefore do not depend on the widths of the
 * registers.
 */
import type { Facts } from './facts.ts';
import { flowFacts, type FlowSteps } from './flow.ts';
import { groupFacts, type GroupSteps } from './group.ts';
import { memoryFacts, type MemorySteps } from './memory.ts';
import { valueFacts, type ValueSteps } from './value.ts';

/** The fields of every kind of step. */
export type Steps = ValueSteps & MemorySteps & FlowSteps & GroupSteps;

export type StepKind = keyof Steps;

/** Steps of these kinds. Engines map kinds to handlers; `handlers[step.kind]` finds a handler without a switch. */
export type StepOf<Kind extends StepKind> = { [One in Kind]: { readonly kind: One } & Steps[One] }[Kind];

export type Step = StepOf<StepKind>;

/** A step that threads execute together. */
export type GroupStep = StepOf<keyof GroupSteps>;

/** The facts about each kind. */
export const stepFacts: { readonly [Kind in StepKind]: Facts<Steps[Kind]> } = {
  ...valueFacts,
  ...memoryFacts,
  ...flowFacts,
  ...groupFacts,
};
