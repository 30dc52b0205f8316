/**
 * Steps that change or end the control flow of a thread, or the course of the launch. The target of a branch is given
 * by the name of an operand, not by a value.
 */
import { alone, type FactsOf } from './facts.ts';
import type { Ref } from './ref.ts';

/** A kind of step without fields. */
type Nothing = unknown;

/** Fields of each kind. */
export interface FlowSteps {
  readonly branch: { readonly target: string };
  /** brx.idx: continues at the target whose position in the list is `index`. */
  readonly switch: { readonly index: Ref; readonly targets: string };
  /**
   * Calls a function. The arguments and results depend on the function, so they are not fields of the step. The callee
   * is given by name or, with `indirect`, by a register that holds its address.
   */
  readonly call: { readonly callee: string; readonly indirect: boolean };
  /** Returns to the caller; in a kernel, ends the thread. */
  readonly return: Nothing;
  readonly exit: Nothing;
  /** Aborts the launch. */
  readonly trap: Nothing;
  /** Ends the launch with a fault unless the condition is true. `what` describes the problem. */
  readonly require: { readonly condition: Ref; readonly what: string };
  /** Orders memory accesses or lets other threads run. The step does not change any values. */
  readonly yield: Nothing;
  /**
   * Cancels the launch of the next cluster that has not started yet. Writes four words to `to`: the first shows whether
   * there was such a cluster, and the other three are the index of its first block.
   */
  readonly 'cancel-blocks': { readonly to: readonly Ref[] };
  /** An instruction that can be checked but not yet executed; running it causes a fault that names the instruction. */
  readonly unsupported: { readonly what: string };
}

export const flowFacts: FactsOf<FlowSteps> = {
  branch: { ...alone, values: {}, flow: 'branch' },
  switch: { ...alone, values: { index: 'in' }, flow: 'switch' },
  call: { ...alone, values: {}, flow: 'call' },
  return: { ...alone, values: {}, flow: 'return' },
  exit: { ...alone, values: {}, flow: 'exit' },
  trap: { ...alone, values: {}, flow: 'fault' },
  require: { ...alone, values: { condition: 'in' }, flow: 'next' },
  yield: { ...alone, values: {}, flow: 'next', looks: true },
  'cancel-blocks': { ...alone, values: { to: 'out' }, flow: 'next', same: { among: 'thread', given: 'inputs' } },
  unsupported: { ...alone, values: {}, flow: 'fault' },
};
