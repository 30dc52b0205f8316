/** A growing sequence of bytes, to which numbers are appended in the encodings of the WebAssembly binary format. */
export class Bytes {
  private buffer = new Uint8Array(256);
  private end = 0;

  byte(value: number): void {
    if (this.end === this.buffer.length) this.grow(1);
    this.buffer[this.end++] = value;
  }

  /** Writes an unsigned number below 2^32 as LEB128. */
  unsigned(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Writes a signed 32-bit number as LEB128. */
  signed(value: number): void {
    let rest = value;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  /** Writes a signed 64-bit number as LEB128. */
  signedWide(value: bigint): void {
    let rest = value;
    while (rest < -64n || rest > 63n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest & 0x7fn));
  }

  /**
   * Writes a name as its length followed by its UTF-8 bytes. Names are expected to be ASCII, so each character takes
   * one byte.
   */
  name(text: string): void {
    this.unsigned(text.length);
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i));
  }

  append(bytes: Uint8Array): void {
    if (this.end + bytes.length > this.buffer.length) this.grow(bytes.length);
    this.buffer.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.end;
  }

  /** Returns a view of the bytes written so far. The view is valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.end);
  }

  private grow(room: number): void {
    const grown = new Uint8Array(Math.max(this.buffer.length * 2, this.end + room));
    grown.set(this.buffer);
    this.buffer = grown;
  }
}
