/** Steps that say where a thread goes on, or that it does not. Targets are names of operands, not values. */
import { alone, type FactsOf } from './facts.ts';
import type { Ref } from './ref.ts';

/** A kind without fields. */
type Nothing = unknown;

/** Fields of each kind. */
export interface FlowSteps {
  readonly branch: { readonly target: string };
  /** brx.idx: goes on at the target whose number is `index`. */
  readonly switch: { readonly index: Ref; readonly targets: string };
  /**
   * Calls a function: what it is given and gives back differs from call to call and is not in the step. The callee is
   * named, or `indirect`, its address is in a register.
   */
  readonly call: { readonly callee: string; readonly indirect: boolean };
  /** Back to the caller; in a kernel, the thread ends. */
  readonly return: Nothing;
  readonly exit: Nothing;
  /** The thread asks for the launch to be ended. */
  readonly trap: Nothing;
  /** Orders memory accesses, or lets others run: no value changes. */
  readonly yield: Nothing;
  /** An instruction that is checked but not yet executed; running it is a named fault. */
  readonly unsupported: { readonly what: string };
}

export const flowFacts: FactsOf<FlowSteps> = {
  branch: { ...alone, values: {}, flow: 'branch' },
  switch: { ...alone, values: { index: 'in' }, flow: 'switch' },
  call: { ...alone, values: {}, flow: 'call' },
  return: { ...alone, values: {}, flow: 'return' },
  exit: { ...alone, values: {}, flow: 'exit' },
  trap: { ...alone, values: {}, flow: 'fault' },
  yield: { ...alone, values: {}, flow: 'next', looks: true },
  unsupported: { ...alone, values: {}, flow: 'fault' },
};
