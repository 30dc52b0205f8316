/** Loops over memory. */
import type { Code } from '../../wasm/code.ts';

type Strides = readonly (readonly [pointer: number, bytes: number])[];

/**
 * Writes a loop that advances pointers to memory in each iteration. The local `left` holds the number of iterations
 * that are left.
 */
export function loop(code: Code, left: number, strides: Strides, body: () => void): void {
  code.block((end) => {
    code.get(left).op('i32.eqz').brIf(end);
    code.loop((again) => {
      body();
      for (const [pointer, bytes] of strides) advance(code, pointer, bytes);
      code.get(left).i32(1).op('i32.sub').tee(left).brIf(again);
    });
  });
}

export function advance(code: Code, pointer: number, bytes: number): void {
  code.get(pointer).i32(bytes).op('i32.add').set(pointer);
}
