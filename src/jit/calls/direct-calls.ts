/**
 * Writes calls after which a thread continues immediately in the same region. The callee is either a built-in function,
 * which the engine runs, or a direct function (program/direct-functions.ts), which is compiled to one WebAssembly
 * function.
 */
import { elementAt } from '../../base/element-at.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { RecordEngineCall } from '../engine-call.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { CalleeFrame, type CallerParts, siteOfCall } from './callee-frame.ts';

/**
 * The type of a direct function. The function takes the context, the thread, the address at which its activation begins
 * in the thread's local memory, and the remaining fuel. When the function ends, it returns the remaining fuel.
 */
export const directType: FunctionType = { parameters: ['i32', 'i32', 'i32', 'i32'], results: ['i32'] };

/** Returns the index of a direct function in the generated module. */
export type CodeOfDirect = (shape: KernelShape, index: number) => number;

interface DirectCallParts extends CallerParts {
  readonly codeOf: CodeOfDirect;
}

export class DirectCalls {
  private readonly parts: DirectCallParts;
  private readonly frame: CalleeFrame;

  constructor(parts: DirectCallParts) {
    this.parts = parts;
    this.frame = new CalleeFrame(parts);
  }

  call(instruction: ProgramInstruction, recordCall: RecordEngineCall): void {
    const site = siteOfCall(instruction);
    if (site.callee.kind !== 'direct') throw new Error('a call through a register ends a region');
    const { function: index } = site.callee;
    const { frame } = this;
    const { code, shape, locals, codeOf } = this.parts;
    const callee = elementAt(shape.functions, index);
    frame.activations.findCallee();
    if (callee === null) frame.runBuiltin(site, index, recordCall);
    else {
      frame.prepare(site, index, callee.program, recordCall);
      code.get(locals.context).get(locals.thread).get(frame.activations.calleeBase).get(locals.fuel);
      code.call(codeOf(shape, index)).set(locals.fuel);
    }
    frame.take(site);
  }
}
