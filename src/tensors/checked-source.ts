/** Stored bytes with a checksum, which is looked at when they have been read to their end. */
import { type ByteSource, readBytes, requireRange, serialSource } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { TensorFileError } from './tensor-error.ts';

/** Bytes at a time of what was left out. */
const step = 2 ** 20;

/**
 * The same bytes; once their end was reached, reads throw `bad-data` where they have another checksum. In ascending order
 * each byte is read once; what a read leaves out is read for the checksum alone.
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
      throw new TensorFileError('bad-data', 'the stored data has another checksum than is announced');
  };
  return serialSource(size, read);
}
