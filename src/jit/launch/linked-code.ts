/** A kernel's module, linked with the memory and with the engine functions that it calls. */
import { type CompiledFunction, exportedFunction } from '../exported-function.ts';
import type { ImportName } from '../helpers.ts';

type Run = (contextAddress: number, region: number, first: number, behind: number, members: number) => number;
type RunBlocks = (contextAddress: number, count: number, unitSize: number) => number;

interface Parts {
  readonly module: WebAssembly.Module;
  /** Returns a second module with the code that `module` lacks; null if `module` contains all code. */
  readonly rest: (() => WebAssembly.Module) | null;
  readonly memory: WebAssembly.Memory;
  readonly imports: Readonly<Record<Exclude<ImportName, 'alone'>, WebAssembly.ImportValue>>;
}

/** An instance of the kernel's module. `run` and `runBlocks` are described in compile.ts. */
interface Instance {
  readonly exports: WebAssembly.Exports;
  readonly run: Run;
  readonly runBlocks: RunBlocks;
}

export class LinkedCode {
  private readonly parts: Parts;
  private instance: Instance;
  private alone: CompiledFunction | null = null;

  constructor(parts: Parts) {
    this.parts = parts;
    this.instance = this.link((...operands) => this.compileAlone()(...operands));
  }

  get run(): Run {
    return this.instance.run;
  }

  get runBlocks(): RunBlocks {
    return this.instance.runBlocks;
  }

  /** Returns the function that the kernel's module exports under this name. */
  function(name: 'advance' | 'complete'): CompiledFunction {
    return exportedFunction(this.instance.exports, name);
  }

  private link(alone: CompiledFunction): Instance {
    const exports = this.instantiate(this.parts.module, alone);
    return { exports, run: exportedFunction(exports, 'run'), runBlocks: exportedFunction(exports, 'runBlocks') };
  }

  private instantiate(module: WebAssembly.Module, alone: CompiledFunction): WebAssembly.Exports {
    const { memory, imports } = this.parts;
    return new WebAssembly.Instance(module, { env: { ...imports, memory, alone } }).exports;
  }

  /**
   * Compiles the code that was left out of the kernel's module when this code is first called. The kernel's module is
   * then instantiated again, so that its calls to this code no longer go through JavaScript. The instance that made the
   * first call keeps running until it returns, which is possible because instances have no state of their own.
   */
  private compileAlone(): CompiledFunction {
    if (this.alone !== null) return this.alone;
    const { rest } = this.parts;
    if (rest === null) throw new Error('no code was left out of the module');
    const unused = (): never => {
      throw new Error('the code for one thread at a time is complete');
    };
    const alone = exportedFunction(this.instantiate(rest(), unused), 'alone');
    this.alone = alone;
    this.instance = this.link(alone);
    return alone;
  }
}
