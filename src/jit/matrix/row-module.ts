/**
 * The code that is shared by the WebAssembly modules of `tile-kernel.ts` and `group-kernel.ts`. Both modules multiply
 * rows for tcgen05.mma.
 */
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';

/** The parameters of the function that the module exports. */
export const rowParameters = { row: 0, first: 1, count: 2 } as const;

/**
 * Exports `multiply(row, first, count)`, which multiplies a row of A by `count` groups of columns of B, beginning with
 * group `first`, and adds the products to the sums. The result is nonzero if a number is out of range; the sums are
 * then invalid.
 *
 * @param write writes the body of the function
 */
export function rowModule(write: (code: Code) => void): Uint8Array<ArrayBuffer> {
  const parameters = ['i32', 'i32', 'i32'] as const;
  const builder = new ModuleBuilder();
  const code = new Code(parameters, true);
  write(code);
  builder.export('multiply', builder.add({ parameters, results: ['i32'] }, code));
  return builder.encode();
}
