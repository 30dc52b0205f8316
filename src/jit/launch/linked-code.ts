/** A kernel's module, linked with the memory and with the engine functions that it calls. */
import { valueAt } from '../../base/element-at.ts';
import { type CompiledFunction, exportedFunction, type Exports } from '../exported-function.ts';
import type { EngineFunctions } from '../helpers.ts';
import { aloneImport } from '../regions/alone.ts';

type Run = (contextAddress: number, region: number, first: number, behind: number, members: number) => number;
type RunBlocks = (contextAddress: number, count: number, unitSize: number) => number;

/** The single-thread code that was left out of a kernel's module. */
export interface LeftOut {
  readonly regions: readonly number[];
  /**
   * Returns a module that contains the code of one of these regions, and possibly of others. It exports the functions
   * of the regions under the names by which the kernel's module imports them.
   */
  readonly compile: (region: number) => WebAssembly.Module;
}

export const nothingLeftOut: LeftOut = {
  regions: [],
  compile: (region) => {
    throw new Error(`the code of region ${region} is part of the module`);
  },
};

interface Parts {
  readonly module: WebAssembly.Module;
  readonly leftOut: LeftOut;
  readonly memory: WebAssembly.Memory;
  readonly imports: EngineFunctions;
}

/** An instance of the kernel's module. `run` and `runBlocks` are described in compile.ts. */
interface Instance {
  readonly exports: Exports;
  readonly run: Run;
  readonly runBlocks: RunBlocks;
}

export class LinkedCode {
  private readonly parts: Parts;
  private instance: Instance;
  /** The functions of regions that were left out at first and have been compiled since. */
  private readonly alone = new Map<number, CompiledFunction>();

  constructor(parts: Parts) {
    this.parts = parts;
    this.instance = this.link();
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

  private link(): Instance {
    const alone = this.parts.leftOut.regions.map((region): [string, CompiledFunction] => [
      aloneImport(region),
      this.alone.get(region) ?? ((...operands) => this.compileAlone(region)(...operands)),
    ]);
    const exports = this.instantiate(this.parts.module, Object.fromEntries(alone));
    return { exports, run: exportedFunction(exports, 'run'), runBlocks: exportedFunction(exports, 'runBlocks') };
  }

  private instantiate(module: WebAssembly.Module, alone: Readonly<Record<string, CompiledFunction>> = {}): Exports {
    const { memory, imports } = this.parts;
    return new WebAssembly.Instance(module, { env: { ...imports, memory, ...alone } }).exports;
  }

  /**
   * Called when code that was left out of the kernel's module is needed; compiles the code the first time. The kernel's
   * module is then instantiated again, so that its calls to this code no longer go through JavaScript. The instance
   * that made the first call keeps running until it returns, which is possible because instances have no state of their
   * own.
   */
  private compileAlone(region: number): CompiledFunction {
    const known = this.alone.get(region);
    if (known !== undefined) return known;
    const { leftOut } = this.parts;
    const exports = this.instantiate(leftOut.compile(region));
    for (const one of leftOut.regions) {
      if (!this.alone.has(one) && aloneImport(one) in exports)
        this.alone.set(one, exportedFunction(exports, aloneImport(one)));
    }
    this.instance = this.link();
    return valueAt(this.alone, region);
  }
}
