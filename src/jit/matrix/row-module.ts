/** A WebAssembly module that multiplies rows for tcgen05.mma, for the code of `tile-kernel.ts` and `group-kernel.ts`. */
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';

/** The parameters of the function that the module exports. */
export const rowParameters = { row: 0, first: 1, count: 2 } as const;

/**
 * Exports `multiply(row, first, count)`, which adds the products of a row of A and `count` groups of columns of B, from
 * group `first` on, to the sums. The result is nonzero if a number is out of range; the sums are then of no use.
 *
 * @param write writes the body of the function
 */
export function rowModule(write: (code: Code) => void): Uint8Array<ArrayBuffer> {
  const parameters = ['i32', 'i32', 'i32'] as const;
  const builder = new ModuleBuilder();
  const index = builder.declare({ parameters, results: ['i32'] });
  const code = new Code(parameters, true);
  write(code);
  builder.define(index, code);
  builder.export('multiply', index);
  return builder.encode();
}
