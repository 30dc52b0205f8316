/**
 * A WebAssembly module that adds a constant to the masked bits of each word of an array, and tests whether any of these
 * sums carries out of the mask. It tests 64 bytes at a time.
 */
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { loop } from './memory-loop.ts';

/**
 * `round` is the number of bytes that one iteration of the loop reads. `bytes` is the size of the memory, which is
 * small enough to stay in the cache.
 */
export const carryMemory: { readonly round: number; readonly bytes: number } = { round: 64, bytes: wasmPageBytes };

/**
 * Exports `carries(rounds, mask, carry)`, which runs `rounds` iterations of a loop over the words in the memory. It
 * returns 1 if there is a word for which (word & mask) + carry has a bit outside the mask, and otherwise 0.
 */
export function carryKernel(): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  const parameters = ['i32', 'i32', 'i32'] as const;
  const code = new Code(parameters);
  const [rounds, mask, carry] = [0, 1, 2];
  const [pointer, found, masks, carries] = [
    code.local('i32'),
    code.local('v128'),
    code.local('v128'),
    code.local('v128'),
  ];
  code.get(mask).vector('i32x4.splat').set(masks).get(carry).vector('i32x4.splat').set(carries);
  loop(code, rounds, [[pointer, carryMemory.round]], () => {
    code.get(found);
    for (let at = 0; at < carryMemory.round; at += 16) {
      code.get(pointer).vectorMemory('v128.load', at).get(masks).vector('v128.and');
      code.get(carries).vector('i32x4.add', 'v128.or');
    }
    code.set(found);
  });
  code.get(found).get(masks).vector('v128.andnot', 'v128.any_true');
  builder.export('carries', builder.add({ parameters, results: ['i32'] }, code));
  return builder.encode();
}
