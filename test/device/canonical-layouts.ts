/**
 * The canonical layouts of matrices in shared memory for wgmma and tcgen05.mma, computed with the formulas of the ISA
 * (9.7.15.5.1.2): nested shapes and strides, followed by the swizzle of the address.
 */

export interface Layout {
  /**
   * The number of 16-byte chunks in a line: 1 if there is no swizzle, and 2, 4 or 8 if the swizzle is 32, 64 or 128
   * bytes.
   */
  readonly side: 1 | 2 | 4 | 8;
  readonly alongK: boolean;
}

/** The size of a matrix: `across` rows or columns with `k` elements each. An element has `bits` bits. */
export interface MatrixSize {
  readonly bits: number;
  readonly across: number;
  readonly k: number;
}

/** The two distances that a descriptor contains, in bytes. */
export function offsets(
  { side, alongK }: Layout,
  { bits, across, k }: MatrixSize,
): { readonly leading: number; readonly stride: number } {
  const chunks = (k * bits) / 128;
  // Without a swizzle, the 128-byte tiles are stored one after another without gaps.
  if (side === 1) return alongK ? { leading: 128, stride: 128 * chunks } : { leading: bits * across, stride: 128 };
  // If a line has more than `side` chunks, the remaining chunks of all lines are stored after the last line.
  if (alongK) return { leading: chunks > side ? 16 * side * across : 16, stride: 128 * side };
  return { leading: (k / 8) * 128 * side, stride: 128 * side };
}

/**
 * The address of the element in line `position` at index `k`, relative to the start of the matrix. The matrix must
 * start at a multiple of 1024.
 */
export function addressOf(layout: Layout, size: MatrixSize, position: number, k: number): number {
  const { side, alongK } = layout;
  const { leading, stride } = offsets(layout, size);
  const perChunk = 128 / size.bits;
  const bytes = size.bits / 8;
  const chunk = Math.floor(k / perChunk);
  const linear = alongK
    ? (position % 8) * 16 * side +
      Math.floor(position / 8) * stride +
      (k % perChunk) * bytes +
      (chunk % side) * 16 +
      Math.floor(chunk / side) * leading
    : (position % perChunk) * bytes +
      (Math.floor(position / perChunk) % side) * 16 +
      Math.floor(position / perChunk / side) * (side === 1 ? stride : leading) +
      (k % 8) * 16 * side +
      Math.floor(k / 8) * (side === 1 ? leading : stride);
  return linear ^ (((linear >> 7) & (side - 1)) << 4);
}
