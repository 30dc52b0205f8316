/** Passes the output of a running kernel to stdout, in pieces. */
import type { OutputStream } from '../session.ts';

/** Characters after which, and milliseconds in which, the output is passed on. */
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
    // The kernel keeps the thread, so there is no use in waiting for the reader.
    if (this.waiting !== '') this.output.write(this.waiting);
    this.waiting = '';
    this.passed = performance.now();
  }
}
