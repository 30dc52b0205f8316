/** Generates a branch table: an index, counting from 0, selects one of several pieces of code. */
import { elementAt } from '../base/element-at.ts';
import type { Code, Label } from '../wasm/code.ts';

/**
 * Writes code that selects a piece of code by an index; an index that is out of range selects the last piece. `write`
 * writes the piece with the given number. The piece may branch to `done`, which is just after the last piece. If there
 * are no pieces, no code is written.
 */
export function writeChoice(
  code: Code,
  count: number,
  pushNumber: () => unknown,
  write: (number: number, done: Label) => void,
): void {
  if (count === 0) return;
  code.block((done) => {
    // Opens one WebAssembly block for each piece of code, so that the first piece follows the innermost block. The
    // blocks are opened in a loop, because there may be too many for recursion.
    const labels = Array.from({ length: count }, () => code.openBlock()).reverse();
    pushNumber();
    code.brTable(labels.slice(0, -1), elementAt(labels, count - 1));
    for (let number = 0; number < count; number++) {
      code.close();
      write(number, done);
    }
  });
}
