import { setFlagsFromString } from 'node:v8';

/** From this version on, V8 reads branch hints by default; Node 26 has it. */
const firstThatReadsThem = 14;

let isDone = false;

/**
 * Sets a flag of V8 that affects only how modules with branch hints are compiled. Kernels with checked accesses run up
 * to 1.5 times as fast with it.
 */
export function readBranchHints(): void {
  if (isDone) return;
  isDone = true;
  const { v8 } = process.versions;
  // Other runtimes that imitate Node have no V8, or may refuse to change its flags.
  if (v8 === undefined || Number.parseInt(v8, 10) >= firstThatReadsThem || 'bun' in process.versions) return;
  setFlagsFromString('--experimental-wasm-branch-hinting');
}
