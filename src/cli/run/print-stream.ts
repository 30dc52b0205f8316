/** Passes the output of a running kernel on to stdout, in pieces. */
import type { OutputStream } from '../session.ts';

/** Output is passed on once this many characters are waiting, or this many milliseconds after it was last passed on. */
const enough = 1 << 16;
const longest = 50;

export class PrintStream {
  private readonly output: OutputStream;
  private waiting = '';
  private passed = performance.now();

  constructor(output: OutputStream) {
    this.output = output;
  }

  add(text: string): void {
    this.waiting += text;
    if (this.waiting.length >= enough || performance.now() - this.passed >= longest) this.flush();
  }

  flush(): void {
    // The thread is busy running the kernel, so it cannot wait until the reader is ready for more output.
    if (this.waiting !== '') this.output.write(this.waiting);
    this.waiting = '';
    this.passed = performance.now();
  }
}
