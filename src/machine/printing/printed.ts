/**
 * A kernel's output. It is passed to `onPrint` immediately, and it is also stored. If the output exceeds a limit, the
 * rest is dropped.
 */

/** The output as part of a launch's saved state. */
export interface PrintedState {
  readonly text: string;
  readonly bytes: number;
  readonly dropped: number;
}

export class Printed {
  private kept = '';
  private bytes = 0;
  private calls = 0;
  private readonly limit: number;
  private readonly onPrint: (text: string) => void;

  /**
   * @param limit maximum number of bytes; the output of the first call that would exceed it and of all later calls is
   *   dropped
   */
  constructor(limit: number, onPrint: (text: string) => void) {
    this.limit = limit;
    this.onPrint = onPrint;
  }

  get text(): string {
    return this.kept;
  }

  /** Number of calls whose text was dropped. */
  get dropped(): number {
    return this.calls;
  }

  /** Maximum number of bytes that the next call can print without exceeding the limit. */
  get room(): number {
    return this.calls > 0 ? 0 : this.limit - this.bytes;
  }

  /** Adds the text of one call, as a string with one character for each byte. */
  add(bytes: string): void {
    if (bytes.length > this.room) {
      this.calls++;
      return;
    }
    this.bytes += bytes.length;
    const text = decoded(bytes);
    this.kept += text;
    this.onPrint(text);
  }

  give(): PrintedState {
    const { text, bytes, dropped } = this;
    return { text, bytes, dropped };
  }

  take({ text, bytes, dropped }: PrintedState): void {
    this.kept = text;
    this.bytes = bytes;
    this.calls = dropped;
  }
}

const utf8 = new TextDecoder();

/** Decodes the bytes as UTF-8, the encoding of source files and the strings in them. */
export function decoded(bytes: string): string {
  const codes = new Uint8Array(bytes.length);
  for (let i = 0; i < codes.length; i++) codes[i] = bytes.charCodeAt(i);
  return utf8.decode(codes);
}
