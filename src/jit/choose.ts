/** A branch on an index, with one piece of code for each index, counting from 0. */
import { elementAt } from '../base/element-at.ts';
import type { Code, Label } from '../wasm/code.ts';

/**
 * Pops an index and runs the piece of code for it; indices past the end run the last piece. `write` writes one piece,
 * which may branch to the end of all pieces.
 */
export function writeChoice(
  code: Code,
  count: number,
  pushNumber: () => unknown,
  write: (number: number, done: Label) => void,
): void {
  code.block((done) => {
    // The block of the first piece is innermost. There may be too many pieces for recursion.
    const labels = Array.from({ length: count }, () => code.openBlock()).reverse();
    pushNumber();
    code.brTable(labels.slice(0, -1), elementAt(labels, count - 1));
    for (let number = 0; number < count; number++) {
      code.close();
      write(number, done);
    }
  });
}
