/**
 * Writes a direct function (program/direct-functions.ts) as one WebAssembly function, which runs it from start to end
 * for one thread.
 */
import { elementAt } from '../../base/element-at.ts';
import type { BasicBlock } from '../../program/flow.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { Region } from '../../program/regions.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import type { ContextField } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { refuel } from '../regions/region-parts.ts';
import { writeRegion } from '../regions/structure.ts';
import { ThreadCode } from '../regions/thread-code.ts';
import { readsIndex, startIndex } from '../regions/thread-index.ts';
import { Values } from '../regions/values.ts';
import { CalleeFrame } from './callee-frame.ts';
import { directType } from './direct-calls.ts';

/** Returns the index of a direct function in the generated module. */
export function directFunction(shape: KernelShape, index: number): number {
  const fn = elementAt(shape.functions, index);
  if (fn === null) throw new Error('the engine runs built-in functions');
  const write = (code: Code): void => new DirectWriter(code, shape, fn).write();
  return shape.helpers.function(`direct ${index}`, directType, write);
}

class DirectWriter {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly region: Region;
  private readonly locals: RegionLocals;
  private readonly frame: CalleeFrame;
  private readonly thread: ThreadCode;
  private endOfFunction: Label | null = null;

  constructor(code: Code, shape: KernelShape, fn: FunctionShape) {
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.region = elementAt(fn.regions, 0);
    const { region } = this;
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    this.locals = { context: 0, thread: 1, base: 2, fuel: 3, index };
    const { locals } = this;
    const values = new Values(code, fn.program, fn.live.crosses, shape);
    const parts = {
      code,
      shape,
      fn,
      region,
      values,
      locals,
      frame: { field: (name: ContextField) => this.field(name) },
    };
    this.frame = new CalleeFrame(parts);
    this.thread = new ThreadCode({ ...parts, codeOf: directFunction });
  }

  write(): void {
    const { code, shape, fn, region, locals, frame } = this;
    if (readsIndex(fn, region)) startIndex(code, locals, (name) => this.field(name));
    frame.begin();
    code.block((end) => {
      this.endOfFunction = end;
      writeRegion(code, region, {
        block: (block, goTo) => this.block(elementAt(fn.blocks, block), goTo),
        next: (block) => elementAt(fn.blocks, block).exit.next,
        beforeLoop: () => undefined,
        backEdge: (target) => refuel(code, shape, fn, locals, target),
      });
    });
    frame.end();
    code.get(locals.fuel);
  }

  private field(name: ContextField): Code {
    return pushField(this.code, this.shape.layout, name);
  }

  private block(block: BasicBlock, goTo: (target: number) => void): void {
    this.thread.lookNowAndThen();
    this.thread.block(block, {
      leave: (last) => this.leave(last, block.exit, goTo),
      end: () => this.end(),
      goTo,
    });
  }

  private leave(instruction: ProgramInstruction, exit: BasicBlock['exit'], goTo: (target: number) => void): void {
    this.thread.lower(instruction);
    if (exit.kind === 'branch') goTo(exit.target);
    else if (exit.kind === 'switch') this.thread.choose(instruction, exit.targets, goTo);
    else if (exit.kind === 'end') this.end();
    else throw new Error(`a direct function contains a block that ends with '${exit.kind}'`);
  }

  private end(): void {
    if (this.endOfFunction === null) throw new Error('the code of the function has not been started');
    this.code.br(this.endOfFunction);
  }
}
