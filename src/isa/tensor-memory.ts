/**
 * The tensor memory of a block, which has 128 lanes and 512 columns of 32 bits (PTX ISA 9.1, section 9.7.16.1). ptxlab
 * stores the lanes one after the other, followed by a word that records which columns are allocated.
 */
export const tensorLanes = 128;
export const tensorColumns = 512;

/** Columns are allocated in multiples of this number. */
export const tensorUnit = 32;

/** Number of bytes in a lane. */
export const laneBytes: number = 4 * tensorColumns;

/** The byte offset of a lane's column in tensor memory. */
export function tensorOffset(lane: number, column: number): number {
  return lane * laneBytes + 4 * column;
}

/**
 * The address that instructions use for the column at an offset: the lane is in the upper half, and the column in the
 * lower half.
 */
export function tensorAddress(offset: number): number {
  return Math.floor(offset / laneBytes) * 2 ** 16 + Math.floor((offset % laneBytes) / 4);
}

/** Splits an address in tensor memory into lane and column. The bits for lanes that do not exist are ignored. */
export function tensorPlace(address: bigint): readonly [lane: number, column: number] {
  return [Number((address >> 16n) % BigInt(tensorLanes)), Number(address & 0xffffn)];
}

/**
 * The offset of the allocation word. Each of bits 0 to 15 of this word is set if the corresponding unit of columns is
 * allocated. Bit 16 is set once the block has given up its right to allocate.
 */
export const tensorAllocation: number = tensorLanes * laneBytes;

/** The bit of the allocation word that is set once the block has given up its right to allocate. */
export const relinquishedBit = 16;

/** The size of tensor memory in bytes, including the allocation word. */
export const tensorMemoryBytes: number = tensorAllocation + 16;
