/**
 * The tensor memory of a block, which has 128 lanes and 512 columns of 32 bits (PTX ISA 9.1, section 9.7.16.1). ptxlab
 * stores one lane after the other, and after the last lane a word that says which columns are allocated.
 */
export const tensorLanes = 128;
export const tensorColumns = 512;

/** Columns are allocated in units of this number. */
export const tensorUnit = 32;

/** Number of bytes of a lane. */
export const laneBytes: number = 4 * tensorColumns;

/** The offset of a column of a lane in bytes. */
export function tensorOffset(lane: number, column: number): number {
  return lane * laneBytes + 4 * column;
}

/**
 * The address of the column at an offset, as instructions write it: the lane in the upper half, the column in the
 * lower.
 */
export function tensorAddress(offset: number): number {
  return Math.floor(offset / laneBytes) * 2 ** 16 + Math.floor((offset % laneBytes) / 4);
}

/** Splits an address in tensor memory. The bits for lanes that do not exist are ignored. */
export function tensorPlace(address: bigint): readonly [lane: number, column: number] {
  return [Number((address >> 16n) % BigInt(tensorLanes)), Number(address & 0xffffn)];
}

/**
 * The offset of the word whose bits 0 to 15 say which units of columns are allocated. Bit 16 is set once the block has
 * given up the right to allocate.
 */
export const tensorAllocation: number = tensorLanes * laneBytes;

/** The bit of the allocation word that is set once the block has given up the right to allocate. */
export const relinquishedBit = 16;

/** The size of tensor memory in bytes, including the allocation word. */
export const tensorMemoryBytes: number = tensorAllocation + 16;
