/** A function that a module exports, if its parameters and its result, if any, have at most 32 bits. */
export type CompiledFunction = (...operands: readonly number[]) => number;

/** The function that an instance exports by this name. */
export function exportedFunction(exports: WebAssembly.Exports, name: string): CompiledFunction {
  const found = exports[name];
  if (!isFunction(found)) throw new Error(`the module exports no function '${name}'`);
  return found;
}

function isFunction(value: unknown): value is CompiledFunction {
  return typeof value === 'function';
}
