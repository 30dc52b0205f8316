/** Big-endian arrays. Their elements are converted to little-endian when they are read. */
import { byteAt } from '../../base/typed-reads.ts';
import type { ByteSource } from '../bytes.ts';

/** Reverses the bytes of each number. Every number has `size` bytes, and `bytes` contains only complete numbers. */
export function reverseNumbers(bytes: Uint8Array, size: number): void {
  for (let start = 0; start < bytes.length; start += size) {
    for (let low = start, high = start + size - 1; low < high; low++, high--) {
      const kept = byteAt(bytes, low);
      bytes[low] = byteAt(bytes, high);
      bytes[high] = kept;
    }
  }
}

/** The numbers of a big-endian source, converted to little-endian. Each number has `size` bytes. */
export function littleEndianSource(source: ByteSource, size: number): ByteSource {
  return {
    size: source.size,
    async read(offset, into) {
      const start = offset - (offset % size);
      const end = Math.ceil((offset + into.byteLength) / size) * size;
      const isWhole = start === offset && end - start === into.byteLength;
      const numbers = isWhole ? into : new Uint8Array(end - start);
      await source.read(start, numbers);
      reverseNumbers(numbers, size);
      if (!isWhole) into.set(numbers.subarray(offset - start, offset - start + into.byteLength));
    },
  };
}
