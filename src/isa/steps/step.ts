/**
 * What an instruction does, as data. A form yields a short list of steps over named values: its operands, by the names
 * of its syntax line, and temporaries. Steps are printed by explain, executed by the reference engine, lowered by the
 * fast engine; no step computes anything itself.
 *
 * Operands are read before the first step, chopped to the type of the operand, and written after the last, extended to
 * the register (PTX ISA 9.1, 9.4.1); so a step never sees a register's width.
 */
import type { Facts } from './facts.ts';
import { flowFacts, type FlowSteps } from './flow.ts';
import { groupFacts, type GroupSteps } from './group.ts';
import { memoryFacts, type MemorySteps } from './memory.ts';
import { valueFacts, type ValueSteps } from './value.ts';

/** Fields of every kind of step. */
export type Steps = ValueSteps & MemorySteps & FlowSteps & GroupSteps;

export type StepKind = keyof Steps;

/** Steps of these kinds. Engines map kinds to handlers; a handler is found by `handlers[step.kind]` without a switch. */
export type StepOf<Kind extends StepKind> = { [One in Kind]: { readonly kind: One } & Steps[One] }[Kind];

export type Step = StepOf<StepKind>;

/** A step that threads execute together. */
export type GroupStep = StepOf<keyof GroupSteps>;

/** What is known of each kind. */
export const stepFacts: { readonly [Kind in StepKind]: Facts<Steps[Kind]> } = {
  ...valueFacts,
  ...memoryFacts,
  ...flowFacts,
  ...groupFacts,
};
