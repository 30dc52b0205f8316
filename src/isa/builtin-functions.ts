/**
 * Functions that the CUDA toolchain expects the device to provide. nvcc declares them as `.extern .func` and calls them
 * in the same way as other functions. The types are those that nvcc declares.
 */
import type { TypeName } from './types.ts';

export type BuiltinName = 'vprintf' | 'malloc' | 'free' | '__assertfail';

export interface BuiltinFunction {
  readonly name: BuiltinName;
  readonly parameters: readonly TypeName[];
  readonly results: readonly TypeName[];
}

export const builtinFunctions: readonly BuiltinFunction[] = [
  // The parameters are the generic addresses of the format string and of the arguments. The result is the number of
  // arguments used, or -1.
  { name: 'vprintf', parameters: ['.b64', '.b64'], results: ['.b32'] },
  { name: 'malloc', parameters: ['.b64'], results: ['.b64'] },
  { name: 'free', parameters: ['.b64'], results: [] },
  // The parameters are the address of the assertion's text, the address of the file name, the line number, the address
  // of the function's name, and the size of a character in bytes.
  { name: '__assertfail', parameters: ['.b64', '.b64', '.b32', '.b64', '.b64'], results: [] },
];
