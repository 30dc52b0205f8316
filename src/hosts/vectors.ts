import { canCompile } from '../jit/simd/can-compile.ts';

/** Whether this host compiles WebAssembly with vectors. Without it, kernels run on the reference engine. */
export function hasVectors(): boolean {
  return canCompile();
}
