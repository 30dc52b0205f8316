/** Reads the zero-column mask descriptor of tcgen05.mma.ws (PTX ISA 9.1, section 9.7.16.4.3). */
import { fieldsOf } from '../../base/bits.ts';
import { misuse } from './access.ts';

/** The shape of a product and the largest shift that its instruction descriptor allows. */
export interface ColumnRange {
  readonly m: number;
  readonly n: number;
  readonly greatestShift: number;
}

/**
 * Returns a function that maps a column of the product to the column of B that it uses, or to null if it uses zeros
 * instead. The columns of the product are divided into `128 / m` parts. Each part has its own pattern, in which spans
 * of used columns alternate with spans of zeros.
 */
export function usedColumns(
  descriptor: bigint,
  { m, n, greatestShift }: ColumnRange,
): (column: number) => number | null {
  const field = fieldsOf(descriptor);
  const shift = field(56, 6);
  const most = m === 32 ? Math.min(16, greatestShift) : greatestShift;
  if (shift > most) throw misuse(`the columns of B are shifted by ${shift}, but can be shifted by at most ${most}`);
  if (field(39, 1) === 0) return (column) => column + shift;
  const width = (n * m) / 128;
  // According to the text of the table, the two spans are in the opposite order, but the examples in the table agree
  // with the order used here.
  const [zeros, used] = [field(40, 8) + 1, field(48, 8) + 1];
  return (column) => {
    const part = Math.floor(column / width);
    const startsWithZeros = field(32 + part, 1) === 1;
    const start = Math.min(field(8 * part, 8), (startsWithZeros ? zeros : used) - 1);
    const position = ((column % width) + start) % (zeros + used);
    return (startsWithZeros ? position < zeros : position >= used) ? null : column + shift;
  };
}
