/**
 * The module being generated: its imports, and the functions that have several callers, each of which is generated on
 * first use.
 */
import { Code } from '../wasm/code.ts';
import { type FunctionType, ModuleBuilder } from '../wasm/module.ts';

/** The engine functions that compiled code calls. Each may end the launch by throwing. */
const importTypes: Readonly<Record<'resolve' | 'raise' | 'refuel' | 'builtin' | 'clock', FunctionType>> = {
  /** (call, address, thread, fuel): returns the place in global memory that an access to this address refers to. */
  resolve: { parameters: ['i32', 'i64', 'i32', 'i32'], results: ['i32'] },
  /** (call, address, thread, fuel): reports an instruction that cannot continue; does not return. */
  raise: { parameters: ['i32', 'i64', 'i32', 'i32'], results: [] },
  /** (call, address in local memory, thread, fuel): runs a built-in function whose activation is at that address. */
  builtin: { parameters: ['i32', 'i32', 'i32', 'i32'], results: [] },
  /** (kind, fuel): returns the value of a clock (specials.ts). */
  clock: { parameters: ['i32', 'i32'], results: ['i64'] },
  /** (call, thread, fuel): called when the fuel is used up; returns new fuel. */
  refuel: { parameters: ['i32', 'i32', 'i32'], results: ['i32'] },
};

export type ImportName = keyof typeof importTypes;

export class Helpers {
  readonly builder: ModuleBuilder;
  private readonly imports: Readonly<Record<ImportName, number>>;
  private readonly made = new Map<string, number>();

  /** @param shared whether the module's memory is shared between threads */
  constructor(shared = false) {
    this.builder = new ModuleBuilder(shared);
    this.imports = {
      resolve: this.builder.importFunction('resolve', importTypes.resolve),
      raise: this.builder.importFunction('raise', importTypes.raise),
      refuel: this.builder.importFunction('refuel', importTypes.refuel),
      builtin: this.builder.importFunction('builtin', importTypes.builtin),
      clock: this.builder.importFunction('clock', importTypes.clock),
    };
  }

  import(name: ImportName): number {
    return this.imports[name];
  }

  /** Returns the index of the function with that key. `write` generates its body on first use. */
  function(key: string, type: FunctionType, write: (code: Code) => void, keepsConstants = false): number {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const index = this.builder.declare(type);
    this.made.set(key, index);
    const code = new Code(type.parameters, keepsConstants);
    write(code);
    this.builder.define(index, code);
    return index;
  }
}
