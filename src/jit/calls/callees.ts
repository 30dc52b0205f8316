/** Generates functions that find the callee of a call through a register, and that clear the callee's activation. */
import { elementAt } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';

/** A function that a call through a register may reach. */
interface Candidate {
  readonly address: bigint;
  readonly index: number;
  readonly localBytes: number;
  readonly firstRegion: number;
}

/**
 * The type of a function that takes an address and returns the index of the callee, the size of its activation in
 * bytes, and its first region.
 */
const finderType: FunctionType = { parameters: ['i64'], results: ['i32', 'i32', 'i32'] };

/**
 * Returns the index of the function that finds the callee. For the address of a built-in function, and for any other
 * number that is not the address of a candidate, it returns a negative index. Calls with the same candidates share this
 * function.
 */
export function calleeFinder({ kernel, functions, helpers }: KernelShape, candidates: readonly number[]): number {
  return helpers.function(`callee ${candidates.join()}`, finderType, (code) => {
    const known = candidates.flatMap((index): readonly Candidate[] => {
      const fn = functions[index] ?? null;
      if (fn === null) return [];
      const address = BigInt(elementAt(kernel.functions, index).address);
      return [{ address, index, localBytes: fn.program.localBytes, firstRegion: fn.firstRegion }];
    });
    search(
      code,
      known.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
    );
    code.i32(-1).i32(0).i32(0);
  });
}

/** Writes a binary search, because a call may reach thousands of functions. */
function search(code: Code, candidates: readonly Candidate[]): void {
  const [first] = candidates;
  if (first === undefined) return;
  if (candidates.length > 1) {
    const half = candidates.length >> 1;
    code
      .get(0)
      .i64(elementAt(candidates, half).address)
      .op('i64.lt_u')
      .if(
        () => search(code, candidates.slice(0, half)),
        () => search(code, candidates.slice(half)),
      );
    return;
  }
  const { address, index, localBytes, firstRegion } = first;
  code.get(0).i64(address).op('i64.eq');
  code.if(() => code.i32(index).i32(localBytes).i32(firstRegion).op('return'));
}

/**
 * Areas of up to this many bytes are zeroed by individual stores, which are faster than `memory.fill` for small areas.
 */
export const largestUnrolled = 128;

/** The type of a function that takes an address and a number of bytes, which must be at least 8. */
const clearType: FunctionType = { parameters: ['i32', 'i32'], results: [] };

/** Returns the index of a function that fills memory with zeros. */
export function clearFunction({ helpers, layout }: KernelShape): number {
  return helpers.function('clear activation', clearType, (code) => {
    const { origin } = layout;
    const [start, size] = [0, 1] as const;
    const [at, last] = [code.local('i32'), code.local('i32')] as const;
    code.get(size).i32(largestUnrolled).op('i32.gt_u');
    code.if(() => code.get(start).i32(origin).op('i32.add').i32(0).get(size).fill().op('return'));
    code.get(start).get(size).op('i32.add').i32(8).op('i32.sub').set(last);
    code.get(start).set(at);
    // The last store can overlap with the one before it, instead of writing beyond the end.
    code.get(last).i64(0n).memory('i64.store', origin);
    code.loop((again) => {
      code.get(at).i64(0n).memory('i64.store', origin);
      code.get(at).i32(8).op('i32.add').tee(at).get(last).op('i32.lt_u').brIf(again);
    });
  });
}
