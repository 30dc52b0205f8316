/** A branch on a number: one piece of code for each from 0 on. */
import { elementAt } from '../base/element-at.ts';
import type { Code, Label } from '../wasm/code.ts';

/** `write` writes the piece of a number and may branch behind all of them; numbers beyond go to the last. Pops the number. */
export function writeChoice(
  code: Code,
  count: number,
  pushNumber: () => unknown,
  write: (number: number, done: Label) => void,
): void {
  code.block((done) => {
    // The block of the first lies innermost; there can be more of them than calls may nest.
    const labels = Array.from({ length: count }, () => code.openBlock()).reverse();
    pushNumber();
    code.brTable(labels.slice(0, -1), elementAt(labels, count - 1));
    for (let number = 0; number < count; number++) {
      code.close();
      write(number, done);
    }
  });
}
