/** The checksum of zip files. */
import { viewOf } from './bytes.ts';

/** Bytes that are taken at once. */
const slice = 8;

/** For each byte, its share in the checksum when 0, 1, … 7 further bytes follow it. */
const tables = makeTables();

function makeTables(): Uint32Array {
  const made = new Uint32Array(slice * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    made[byte] = value;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] as number;
    made[at] = (before >>> 8) ^ (made[before & 0xff] as number);
  }
  return made;
}

/** CRC-32 of `bytes`, going on from that of what came before them. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const share = (following: number, byte: number): number => tables[following * 256 + (byte & 0xff)] as number;
  const view = viewOf(bytes);
  let crc = ~before;
  let at = 0;
  for (; at + slice <= bytes.length; at += slice) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      share(7, low) ^
      share(6, low >>> 8) ^
      share(5, low >>> 16) ^
      share(4, low >>> 24) ^
      share(3, high) ^
      share(2, high >>> 8) ^
      share(1, high >>> 16) ^
      share(0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = share(0, crc ^ (bytes[at] as number)) ^ (crc >>> 8);
  return ~crc >>> 0;
}
