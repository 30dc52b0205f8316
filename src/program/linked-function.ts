/** A function of a kernel that has been linked. */
import type { Builtin } from './builtins.ts';
import type { FunctionProgram } from './function-program.ts';

export type LinkedFunction =
  | { readonly kind: 'program'; readonly address: number; readonly program: FunctionProgram }
  /** A built-in function. `localBytes` is the total size of its parameters and return values. */
  | { readonly kind: 'builtin'; readonly address: number; readonly builtin: Builtin; readonly localBytes: number };
