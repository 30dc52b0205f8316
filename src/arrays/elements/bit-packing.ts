/**
 * Packs codes densely and reads packed codes. If codes are w bits wide, element i occupies bits w * i to w * i + w - 1
 * of a little-endian bit string, so element 0 is in the lowest bits.
 */
import { byteAt } from '../../base/typed-reads.ts';

/** Number of bytes that `count` dense codes occupy. */
export function denseBytes(elements: number, width: number): number {
  return Math.ceil((elements * width) / 8);
}

/**
 * Packs codes into `dense` without gaps, starting at element `at`. Each byte of `codes` holds one code. All bits of
 * `dense` from element `at` on must be 0 beforehand.
 */
export function packCodes(codes: Uint8Array, width: number, dense: Uint8Array, at: number): void {
  const first = at * width;
  let place = Math.floor(first / 8);
  let filled = first % 8;
  let bits = filled === 0 ? 0 : byteAt(dense, place);
  for (let i = 0; i < codes.length; i++) {
    bits |= byteAt(codes, i) << filled;
    filled += width;
    if (filled < 8) continue;
    dense[place++] = bits & 0xff;
    bits >>>= 8;
    filled -= 8;
  }
  if (filled > 0) dense[place] = bits;
}

/** Reads `codes.length` densely packed codes, starting at element `at`. */
export function unpackCodes(dense: Uint8Array, width: number, codes: Uint8Array, at: number): void {
  const mask = 2 ** width - 1;
  const first = at * width;
  let place = Math.floor(first / 8);
  let left = 8 - (first % 8);
  let bits = codes.length === 0 ? 0 : byteAt(dense, place++) >>> (first % 8);
  for (let i = 0; i < codes.length; i++) {
    if (left < width) {
      bits |= byteAt(dense, place++) << left;
      left += 8;
    }
    codes[i] = bits & mask;
    bits >>>= width;
    left -= width;
  }
}
