/**
 * Functions that the CUDA toolchain expects of the device: nvcc declares them `.extern .func` and calls them like any
 * other. Types are those of its declarations.
 */
import type { TypeName } from './types.ts';

export type BuiltinName = 'vprintf' | 'malloc' | 'free' | '__assertfail';

export interface BuiltinFunction {
  readonly name: BuiltinName;
  readonly parameters: readonly TypeName[];
  readonly results: readonly TypeName[];
}

export const builtinFunctions: readonly BuiltinFunction[] = [
  // Format and arguments by generic address; how many arguments were taken, or -1.
  { name: 'vprintf', parameters: ['.b64', '.b64'], results: ['.b32'] },
  { name: 'malloc', parameters: ['.b64'], results: ['.b64'] },
  { name: 'free', parameters: ['.b64'], results: [] },
  // Assertion, file, line, function, bytes of a character.
  { name: '__assertfail', parameters: ['.b64', '.b64', '.b32', '.b64', '.b64'], results: [] },
];
