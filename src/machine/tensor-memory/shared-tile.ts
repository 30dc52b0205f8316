/**
 * Finds the chunks of a matrix in shared memory that a descriptor of tcgen05.mma describes (PTX ISA 9.1, section
 * 9.7.16.4.1). A chunk is 16 bytes. With a swizzle of 32, 64 or 128 bytes, 2, 4 or 8 chunks lie side by side in a line,
 * and the number of a chunk within the line is XORed with bits of the line's number.
 */
import { fieldsOf } from '../../base/bits.ts';
import { type SwizzlePattern, swizzled } from '../swizzle.ts';
import { misuse } from './access.ts';

/**
 * Returns the address of a chunk. `line` is the number of a row of A or a column of B, and `chunk` the number of the
 * chunk along K. If elements that are adjacent along K are not adjacent in memory, `line` is an index along K, and
 * `chunk` is an index along the other dimension.
 */
export type SharedTile = (line: number, chunk: number) => number;

/** How the chunks of a matrix are swizzled. */
interface Layout extends SwizzlePattern {
  /** The binary logarithm of the number of chunks side by side. */
  readonly shift: 0 | 1 | 2 | 3;
}

/** The layouts, by their codes in the descriptor. */
const layouts: Readonly<Record<number, Layout>> = {
  0: { shift: 0, atom: 16, lines: 1 },
  1: { shift: 3, atom: 32, lines: 4 },
  2: { shift: 3, atom: 16, lines: 8 },
  4: { shift: 2, atom: 16, lines: 4 },
  6: { shift: 1, atom: 16, lines: 2 },
};

/** @param bits number of bits in an element */
export function sharedTile(descriptor: bigint, alongK: boolean, bits: number): SharedTile {
  const field = fieldsOf(descriptor);
  const inBytes = (low: number): number => 16 * field(low, 14);
  const [start, leading, stride] = [inBytes(0), inBytes(16), inBytes(32)];
  const phase = field(49, 3);
  const layout = layouts[field(61, 3)];
  if (layout === undefined || field(52, 1) === 1)
    throw misuse('the descriptor of a matrix in shared memory has a mode that ptxlab does not know');
  const { shift, atom } = layout;
  // This restriction is in table 52 of PTX ISA 9.1 (section 9.7.16.10.3).
  if (!alongK && (bits === 32) !== (atom === 32)) {
    const mode = 'the 128-byte swizzle that keeps 32 bytes together';
    throw misuse(
      bits === 32
        ? `32-bit elements that are not adjacent along K need ${mode}`
        : `with ${mode}, elements that are not adjacent along K must have 32 bits`,
    );
  }
  const side = 1 << shift;
  const lineBytes = 16 * side;
  const isPlain = shift === 0;
  if (alongK) {
    return (line, chunk) => {
      const across = (line & 7) * lineBytes + (line >> 3) * stride;
      const along = isPlain ? chunk * leading : (chunk & (side - 1)) * 16 + (chunk >> shift) * leading;
      return swizzled(start + across + along, layout, phase);
    };
  }
  const [group, half] = isPlain ? [stride, leading] : [leading, stride];
  // A tile has 8 lines, or 4 if pairs of chunks stay together.
  const lines = atom === 32 ? 2 : 3;
  return (line, chunk) =>
    swizzled(
      start +
        (line & ((1 << lines) - 1)) * lineBytes +
        (line >> lines) * half +
        (chunk & (side - 1)) * 16 +
        (chunk >> shift) * group,
      layout,
      phase,
    );
}
