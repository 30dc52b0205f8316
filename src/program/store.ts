/** Writes the low `width` bytes of a value to the start of `bytes`, little-endian. */
export function storeWide(bytes: Uint8Array, width: number, value: bigint): void {
  let rest = BigInt.asUintN(width * 8, value);
  for (let i = 0; i < width; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
}
