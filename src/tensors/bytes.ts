/**
 * Sources and sinks of bytes. Each host program provides its own implementations, so nothing here depends on a file
 * system.
 */
import { requireArgument } from '../base/require.ts';
import { bytes as bytesRule } from '../base/rules.ts';
import { TensorFileError } from './tensor-error.ts';

/**
 * Random access to bytes. Several reads may be in progress at the same time. Nothing is read before it is requested.
 */
export interface ByteSource {
  /** Total number of bytes. */
  readonly size: number;
  /**
   * Fills `into` with the bytes that start at `offset`. Throws `truncated` if the source ends before `into` is full.
   */
  read(offset: number, into: Uint8Array): Promise<void>;
}

/** Positional writes. Any bytes of the finished file that are never written are zero. */
export interface ByteSink {
  /** Writes all of `bytes` at `offset`. The caller may reuse the array once the promise has resolved. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
}

/** A source that reads from a byte array in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  requireArgument('the memory of a source', bytes, bytesRule);
  return {
    size: bytes.byteLength,
    async read(offset, into) {
      requireRange(bytes.byteLength, offset, into.byteLength);
      into.set(bytes.subarray(offset, offset + into.byteLength));
    },
  };
}

/** A sink that writes to a byte array in memory. The array must be as long as the finished file. */
export function memorySink(bytes: Uint8Array): ByteSink {
  requireArgument('the memory of a sink', bytes, bytesRule);
  return {
    async write(offset, part) {
      bytes.set(part, offset);
    },
  };
}

/** A source that provides only a part of `source`: `size` bytes starting at `offset`. */
export function sliceSource(source: ByteSource, offset: number, size: number): ByteSource {
  requireRange(source.size, offset, size);
  return {
    size,
    read(at, into) {
      requireRange(size, at, into.byteLength);
      return source.read(offset + at, into);
    },
  };
}

/**
 * A source that performs only one read at a time: each read starts after the previous one has ended, whether or not the
 * previous one succeeded.
 */
export function serialSource(size: number, read: ByteSource['read']): ByteSource {
  let turn = Promise.resolve();
  return {
    size,
    read(offset, into) {
      const mine = turn.then(() => read(offset, into));
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

/**
 * `length` bytes starting at `offset`, in a new array. The caller must have checked that the array is not too large.
 */
export async function readBytes(source: ByteSource, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  requireRange(source.size, offset, length);
  const bytes = new Uint8Array(length);
  await source.read(offset, bytes);
  return bytes;
}

/** Throws `truncated` unless bytes `offset` to `offset + length` exist. */
export function requireRange(size: number, offset: number, length: number): void {
  if (offset < 0 || offset + length > size)
    throw new TensorFileError(
      'truncated',
      `bytes ${offset} to ${offset + length} are needed, but the file ends at ${size}`,
    );
}
