/**
 * Places in a program where compiled code calls the engine, with the facts that the engine needs to continue or to
 * report a fault.
 */
import type { AccessSpace, WindowSpace } from '../isa/spaces.ts';

export type EngineCall = {
  /** Line in the PTX text. */
  readonly line: number;
} & (
  | {
      readonly kind: 'access';
      readonly space: AccessSpace;
      readonly access: 'load' | 'store';
      readonly size: number;
      /** Bytes of local memory of the function's own activation: nothing after them can be accessed. */
      readonly localBytes: number;
    }
  | { readonly kind: 'window'; readonly space: WindowSpace }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'trap' }
  /** A call without enough stack space for the activation; the function is given by its index. */
  | { readonly kind: 'stack'; readonly fn: number }
  /** A call through a register that does not hold the address of a function it may call. */
  | { readonly kind: 'callee'; readonly name: string }
  | { readonly kind: 'builtin'; readonly fn: number }
  | { readonly kind: 'loop' }
  /** `brx.idx` with a number of targets. */
  | { readonly kind: 'switch'; readonly count: number }
);

type WithoutLine<T> = T extends unknown ? Omit<T, 'line'> : never;

/** Records a call of the instruction being lowered; returns its number. */
export type RecordEngineCall = (call: WithoutLine<EngineCall>) => number;

/** Records the calls of instructions of a line in a list. */
export function recorder(calls: EngineCall[], line: number): RecordEngineCall {
  return (call) => calls.push({ ...call, line }) - 1;
}
