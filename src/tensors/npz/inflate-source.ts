/** A source that inflates compressed bytes while they are read, using a limited amount of memory. */
import type { Inflate } from 'fflate';
import { elementAt } from '../../base/element-at.ts';
import { type ByteSource, readBytes, requireRange, serialSource } from '../bytes.ts';
import { crc32 } from './crc32.ts';
import { TensorFileError } from '../tensor-error.ts';

/**
 * Number of compressed bytes that are inflated at a time. A compressed byte inflates to at most 1032 bytes, so the
 * inflated data that has not been read yet takes at most about 16 MB.
 */
const step = 16 * 1024;

/**
 * Returns a source of the `size` bytes that result from inflating `compressed`. Reading throws `bad-data` if the data
 * cannot be inflated, or if its length or checksum is wrong. If a read begins before the end of the previous read, the
 * data is inflated again from the beginning.
 */
export function inflateSource(compressed: ByteSource, size: number, checksum: number): ByteSource {
  let stream = new InflateStream(compressed, size, checksum);
  const read = async (offset: number, into: Uint8Array): Promise<void> => {
    requireRange(size, offset, into.byteLength);
    if (offset < stream.at) stream = new InflateStream(compressed, size, checksum);
    await stream.skip(offset - stream.at);
    await stream.take(into);
  };
  return serialSource(size, read);
}

class InflateStream {
  /** Position of the next byte to return. */
  at = 0;
  readonly #compressed: ByteSource;
  readonly #size: number;
  readonly #checksum: number;
  /**
   * Null until the first read: few files are compressed, so the library, which takes 20 ms to load, is loaded only when
   * it is needed.
   */
  #inflate: Inflate | null = null;
  /** Number of compressed bytes that have been passed to the inflater so far. */
  #fed = 0;
  #inflated = 0;
  #crc = 0;
  /** Bytes that have been inflated, but not returned yet. */
  #ahead: Uint8Array[] = [];

  constructor(compressed: ByteSource, size: number, checksum: number) {
    this.#compressed = compressed;
    this.#size = size;
    this.#checksum = checksum;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.#next(left)).byteLength;
  }

  async take(into: Uint8Array): Promise<void> {
    for (let done = 0; done < into.byteLength; ) {
      const piece = await this.#next(into.byteLength - done);
      into.set(piece, done);
      done += piece.byteLength;
    }
  }

  /** Returns the next bytes of the inflated data: at least one byte, and at most `most` bytes. */
  async #next(most: number): Promise<Uint8Array> {
    while (this.#ahead.length === 0) await this.#feed();
    const piece = elementAt(this.#ahead, 0);
    const part = piece.subarray(0, most);
    if (part.byteLength === piece.byteLength) this.#ahead.shift();
    else this.#ahead[0] = piece.subarray(most);
    this.at += part.byteLength;
    return part;
  }

  async #feed(): Promise<void> {
    const length = Math.min(step, this.#compressed.size - this.#fed);
    if (length === 0) throw new TensorFileError('bad-data', 'the compressed data ends early');
    const bytes = await readBytes(this.#compressed, this.#fed, length);
    this.#fed += length;
    const inflate = (this.#inflate ??= await this.#inflater());
    try {
      inflate.push(bytes, this.#fed === this.#compressed.size);
    } catch (error) {
      if (error instanceof TensorFileError) throw error;
      throw new TensorFileError('bad-data', 'the compressed data cannot be inflated', { cause: error });
    }
  }

  async #inflater(): Promise<Inflate> {
    const library = await import('fflate');
    return new library.Inflate((piece) => this.#accept(piece));
  }

  #accept(piece: Uint8Array): void {
    this.#inflated += piece.byteLength;
    if (this.#inflated > this.#size)
      throw new TensorFileError('bad-data', 'the compressed data inflates to more bytes than its recorded size');
    this.#crc = crc32(piece, this.#crc);
    if (this.#inflated === this.#size && this.#crc !== this.#checksum)
      throw new TensorFileError('bad-data', 'the checksum of the compressed data does not match');
    if (piece.byteLength > 0) this.#ahead.push(piece);
  }
}
