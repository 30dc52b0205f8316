/**
 * A quick test for unusual elements in an array. It adds a constant to the masked bits of each word, and checks whether
 * the sum has a bit outside the mask.
 */
import { once } from '../../base/once.ts';
import { compileModule } from '../../jit/compile-module.ts';
import { carryKernel, carryMemory } from '../../jit/arrays/carry-kernel.ts';
import { type CompiledFunction, exportedFunction } from '../../jit/exported-function.ts';
import { canCompile } from '../../jit/simd/can-compile.ts';

/**
 * Whether the array, read as 32-bit words, contains a word for which (word & mask) + carry has a bit outside the mask.
 */
export function isAnyCarried(bytes: Uint8Array, mask: number, carry: number): boolean {
  const rest = bytes.length % carryMemory.round;
  const whole = bytes.length < worthCopying || !canCompile() ? 0 : bytes.length - rest;
  for (let at = 0; at < whole; at += carryMemory.bytes) {
    const end = Math.min(whole, at + carryMemory.bytes);
    const { room, carries } = scanner();
    room.set(bytes.subarray(at, end));
    if (carries((end - at) / carryMemory.round, mask, carry) !== 0) return true;
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + whole, (bytes.length - whole) / 4);
  return words.some((word) => (((word & mask) + carry) & ~mask) !== 0);
}

/** If an array has at least this many bytes, it is faster to copy it into WebAssembly memory and test it there. */
const worthCopying = 4096;

interface Scanner {
  readonly room: Uint8Array;
  readonly carries: CompiledFunction;
}

const scanner = once((): Scanner => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(compileModule(carryKernel()), { env: { memory } });
  return { room: new Uint8Array(memory.buffer), carries: exportedFunction(exports, 'carries') };
});
