/**
 * The metadata of sparse matrices, computed with the formulas of the ISA: which columns are kept, and which lanes
 * contain the metadata.
 */
import { type ElementName, elementTypes } from './element-codes.ts';
import { pick } from './pick.ts';
import type { Lanes } from './warp.ts';

/**
 * All valid values of a piece of metadata. For tf32, a piece selects one of two columns to keep; for all other types,
 * it selects two of four. Each piece consists of two 2-bit indices.
 */
const twoOfFour = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
const oneOfTwo = [0b0100, 0b1110];

/** The number of columns of A that one piece of metadata describes, and the possible values of such a piece. */
function chunkOf(type: ElementName): { readonly columns: number; readonly patterns: readonly number[] } {
  if (type === 'tf32') return { columns: 2, patterns: oneOfTwo };
  return { columns: type.endsWith('4') ? 8 : 4, patterns: twoOfFour };
}

/**
 * Returns the column of A to which a kept element belongs. `kept` is the element's index among the kept elements of the
 * row.
 */
export function columnOf(type: ElementName, row: number, kept: number): number {
  const { columns, patterns } = chunkOf(type);
  const [chunk, within] = [Math.floor(kept / (columns / 2)), kept % (columns / 2)];
  const pattern = pick(patterns, 3, row, chunk);
  if (columns === 2) return chunk * 2 + (pattern === 0b1110 ? 1 : 0);
  const [unit, index] = columns === 8 ? [2, within >> 1] : [1, within];
  return chunk * columns + ((pattern >> (2 * index)) & 3) * unit + (columns === 8 ? within % 2 : 0);
}

/**
 * Returns the metadata register of each lane of a warp that computes 16 rows, for a product with `k` columns of A.
 * Lanes that the selector does not choose contain unrelated bits.
 */
export function warpMetadata(
  { k, a }: { readonly k: number; readonly a: ElementName },
  selector: number,
  firstRow = 0,
): Lanes {
  const { columns, patterns } = chunkOf(a);
  const chunks = k / columns;
  const words = Array.from({ length: 32 }, (_, lane) => BigInt(0x1234_5678 + lane * 0x1111));
  const isWide = elementTypes[a].bits > 8;
  const perWord = isWide ? 4 : 8;
  const given = new Map<number, bigint>();
  for (let row = 0; row < 16; row++) {
    for (let chunk = 0; chunk < chunks; chunk++) {
      const word = Math.floor(chunk / perWord);
      const upper = row < 8 ? 0 : 1;
      // With 16- and 32-bit elements, one lane holds the metadata of both row r and row r + 8; with smaller elements,
      // the metadata of each row is in a separate lane.
      const inGroup = isWide ? selector * (chunks / perWord) + word : 2 * selector + upper + 2 * word;
      const lane = 4 * (row % 8) + inGroup;
      const low = 4 * (chunk % perWord) + (isWide ? 16 * upper : 0);
      const bits = BigInt(pick(patterns, 3, firstRow + row, chunk)) << BigInt(low);
      given.set(lane, (given.get(lane) ?? 0n) | bits);
    }
  }
  return words.map((word, lane) => [given.get(lane) ?? word]);
}
