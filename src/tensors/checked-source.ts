/** A source that verifies the checksum of stored bytes once they have been read to their end. */
import { type ByteSource, readBytes, requireRange, serialSource } from './bytes.ts';
import { crc32 } from './npz/crc32.ts';
import { TensorFileError } from './tensor-error.ts';

/** Block size for reading skipped bytes. */
const step = 2 ** 20;

/**
 * The same bytes; once their end is reached, reads throw `bad-data` if the checksum differs. If reads are in ascending
 * order, each byte is read only once; skipped bytes are read just for the checksum.
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
