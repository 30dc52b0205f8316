/**
 * Describes the places in a program where compiled code calls the engine. The description contains the information that
 * the engine needs to continue or to report a fault.
 */
import type { Access } from '../machine/memory/segment.ts';
import type { AccessSpace, WindowSpace } from '../isa/spaces.ts';
import type { TensorCopy } from '../isa/tensor-copy.ts';
import type { TensorProduct } from '../isa/tensor-product.ts';
import type { SurfacePlace, TextureRead } from '../isa/texture-read.ts';
import type { BoxKind, BoxMode, BoxReduction } from '../isa/steps/memory.ts';

export type EngineCall = {
  /** PTX source line; 0 if the call does not belong to an instruction. */
  readonly line: number;
} & (
  | {
      readonly kind: 'access';
      readonly space: AccessSpace;
      readonly access: Access;
      readonly size: number;
      /**
       * Size of the function's own activation in local memory. The function cannot access local memory beyond the end
       * of this activation.
       */
      readonly localBytes: number;
    }
  /** A copy of a tensor box; `rank` is the number of coordinates. */
  | {
      readonly kind: BoxKind;
      readonly mode: BoxMode;
      readonly op: BoxReduction | null;
      readonly space: AccessSpace;
      readonly tensorSpace: AccessSpace;
      readonly rank: number;
    }
  | { readonly kind: 'tensor-product'; readonly product: TensorProduct }
  | { readonly kind: 'tensor-copy'; readonly copy: TensorCopy }
  | { readonly kind: 'texture-read'; readonly read: TextureRead }
  | { readonly kind: 'surface-address'; readonly place: SurfacePlace }
  /** A store to a surface; `values` is the number of values that the instruction provides. */
  | { readonly kind: 'surface-store'; readonly place: SurfacePlace; readonly values: number }
  | { readonly kind: 'cancel-blocks' }
  | { readonly kind: 'window'; readonly space: WindowSpace }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'trap' }
  | { readonly kind: 'require'; readonly what: string }
  /**
   * A call to a function whose activation does not fit on the stack. The address that is passed to the engine consists
   * of the start of the activation (lower 32 bits) and the index of the function.
   */
  | { readonly kind: 'stack' }
  /** A call through a register whose value is not the address of any function that the call may reach. */
  | { readonly kind: 'callee'; readonly name: string }
  | { readonly kind: 'builtin'; readonly fn: number }
  | { readonly kind: 'loop' }
  /** A `brx.idx` whose index is out of range; `count` is the number of targets. */
  | { readonly kind: 'switch'; readonly count: number }
);

type WithoutLine<T> = T extends unknown ? Omit<T, 'line'> : never;

/** Records that the instruction being lowered may call the engine, and returns the number of this call. */
export type RecordEngineCall = (call: WithoutLine<EngineCall>) => number;

/** Returns a function that adds the calls made by instructions on line `line` to a list. */
export function recorder(calls: EngineCall[], line: number): RecordEngineCall {
  return (call) => calls.push({ ...call, line }) - 1;
}
