/** Computes addresses in the activations of a caller and its callee. */
import { isOnStack } from '../../program/layout.ts';
import type { Moved } from '../../program/call-site.ts';
import type { Code } from '../../wasm/code.ts';
import { alignTo16 } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import type { ThreadFrame } from '../regions/thread-frame.ts';

/** The calling function, and the code that is being generated for it. */
export interface ActivationParts {
  readonly code: Code;
  readonly shape: KernelShape;
  readonly fn: FunctionShape;
  readonly frame: Pick<ThreadFrame, 'field'>;
  readonly locals: RegionLocals;
}

export class Activations {
  private readonly parts: ActivationParts;
  /** The local that holds the address of the thread's local memory. */
  private readonly local: number;
  /** The local that holds the start of the callee's activation in the thread's local memory. */
  readonly calleeBase: number;

  constructor(parts: ActivationParts) {
    const { code } = parts;
    this.parts = parts;
    this.local = code.local('i32');
    this.calleeBase = code.local('i32');
  }

  /** Finds the thread's local memory, and sets `calleeBase` to the start of the caller's activation. */
  findLocal(): void {
    const { code, frame, locals, shape } = this.parts;
    frame.field('local').get(locals.thread).i32(alignTo16(shape.layout.localBytes)).op('i32.mul', 'i32.add');
    code.set(this.local);
    if (locals.base === null) code.i32(0);
    else code.get(locals.base);
    code.set(this.calleeBase);
  }

  /**
   * Sets the local `calleeBase` to the start of the callee's activation, so that offsets passed to `at` are relative to
   * it.
   */
  findCallee(): void {
    const { code, fn } = this.parts;
    this.findLocal();
    code.get(this.calleeBase).i32(fn.program.calleeBase).op('i32.add').set(this.calleeBase);
  }

  /** Number of bytes between the caller's variables and the callee's activation. */
  gap(): number {
    const { localBytes, calleeBase } = this.parts.fn.program;
    return calleeBase - localBytes;
  }

  /** Pushes an address in the activation at `calleeBase`. */
  at(offset: number): Code {
    return this.parts.code.get(this.local).get(this.calleeBase).op('i32.add').i32(offset).op('i32.add');
  }

  /** Pushes an address in the caller's activation. */
  atOwn(offset: number): Code {
    const { code, locals } = this.parts;
    code.get(this.local);
    if (locals.base !== null) code.get(locals.base).op('i32.add');
    return code.i32(offset).op('i32.add');
  }

  /** Pushes the address of a variable in the caller's activation. */
  own({ symbol }: Extract<Moved['value'], { readonly kind: 'variable' }>): Code {
    const { fn } = this.parts;
    if (!isOnStack(symbol.space)) throw new Error(`${symbol.name} is not in an activation`);
    return this.atOwn(fn.program.offsetOf(symbol) ?? 0);
  }
}
