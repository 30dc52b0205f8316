/**
 * The meaning of an instruction as data. A form yields a short list of steps over named values: its operands, by the
 * names in its syntax line, and temporaries. Steps are printed by explain, executed by the reference engine, and
 * lowered by the fast engine; no step computes anything itself.
 *
 * Operands are read before the first step, truncated to the type of the operand, and written after the last, extended
 * to the register (PTX ISA 9.1, 9.4.1). So a step never sees a register's width.
 */
import type { Facts } from './facts.ts';
import { flowFacts, type FlowSteps } from './flow.ts';
import { groupFacts, type GroupSteps } from './group.ts';
import { memoryFacts, type MemorySteps } from './memory.ts';
import { valueFacts, type ValueSteps } from './value.ts';

/** Fields of every kind of step. */
export type Steps = ValueSteps & MemorySteps & FlowSteps & GroupSteps;

export type StepKind = keyof Steps;

/** Steps of these kinds. Engines map kinds to handlers; `handlers[step.kind]` finds a handler without a switch. */
export type StepOf<Kind extends StepKind> = { [One in Kind]: { readonly kind: One } & Steps[One] }[Kind];

export type Step = StepOf<StepKind>;

/** A step that threads execute together. */
export type GroupStep = StepOf<keyof GroupSteps>;

/** The facts of each kind. */
export const stepFacts: { readonly [Kind in StepKind]: Facts<Steps[Kind]> } = {
  ...valueFacts,
  ...memoryFacts,
  ...flowFacts,
  ...groupFacts,
};
