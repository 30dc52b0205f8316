/**
 * The positions of sixteen small numbers in a packed block, as patterns that vector instructions can load and store.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Places, type Segment, segmentsOf } from '../../numerics/packed-blocks.ts';

export const lanes = 16;

/**
 * A column of sixteen segments, one from each of sixteen numbers. All of the segments have the same mask and the same
 * position within their numbers.
 */
export type Column =
  /** The segments are in sixteen consecutive bytes, one per byte, and occupy the same bits of every byte. */
  | ({ readonly kind: 'run' } & Segment)
  /** The segments are in two runs of eight consecutive bytes; within a run, they occupy the same bits of every byte. */
  | { readonly kind: 'halves'; readonly halves: readonly [Segment, Segment] }
  /** Each segment is a single bit, and the sixteen bits are consecutive. */
  | { readonly kind: 'bits'; readonly byte: number; readonly up: number };

/**
 * Returns the positions of sixteen consecutive numbers, the first of which has the index `first`. Each column contains
 * some bits of every number; the column with the lowest bits comes first.
 */
export function columnsAt(places: Places, first: number): readonly Column[] {
  const rows = Array.from({ length: lanes }, (_, i) => segmentsOf(places(first + i)));
  return elementAt(rows, 0).map((_, k) => columnOf(rows.map((row) => elementAt(row, k))));
}

function columnOf(segments: readonly Segment[]): Column {
  const [first, ninth] = [elementAt(segments, 0), elementAt(segments, 8)];
  if (areRun(segments)) return { kind: 'run', ...first };
  if (areRun(segments.slice(0, 8)) && areRun(segments.slice(8))) return { kind: 'halves', halves: [first, ninth] };
  const areBits = segments.every(
    ({ byte, down, mask }, i) => mask === 1 && down === i % 8 && byte === first.byte + Math.floor(i / 8),
  );
  if (!areBits) throw new Error(`the numbers at byte ${first.byte} cannot be loaded as a vector`);
  return { kind: 'bits', byte: first.byte, up: first.up };
}

function areRun(segments: readonly Segment[]): boolean {
  const first = elementAt(segments, 0);
  return segments.every(
    ({ byte, down, mask }, i) => byte === first.byte + i && down === first.down && mask === first.mask,
  );
}
