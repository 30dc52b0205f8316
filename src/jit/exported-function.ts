/** A function that a module exports. All parameters and the result, if there is one, are at most 32 bits wide. */
export type CompiledFunction = (...operands: readonly number[]) => number;

/** What an instance exports, by name. */
export type Exports = Readonly<Record<string, unknown>>;

/** Returns the function that an instance exports under this name. */
export function exportedFunction(exports: Exports, name: string): CompiledFunction {
  const found = exports[name];
  if (!isFunction(found)) throw new Error(`the module exports no function '${name}'`);
  return found;
}

function isFunction(value: unknown): value is CompiledFunction {
  return typeof value === 'function';
}
