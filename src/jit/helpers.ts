/**
 * The module that is being generated: its imports, and the functions that are called from several places. Each function
 * is generated when it is first needed.
 */
import { keysOf, recordOf } from '../base/records.ts';
import { mostDimensions, mostOffsets } from '../isa/steps/memory.ts';
import { tensorMapWords } from '../isa/tensor-map-fields.ts';
import { Code } from '../wasm/code.ts';
import { type FunctionType, ModuleBuilder } from '../wasm/module.ts';

/**
 * The number of 64-bit operands (`wide`) and of 32-bit operands (`narrow`) that are passed to the function `tensor`.
 */
export const tensorOperands = { wide: 7, narrow: 11 } as const;

/** The engine functions that compiled code calls. Any of them may end the launch by throwing an error. */
const importTypes: Readonly<
  Record<
    'resolve' | 'raise' | 'refuel' | 'builtin' | 'clock' | 'box' | 'tensor' | 'texture' | 'surface' | 'cancel',
    FunctionType
  >
> = {
  /**
   * Takes the number of the engine call, the address that an instruction accesses, the thread and the remaining fuel.
   * Returns the address in global memory at which the accessed data is stored, even if the data belongs to another
   * state space.
   */
  resolve: { parameters: ['i32', 'i64', 'i32', 'i32'], results: ['i32'] },
  /**
   * Takes the number of the engine call, an address, the thread and the remaining fuel. Reports a fault because an
   * instruction cannot be executed, and does not return.
   */
  raise: { parameters: ['i32', 'i64', 'i32', 'i32'], results: [] },
  /**
   * Takes the number of the engine call, an address in local memory, the thread and the remaining fuel. Runs a built-in
   * function whose activation begins at this address.
   */
  builtin: { parameters: ['i32', 'i32', 'i32', 'i32'], results: [] },
  /** Takes the kind of clock (see specials.ts) and the remaining fuel. Returns the value of the clock. */
  clock: { parameters: ['i32', 'i32'], results: ['i64'] },
  /**
   * Called when the fuel is used up. Takes the number of the engine call, the thread and the remaining fuel, and
   * returns new fuel.
   */
  refuel: { parameters: ['i32', 'i32', 'i32'], results: ['i32'] },
  /**
   * Copies a tensor box. Takes the number of the engine call, the thread and the remaining fuel, followed by the
   * operands: `mostDimensions` coordinates, `mostOffsets` offsets, a mask, the address of an mbarrier object, the
   * address of the box in shared memory, and the words of the tensor map. Zeros are passed for unused coordinates and
   * offsets. The mask is zero unless the box is copied to several blocks, and the address of the mbarrier object is
   * zero unless the box is copied to shared memory.
   */
  box: {
    parameters: [
      ...(['i32', 'i32', 'i32'] as const),
      ...Array.from({ length: mostDimensions + mostOffsets }, () => 'i32' as const),
      ...(['i32', 'i64', 'i64'] as const),
      ...Array.from({ length: tensorMapWords }, () => 'i64' as const),
    ],
    results: [],
  },
  /**
   * Multiplies matrices in tensor memory, or copies a matrix to it. Takes the number of the engine call, the thread,
   * the remaining fuel, and the operands; zeros are passed for operands that the step does not have. The wide operands
   * are addresses and descriptors, for example those of D, A and B, or those of the target and the source. The narrow
   * operands are the instruction descriptor, a flag that is set if the previous value of D is added, the scale of this
   * value, and four words for each block, which contain a mask of the unchanged lanes.
   */
  tensor: {
    parameters: [
      ...(['i32', 'i32', 'i32'] as const),
      ...Array.from({ length: tensorOperands.wide }, () => 'i64' as const),
      ...Array.from({ length: tensorOperands.narrow }, () => 'i32' as const),
    ],
    results: [],
  },
  /**
   * Reads a texture. Takes the number of the engine call, the thread, the remaining fuel, and the handles of the
   * texture and the sampler. The other operands and the results are in the context of the block.
   */
  texture: { parameters: ['i32', 'i32', 'i32', 'f64', 'f64'], results: [] },
  /**
   * Takes the number of the engine call, the thread, the remaining fuel, and the handle of a surface. Returns the
   * address of a texel; if the instruction is a store, the texel has already been stored. The coordinates and the
   * values to store are in the context of the block.
   */
  surface: { parameters: ['i32', 'i32', 'i32', 'f64'], results: ['i32'] },
  /**
   * Cancels the next cluster that has not started. Takes the number of the engine call, the thread and the remaining
   * fuel. The results are in the context of the block.
   */
  cancel: { parameters: ['i32', 'i32', 'i32'], results: [] },
};

export type ImportName = keyof typeof importTypes;

/** The engine's functions that compiled code calls, by the names under which modules import them. */
export type EngineFunctions = Readonly<Record<ImportName, (...operands: never[]) => unknown>>;

export class Helpers {
  readonly builder: ModuleBuilder;
  private readonly imports: Readonly<Record<ImportName, number>>;
  /** Whether the module may use the instructions that `fusesProducts` tests. */
  readonly fuses: boolean;
  private readonly made = new Map<string, number>();

  /**
   * @param shared whether the module's memory is shared between threads
   * @param fuses whether the module may use fused products, which is allowed only if the module runs only in this
   *   process and `fusesProducts` returns true here
   */
  constructor(shared = false, fuses = false) {
    this.fuses = fuses;
    this.builder = new ModuleBuilder(shared);
    this.imports = recordOf(keysOf(importTypes), (name) => this.builder.importFunction(name, importTypes[name]));
  }

  import(name: ImportName): number {
    return this.imports[name];
  }

  /**
   * Returns the index of the function with the given key. When the key is first used, `write` generates the function's
   * body.
   */
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
