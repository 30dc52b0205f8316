/**
 * Reads the metadata of a sparse matrix A from tensor memory (PTX ISA 9.1, section 9.7.16.10.8). The ISA shows the
 * layout of the metadata only in figures; the layout in this file is the one that CUTLASS uses.
 */
import { keptColumn, type Sparsity } from '../../isa/matrix-product.ts';
import { tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import type { TensorProduct } from '../../isa/tensor-product.ts';
import { misuse, requireColumns, type TensorAccess, wordsOf } from './access.ts';
import type { RowLayout } from './rows.ts';

/** The metadata of a product: its address, and the number of the column that the instruction descriptor selects. */
export interface Metadata {
  readonly address: bigint;
  readonly selector: number;
  /** The number of stored elements in a row of A. */
  readonly length: number;
}

const units: Readonly<Record<TensorProduct['bits'], Sparsity['unit']>> = { 4: 2, 8: 1, 16: 1, 32: 0.5 };

/**
 * Returns, for a row of A, the columns to which its stored elements belong. `part` is the index of a part of the
 * layout.
 */
export function keptColumns(
  { address, selector, length }: Metadata,
  { bits }: TensorProduct,
  { laneOf }: RowLayout,
  part: number,
  memory: TensorAccess,
): (row: number) => Uint16Array {
  const [base, column] = tensorPlace(address);
  const isWide = bits >= 16;
  if (!isWide && selector !== 0)
    throw misuse(`the sparsity selector must be 0 for ${bits}-bit elements, not ${selector}`);
  requireColumns(column, isWide ? selector + 1 : 2, memory);
  const word = (lane: number, at: number): number =>
    wordsOf(memory.read(tensorOffset(base + lane, column + at), 4))[0] ?? 0;
  // With 16-bit or 32-bit elements, a word describes half of the columns of two rows that are 8 apart; with smaller
  // elements, it describes half of the columns of one row.
  const indices = isWide
    ? (row: number, chunk: number) =>
        word(laneOf((row & ~15) + 8 * (chunk >> 2) + (row & 7), part), selector) >>> (2 * (row & 8) + 4 * (chunk & 3))
    : (row: number, chunk: number) => word(laneOf(row, part), chunk >> 3) >>> (4 * (chunk & 7));
  const unit = units[bits];
  const kept = new Uint16Array(length);
  return (row) => {
    for (let at = 0; at < length; at++) kept[at] = keptColumn(unit, at, indices(row, Math.floor(at / (2 * unit))));
    return kept;
  };
}
