/**
 * Reads and writes the numbers that are packed into a block, such as codes and scales. A number need not occupy whole
 * bytes.
 */
import { byteAt, signedAt } from '../../base/typed-reads.ts';
import { type Places, type Segment, segmentsOf, type Shared, widthOf } from '../../numerics/packed-blocks.ts';

export class SmallNumbers {
  readonly count: number;
  /** Width of each number in bits. */
  readonly width: number;
  /** The offset of each number's first byte, if every number occupies one or two whole bytes; otherwise null. */
  readonly bytes: Int32Array | null;
  /**
   * A number may consist of several segments, each within one byte. Entry i holds the bytes, shifts and masks of
   * segment i of all numbers. If a number has no such segment, its mask in this entry is 0.
   */
  private readonly segments: readonly SegmentColumn[];

  constructor(places: Places, count: number) {
    this.count = count;
    this.width = widthOf(places(0));
    const rows = Array.from({ length: count }, (_, i) => segmentsOf(places(i)));
    this.bytes = rows.every(areWhole) ? Int32Array.from(rows, ([first]) => first?.byte ?? 0) : null;
    const most = Math.max(...rows.map((row) => row.length));
    this.segments = Array.from({ length: most }, (_, k) => columnOf(rows.map((row) => row[k])));
  }

  /** Reads the numbers of the block that begins at byte `start` into `into`, as unsigned values. */
  read(bytes: Uint8Array, start: number, into: Int32Array): void {
    into.fill(0, 0, this.count);
    for (const { byte, down, mask, up } of this.segments)
      for (let i = 0; i < this.count; i++) {
        const found = (byteAt(bytes, start + signedAt(byte, i)) >> signedAt(down, i)) & signedAt(mask, i);
        into[i] = signedAt(into, i) | (found << signedAt(up, i));
      }
  }

  /**
   * Stores the numbers of a block at the positions where `read` finds them. The bits at these positions must be zero
   * beforehand.
   */
  write(numbers: ArrayLike<number>, first: number, bytes: Uint8Array, start: number): void {
    for (const { byte, down, mask, up } of this.segments)
      for (let i = 0; i < this.count; i++) {
        const at = start + signedAt(byte, i);
        const part = ((numbers[first + i] ?? 0) >> signedAt(up, i)) & signedAt(mask, i);
        bytes[at] = byteAt(bytes, at) | (part << signedAt(down, i));
      }
  }
}

function areWhole([low, high, ...more]: readonly Segment[]): boolean {
  if (low?.mask !== 0xff || more.length > 0) return false;
  return high === undefined || (high.mask === 0xff && high.byte === low.byte + 1);
}

/** All shared numbers in a block of `elements` elements. */
export function sharedNumbers({ share, places }: Shared, elements: number): SmallNumbers {
  return new SmallNumbers(places, elements / share);
}

interface SegmentColumn {
  readonly byte: Int32Array;
  readonly down: Int32Array;
  readonly mask: Int32Array;
  readonly up: Int32Array;
}

function columnOf(segments: readonly (Segment | undefined)[]): SegmentColumn {
  const column = (pick: (segment: Segment) => number): Int32Array =>
    Int32Array.from(segments, (segment) => (segment === undefined ? 0 : pick(segment)));
  return {
    byte: column(({ byte }) => byte),
    down: column(({ down }) => down),
    mask: column(({ mask }) => mask),
    up: column(({ up }) => up),
  };
}
