/** Writes to stdout and stderr. Data goes to stdout, everything else to stderr. */
import type { OutputStream } from './session.ts';

/** Writes text. If the stream's buffer is full, waits until it has drained. */
export function write(output: OutputStream, text: string): Promise<void> {
  if (text === '' || output.write(text)) return Promise.resolve();
  return new Promise((resolve) => output.once('drain', resolve));
}

/** Writes indented JSON, as most `--json` outputs do. */
export function writeJson(output: OutputStream, data: unknown): Promise<void> {
  return write(output, `${JSON.stringify(data, null, 2)}\n`);
}
