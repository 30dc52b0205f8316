/** Computes the checksum of zip files. */
import { viewOf } from '../../base/byte-view.ts';
import { lastOf } from '../../base/element-at.ts';
import { byteAt, wordAt } from '../../base/typed-reads.ts';
import { quadOf } from '../../base/tuples.ts';

/** Number of bytes that are processed at a time. */
const slice = 8;

type Table = Uint32Array;
type Tables = readonly [Table, Table, Table, Table, Table, Table, Table, Table];

/**
 * Tables with one entry for each byte value. An entry of the table `afterN` is what a byte with this value contributes
 * to the checksum if N more bytes follow it.
 */
const [after0, after1, after2, after3, after4, after5, after6, after7] = makeTables();

function makeTables(): Tables {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const made = [first];
  while (made.length < slice) {
    const last = lastOf(made);
    made.push(last.map((before) => (before >>> 8) ^ wordAt(first, before & 0xff)));
  }
  return [...quadOf(made), ...quadOf(made.slice(4))];
}

/**
 * The CRC-32 of `bytes`. To compute a checksum piece by piece, pass the checksum of the preceding bytes as `before`.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const view = viewOf(bytes);
  let crc = ~before;
  let at = 0;
  // The loop is unrolled, and each table is a separate variable. This is twice as fast as calling a function for each
  // byte.
  for (; at + slice <= bytes.length; at += slice) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      wordAt(after7, low & 0xff) ^
      wordAt(after6, (low >>> 8) & 0xff) ^
      wordAt(after5, (low >>> 16) & 0xff) ^
      wordAt(after4, low >>> 24) ^
      wordAt(after3, high & 0xff) ^
      wordAt(after2, (high >>> 8) & 0xff) ^
      wordAt(after1, (high >>> 16) & 0xff) ^
      wordAt(after0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = wordAt(after0, (crc ^ byteAt(bytes, at)) & 0xff) ^ (crc >>> 8);
  return ~crc >>> 0;
}
