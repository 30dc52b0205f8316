/** The module being made: what it imports, and functions that several places call, each made when first asked for. */
import { Code } from '../wasm/code.ts';
import { type FunctionType, ModuleBuilder } from '../wasm/module.ts';

/** What compiled code asks of the engine; each may end the launch by throwing. */
const importTypes: Readonly<Record<'resolve' | 'raise' | 'refuel' | 'builtin' | 'clock', FunctionType>> = {
  /** (site, address, thread, fuel): where an access really goes, as an address of global memory. */
  resolve: { parameters: ['i32', 'i64', 'i32', 'i32'], results: ['i32'] },
  /** (site, address, thread, fuel): an instruction that cannot go on; does not return. */
  raise: { parameters: ['i32', 'i64', 'i32', 'i32'], results: [] },
  /** (site, address in local memory, thread, fuel): runs a built-in function with its activation there. */
  builtin: { parameters: ['i32', 'i32', 'i32', 'i32'], results: [] },
  /** (kind, fuel): what a clock says (specials.ts). */
  clock: { parameters: ['i32', 'i32'], results: ['i64'] },
  /** (site, thread, fuel): the fuel is spent; gives new fuel. */
  refuel: { parameters: ['i32', 'i32', 'i32'], results: ['i32'] },
};

export type ImportName = keyof typeof importTypes;

export class Helpers {
  readonly builder: ModuleBuilder;
  private readonly imports: Readonly<Record<ImportName, number>>;
  private readonly made = new Map<string, number>();

  /** @param shared the module's memory is one that threads share */
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

  /** Index of the function with that key; `write` makes its body the first time. */
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
