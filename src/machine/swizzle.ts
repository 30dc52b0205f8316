/**
 * Rearranges 16-byte chunks in shared memory, so that the columns of a matrix lie in different banks (PTX ISA 9.1,
 * sections 5.5.7 and 9.7.16.10.3).
 */

/** The number of bytes in a chunk. */
export const chunkBytes = 16;

export interface SwizzlePattern {
  /** The number of adjacent bytes that stay together. */
  readonly atom: 16 | 32 | 64;
  /** The number of 128-byte lines after which the pattern repeats. */
  readonly lines: 1 | 2 | 4 | 8;
}

/** The base-2 logarithm of the length of a line of shared memory. */
const lineShift = 7;

/** The length of a line of shared memory, within which a swizzle moves chunks. */
export const lineBytes: number = 2 ** lineShift;

/**
 * Returns the address in shared memory at which a byte is stored, given its address without a swizzle.
 *
 * @param phase the number of the line at which the pattern begins
 */
export function swizzled(address: number, { atom, lines }: SwizzlePattern, phase = 0): number {
  return address ^ ((((address >> lineShift) - phase) & (lines - 1)) * atom);
}

/** Whether an address is in an odd-numbered line of shared memory. */
export function isInOddLine(address: number): boolean {
  return ((address >> lineShift) & 1) === 1;
}
