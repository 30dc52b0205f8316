/** A branch on a number: one piece of code for each number from 0 on. */
import { elementAt } from '../base/element-at.ts';
import type { Code, Label } from '../wasm/code.ts';

/**
 * Pops a number and runs the piece of code for it; numbers past the end run the last one. `write` writes one piece and
 * may branch to the end of all pieces.
 */
export function writeChoice(
  code: Code,
  count: number,
  pushNumber: () => unknown,
  write: (number: number, done: Label) => void,
): void {
  code.block((done) => {
    // The block of the first piece is innermost. There can be more pieces than recursive calls could nest.
    const labels = Array.from({ length: count }, () => code.openBlock()).reverse();
    pushNumber();
    code.brTable(labels.slice(0, -1), elementAt(labels, count - 1));
    for (let number = 0; number < count; number++) {
      code.close();
      write(number, done);
    }
  });
}
