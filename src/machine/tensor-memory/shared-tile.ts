/**
 * Finds the chunks of a matrix in shared memory that a descriptor of tcgen05.mma describes (PTX ISA 9.1, section
 * 9.7.16.4.1). A chunk is 16 bytes. With a swizzle of 32, 64 or 128 bytes, 2, 4 or 8 chunks lie side by side in a line,
 * and the number of a chunk within the line is combined by xor with bits of the line's number.
 */
import { machineFault } from '../fault.ts';

/**
 * Returns the address of a chunk. `line` is the number of a row of A or a column of B, and `chunk` the number of the
 * chunk along K. If elements that are adjacent along K are not adjacent in memory, `line` is a number along K, and
 * `chunk` counts along the other dimension.
 */
export type SharedTile = (line: number, chunk: number) => number;

/** The binary logarithm of the number of chunks side by side, by the code of the swizzle. */
const swizzles: Readonly<Record<number, number>> = { 0: 0, 2: 3, 4: 2, 6: 1 };

export function sharedTile(descriptor: bigint, alongK: boolean): SharedTile {
  const field = (low: number, width: number): number =>
    Number((descriptor >> BigInt(low)) & ((1n << BigInt(width)) - 1n));
  const inBytes = (low: number): number => 16 * field(low, 14);
  const [start, leading, stride] = [inBytes(0), inBytes(16), inBytes(32)];
  const phase = field(49, 3);
  const shift = swizzles[field(61, 3)];
  if (shift === undefined || field(52, 1) === 1) {
    const what = 'the descriptor of a matrix in shared memory has a mode that ptxlab does not know';
    throw machineFault('PTX6036', { what });
  }
  const side = 1 << shift;
  const lineBytes = 16 * side;
  const swizzled = (place: number): number => place ^ ((((place >> 7) - phase) & (side - 1)) << 4);
  const isPlain = shift === 0;
  if (alongK) {
    return (line, chunk) => {
      const across = (line & 7) * lineBytes + (line >> 3) * stride;
      const along = isPlain ? chunk * leading : (chunk & (side - 1)) * 16 + (chunk >> shift) * leading;
      return swizzled(start + across + along);
    };
  }
  const [group, half] = isPlain ? [stride, leading] : [leading, stride];
  return (line, chunk) =>
    swizzled(
      start + (line & 7) * lineBytes + (line >> 3) * half + (chunk & (side - 1)) * 16 + (chunk >> shift) * group,
    );
}
