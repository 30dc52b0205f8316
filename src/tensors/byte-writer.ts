/** Writes bytes and little-endian integers one after the other to a buffer that grows as needed. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far, in a new array. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  bytes(part: Uint8Array): void {
    const at = this.#grow(part.byteLength);
    this.#bytes.set(part, at);
  }

  u32(value: number): void {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: number | bigint): void {
    const at = this.#grow(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  /** Writes integers of `width` bytes, wrapped to that width. */
  integer(width: 1 | 2 | 4 | 8, value: number | bigint): void {
    const at = this.#grow(width);
    if (width === 8) this.#view.setBigInt64(at, BigInt.asIntN(64, BigInt(value)), true);
    else if (width === 4) this.#view.setInt32(at, Number(value), true);
    else if (width === 2) this.#view.setInt16(at, Number(value), true);
    else this.#view.setInt8(at, Number(value));
  }

  float(width: 4 | 8, value: number): void {
    const at = this.#grow(width);
    if (width === 4) this.#view.setFloat32(at, value, true);
    else this.#view.setFloat64(at, value, true);
  }

  /** Reserves space for `length` bytes at the end and returns their position. */
  #grow(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
