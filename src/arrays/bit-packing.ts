/** Dense codes: element i takes bits w * i to w * i + w - 1 of a little-endian string of bits, so element 0 is lowest. */

/** Bytes of so many dense codes. */
export function denseBytes(elements: number, width: number): number {
  return Math.ceil((elements * width) / 8);
}

/** Writes codes, one a byte, into dense ones from element `at` on; the bits there must be 0. */
export function packCodes(codes: Uint8Array, width: number, dense: Uint8Array, at: number): void {
  let bit = at * width;
  for (const code of codes) {
    const place = Math.floor(bit / 8);
    const shifted = code << (bit % 8);
    dense[place] = (dense[place] as number) | shifted;
    if (shifted > 0xff) dense[place + 1] = shifted >>> 8;
    bit += width;
  }
}

/** Reads `codes.length` dense codes from element `at` on. */
export function unpackCodes(dense: Uint8Array, width: number, codes: Uint8Array, at: number): void {
  const mask = 2 ** width - 1;
  let bit = at * width;
  for (let i = 0; i < codes.length; i++) {
    const place = Math.floor(bit / 8);
    const pair = (dense[place] as number) | ((dense[place + 1] ?? 0) << 8);
    codes[i] = (pair >>> (bit % 8)) & mask;
    bit += width;
  }
}
