import { setFlagsFromString } from 'node:v8';

/** The first version of V8 that uses branch hints by default; Node 26 contains this version. */
const firstWithHints = 14;

/** The version of V8 in Node 20, in which relaxed vector instructions still need a flag. */
const relaxedByFlag = '11.3';

let isDone = false;

/**
 * Sets the V8 flags for branch hints and relaxed vector instructions. These flags affect only modules that use such
 * features. Branch hints make kernels with checked accesses up to 1.5 times as fast, and relaxed vector instructions
 * compute an fma in one step.
 */
export function enableWasmFeatures(): void {
  if (isDone) return;
  isDone = true;
  const { v8 } = process.versions;
  // Other runtimes with Node's interface may not use V8, or may not allow changing its flags.
  if (v8 === undefined || 'bun' in process.versions) return;
  if (Number.parseInt(v8, 10) < firstWithHints) setFlagsFromString('--experimental-wasm-branch-hinting');
  if (v8.startsWith(`${relaxedByFlag}.`)) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
