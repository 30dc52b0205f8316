import { canCompile } from '../jit/simd/can-compile.ts';

/**
 * Whether this host can compile WebAssembly with vector instructions. Without vector instructions, kernels run on the
 * reference engine.
 */
export function hasVectors(): boolean {
  return canCompile();
}
