/** The products of rows, which an engine may compute with code of its own. */
import type { DotArithmetic, FactorFormat } from '../../numerics/dot-arithmetic.ts';
import type { TileScales } from '../../numerics/scaled-tile.ts';

/** The rows of A or the columns of B: `length` elements each, one line after the other. */
export interface RowFactors {
  readonly length: number;
  /** Zero for an element that is not finite. */
  readonly values: Float64Array;
  /** Only the exponents of elements that are not zero mean anything. */
  readonly exponents: Int32Array;
}

/** Elements of e2m1 whose scale factors apply to groups of 16. */
export interface GroupFactors {
  readonly lines: RowFactors;
  readonly scales: TileScales;
}

/** The factors of a product and its arithmetic, which must have the order `direct`. */
export type RowProduct =
  | {
      readonly kind: 'elements';
      readonly a: RowFactors;
      readonly b: RowFactors;
      readonly arithmetic: DotArithmetic;
      /** The formats of the elements; null if scale factors have changed their range. */
      readonly formats: readonly [a: FactorFormat, b: FactorFormat] | null;
    }
  | {
      readonly kind: 'groups';
      readonly a: GroupFactors;
      readonly b: GroupFactors;
      readonly arithmetic: DotArithmetic;
    };

/**
 * Adds the products of a row of A and the columns of B from `first` on to `sums`, which contains the bits of one sum
 * for each column. Returns false, and leaves `sums` as it is, if a number is outside the range that the code can handle.
 */
export type MultiplyRow = (row: number, first: number, sums: Uint32Array) => boolean;

/** Makes such a function. The number of columns must be a multiple of 8. */
export type RowMultiplier = (product: RowProduct) => MultiplyRow;
