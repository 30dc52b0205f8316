/**
 * Unused buffers. They are kept for reuse, because the first write to each page of new memory takes much longer than
 * later writes.
 */
const spares: Uint8Array<ArrayBuffer>[] = [];

/** Maximum number of spare buffers, and the maximum size of each in bytes. */
const mostSpares = 4;
const largestSpare = 2 ** 20;

/** Number of bytes in the encoding of an unsigned number. */
export function unsignedSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

/** A growing sequence of bytes, to which numbers are appended in the encodings of the WebAssembly binary format. */
export class Bytes {
  private buffer: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** @param size the expected number of bytes; null if it is not known */
  constructor(size: number | null = null) {
    this.buffer = size === null ? (spares.pop() ?? new Uint8Array(256)) : new Uint8Array(size);
  }

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

  /** Makes the buffer available to other sequences. This sequence must not be used afterwards. */
  release(): void {
    if (spares.length < mostSpares && this.buffer.length <= largestSpare) spares.push(this.buffer);
    this.buffer = new Uint8Array();
    this.end = 0;
  }

  private grow(room: number): void {
    const grown = new Uint8Array(Math.max(this.buffer.length * 2, this.end + room));
    grown.set(this.buffer);
    this.buffer = grown;
  }
}
