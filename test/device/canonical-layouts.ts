/**
 * The canonical layouts of matrices in shared memory for wgmma and tcgen05.mma, by the formulas of the ISA
 * (9.7.15.5.1.2): nested shapes and strides, followed by the swizzle of the address.
 */

export interface Layout {
  /** 1, 2, 4 or 8 chunks of 16 bytes in a line: no swizzle, or one of 32, 64 or 128 bytes. */
  readonly side: 1 | 2 | 4 | 8;
  readonly alongK: boolean;
}

/** The distances in bytes that a descriptor contains, for `across` lines or columns of elements of `bits` bits. */
export function offsets(
  { side, alongK }: Layout,
  across: number,
  bits = 16,
): { readonly leading: number; readonly stride: number } {
  // Without a swizzle, all tiles of 128 bytes lie one after the other.
  if (side === 1) return alongK ? { leading: 128, stride: 256 } : { leading: bits * across, stride: 128 };
  if (alongK) return { leading: 16, stride: 128 * side };
  // A line of tiles is 32 bytes of elements long in k, and each tile has 8 lines.
  return { leading: (32 / bits) * 128 * side, stride: 128 * side };
}

/**
 * The address of the element at `position` across k, relative to the start of the matrix, which is a multiple of 1024.
 */
export function addressOf(layout: Layout, bits: number, across: number, position: number, k: number): number {
  const { side, alongK } = layout;
  const { leading, stride } = offsets(layout, across, bits);
  const perChunk = 128 / bits;
  const bytes = bits / 8;
  const linear = alongK
    ? (position % 8) * 16 * side +
      Math.floor(position / 8) * stride +
      (k % perChunk) * bytes +
      Math.floor(k / perChunk) * (side === 1 ? leading : 16)
    : (position % perChunk) * bytes +
      (Math.floor(position / perChunk) % side) * 16 +
      Math.floor(position / perChunk / side) * (side === 1 ? stride : leading) +
      (k % 8) * 16 * side +
      Math.floor(k / 8) * (side === 1 ? leading : stride);
  return linear ^ (((linear >> 7) & (side - 1)) << 4);
}
