/** A source that verifies a checksum once all of its bytes have been read. */
import { type ByteSource, readBytes, requireRange, serialSource } from './bytes.ts';
import { crc32 } from './npz/crc32.ts';
import { TensorFileError } from './tensor-error.ts';

/** Number of bytes to read at a time when the bytes are needed only for the checksum, because the caller skips them. */
const step = 2 ** 20;

/**
 * Returns a source that provides the same bytes and computes their checksum. If the checksum is wrong, the read that
 * reaches the end of the source throws `bad-data`. Bytes that the caller skips are also read, because the checksum
 * covers them. If reads are in ascending order, no byte is read twice.
 */
export function checkedSource(source: ByteSource, checksum: number): ByteSource {
  const { size } = source;
  let reached = 0;
  let crc = 0;
  const take = (bytes: Uint8Array): void => {
    crc = crc32(bytes, crc);
    reached += bytes.byteLength;
  };
  const read = async (offset: number, into: Uint8Array): Promise<void> => {
    requireRange(size, offset, into.byteLength);
    for (let at = reached; at < offset; at += step) take(await readBytes(source, at, Math.min(step, offset - at)));
    await source.read(offset, into);
    if (reached < offset + into.byteLength) take(into.subarray(reached - offset));
    if (reached === size && crc !== checksum)
      throw new TensorFileError('bad-data', 'the checksum of the stored data does not match');
  };
  return serialSource(size, read);
}
